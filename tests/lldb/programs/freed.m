/*
 * Objects that were freed and are still pointed to, as in a use after free. Stops in freedReady().
 * With an argument it goes on to use one.
 *
 *     cached   malloc keeps it for the next of its size: its isa is gone
 *     merged   it became part of the free memory before it: it reads as well as ever
 *     guard    alive, of the same class as merged
 */
#import <Foundation/Foundation.h>

#include <stdint.h>

@interface Small : NSObject {
  @public
    id _other;
}
@end

@implementation Small
@end

@interface Large : NSObject {
  @public
    id _other;
    char _bytes[4000];
}
@end

@implementation Large
@end

void freedReady(void) {
    __asm__ volatile("");
}

int main(int count, char **arguments) {
    __unsafe_unretained Small *cached;
    __unsafe_unretained Large *merged;
    Small *small = [[Small alloc] init];
    /* What the runtime allocates for a class stands before those below then, not between them; and
     * nothing of theirs takes the place that is free now. */
    (void)[[Large alloc] init];
    Large *plug = [[Large alloc] init];
    Large *before = [[Large alloc] init];
    Large *large = [[Large alloc] init];
    Large *guard = [[Large alloc] init];
    cached = small;
    merged = large;
    before->_other = guard;
    before = nil;
    large = nil;
    small = nil;
    {
        __unsafe_unretained Large *ended = guard; /* its place on the stack keeps what it was */
        ended->_other = nil;
    }
    freedReady();
    (void)arguments;
    if (count > 1)
        (void)[cached hash];
    return guard == nil || plug == nil || (uintptr_t)cached == (uintptr_t)merged;
}
