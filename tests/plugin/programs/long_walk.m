/*
 * A walk that takes long, with something to find at its start:
 *
 *      seed ── _partner ──> partner ── _owner ──> seed
 *        └──── _list ─────> link ── _next ──> link ── ... (as many as main is told)
 */
#import <Foundation/Foundation.h>

#include <stdlib.h>

@class Seed;

@interface Partner : NSObject {
  @public
    Seed *_owner;
}
@end
@implementation Partner
@end

@interface Link : NSObject {
  @public
    Link *_next;
}
@end
@implementation Link
@end

@interface Seed : NSObject {
  @public
    Partner *_partner;
    Link *_list;
}
@end
@implementation Seed
@end

__attribute__((noinline)) void heap_ready(Seed *seed) {
    __asm__ volatile("" : : "r"(seed) : "memory");
}

int main(int argc, char **argv) {
    Seed *seed = [[Seed alloc] init];
    seed->_partner = [[Partner alloc] init];
    seed->_partner->_owner = seed;
    Link *last = seed->_list = [[Link alloc] init];
    for (int i = 1; argc > 1 && i < atoi(argv[1]); i++)
        last = last->_next = [[Link alloc] init];
    heap_ready(seed);
    return 0;
}
