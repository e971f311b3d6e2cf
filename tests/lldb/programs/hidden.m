/*
 * An object whose own ivars stand behind ivars that its superclass's header does not show: where
 * debug information places them, others are. Stops in hiddenReady().
 */
#import "hidden.h"

#include <stdint.h>

@interface Shown : Hidden {
  @public
    int _number;
    NSObject *_other;
    void (^_handler)(void);
    struct {
        short x, y;
    } _place;
}
@end

@implementation Shown
@end

void hiddenReady(void) {
    __asm__ volatile("");
}

int main(void) {
    Shown *shown = [[Shown alloc] init];
    NSObject *other = [[NSObject alloc] init];
    __unsafe_unretained Shown *garbage = (__bridge Shown *)(void *)(uintptr_t)0x1234;
    __unsafe_unretained void (^noBlock)(void) = (__bridge void (^)(void))(__bridge void *)other;
    [shown keep:other];
    shown->_number = 7;
    shown->_other = other;
    shown->_place.y = 3;
    shown->_handler = ^{
        (void)other;
    };
    hiddenReady();
    return garbage == nil || noBlock == nil;
}
