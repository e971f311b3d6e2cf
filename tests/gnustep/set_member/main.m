/*
 * An object in a set of its own: one that can change, one that cannot, one that counts.
 *
 *     seed                                      frozen, counted, ordered: the same with
 *      :                                        GSSet, GSCountedSet, GSMutableOrderedSet
 *      v
 *    Group ==_members==> GSMutableSet --element--> O
 *
 *     guard
 *      |
 *      v
 *    Group ==_members==> NSConcreteHashTable - -element- -> O
 *
 * Rings      Group._members, the set's element.
 * Near miss  guard: a hash table that does not retain.
 */
#import "watched.h"

@interface Group : Watched {
@public
    id _members;
}
@end

@implementation Group
- (void)dealloc {
    [_members release];
    [super dealloc];
}
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Group *seed = [[Group alloc] init], *frozen = [[Group alloc] init];
    Group *counted = [[Group alloc] init], *ordered = [[Group alloc] init];
    Group *guard = [[Group alloc] init];
    seed->_members = [[NSMutableSet alloc] initWithObjects:@"other", seed, nil];
    frozen->_members = [[NSSet alloc] initWithObjects:frozen, @"other", nil];
    counted->_members = [[NSCountedSet alloc] init];
    [counted->_members addObject:counted];
    [counted->_members addObject:counted];
    ordered->_members = [[NSMutableOrderedSet alloc] initWithObjects:@"other", ordered, nil];
    guard->_members = NSCreateHashTable(NSNonRetainedObjectHashCallBacks, 4);
    NSHashInsert(guard->_members, guard);
    [seed release];
    [frozen release];
    [counted release];
    [ordered release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(frozen);
    FIXTURE_KEEP(counted);
    FIXTURE_KEEP(ordered);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    [pool drain];
    return watched_verdict(4);
}
