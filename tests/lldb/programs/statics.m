/*
 * A screen that nothing but a static variable holds. The linker puts its tables of classes in
 * front of the static variables, so that the place of an entry looks like a Screen of which
 * _later and _other are set.
 */
#import <Foundation/Foundation.h>

@interface Screen : NSObject {
  @public
    id _title, _later, _other, _last;
}
@end

@implementation Screen
@end

void staticsReady(void);

__attribute__((noinline)) void staticsReady(void) {
}

static Screen *screen, *again, *third, *fourth;

int main(void) {
    @autoreleasepool {
        screen = [[Screen alloc] init];
        again = third = fourth = screen;
        staticsReady();
    }
    return 0;
}
