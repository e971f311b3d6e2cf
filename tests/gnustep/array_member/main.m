/*
 * An object in an array of its own: one that can change, and one that cannot.
 *
 *     seed                                    frozen
 *      :                                        :
 *      v                                        v
 *    Album ==_photos==> GSMutableArray --[1]--> O     Album ==_photos==> GSInlineArray --[0]--> O
 *
 *     guard
 *      |
 *      v
 *    Album ==_photos==> NSConcretePointerArray - -[0]- -> O
 *
 * Rings      Album._photos, the array's element.
 * Near miss  guard: a pointer array in opaque memory owns nothing.
 */
#import "watched.h"

@interface Album : Watched {
@public
    id _photos;
}
@end

@implementation Album
- (void)dealloc {
    [_photos release];
    [super dealloc];
}
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Album *seed = [[Album alloc] init], *frozen = [[Album alloc] init];
    Album *guard = [[Album alloc] init];
    seed->_photos = [[NSMutableArray alloc] initWithObjects:@"cover", seed, nil];
    frozen->_photos = [[NSArray alloc] initWithObjects:frozen, @"back", nil];
    guard->_photos = [[NSPointerArray alloc]
        initWithOptions:NSPointerFunctionsOpaqueMemory | NSPointerFunctionsOpaquePersonality];
    [guard->_photos addPointer:guard];
    [seed release];
    [frozen release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(frozen);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    [pool drain];
    return watched_verdict(2);
}
