/*
 * A block of Debian's libBlocksRuntime owns blocks and __block variables, but no objects.
 *
 *     guard
 *      |
 *      v
 *    Screen ==_handler==> block - -owner- -> O
 *
 *     seed
 *      :
 *      v
 *    block --inner--> block - -owner- -> Screen ==_handler==> the first block
 *
 * Near miss  both: what a block captures is not retained, so that nothing leads back.
 */
#import "watched.h"

#include "block.h"

@interface Screen : Watched {
@public
    id _handler;
}
@end

@implementation Screen
- (void)dealloc {
    release_block(_handler);
    [super dealloc];
}
@end

int main(void) {
    Screen *guard = [[Screen alloc] init], *other = [[Screen alloc] init];
    id seed;
    guard->_handler = make_block(guard);
    other->_handler = make_block_of_block(make_block(other));
    seed = other->_handler;
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    [other release];
    return watched_verdict(0);
}
