/*
 * A list of so many objects that walking it takes longer than a short time limit, in a ring.
 */
#import <Foundation/Foundation.h>

enum { LENGTH = 900000 };

@interface Link : NSObject {
  @public
    Link *_next;
}
@end

@implementation Link
@end

void listReady(Link *list) {
    (void)list;
    __asm__ volatile("");
}

int main(void) {
    Link *list = [[Link alloc] init];
    Link *last = list;
    for (int i = 1; i < LENGTH; i++) {
        last->_next = [[Link alloc] init];
        last = last->_next;
    }
    last->_next = list;
    listReady(list);
    return 0;
}
