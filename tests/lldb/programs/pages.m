/* A book that keeps each page it was opened at, and stops after each. */
#import <Foundation/Foundation.h>

@interface Page : NSObject {
  @public
    id note;
}
@end
@implementation Page
@end

@interface Book : NSObject {
  @public
    Page *pages[4];
}
@end
@implementation Book
@end

__attribute__((noinline)) void pageTurned(Book *book) {
    __asm__ volatile("" : : "r"((__bridge void *)book) : "memory");
}

int main(void) {
    Book *book = [[Book alloc] init];
    for (int i = 0; i < 4; i++) {
        book->pages[i] = [[Page alloc] init];
        pageTurned(book);
    }
    return 0;
}
