/*
 * An object in a map table of its own, made by options and by the older callbacks.
 *
 *     seed                                           legacy, keyed: the same with the older
 *      :                                             callbacks, as a value and as a key
 *      v
 *    Index ==_table==> NSConcreteMapTable --value--> O
 *
 *     guard                                          legacyGuard: the same, made by callbacks
 *      |                                             that do not retain
 *      v
 *    Index ==_table==> NSConcreteMapTable - -value- -> O
 *
 * Rings      Index._table, the table's value or key.
 * Near miss  guard: weak values; legacyGuard: values that are not retained.
 */
#import "watched.h"

@interface Index : Watched {
@public
    id _table;
}
@end

@implementation Index
- (void)dealloc {
    [_table release];
    [super dealloc];
}
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Index *seed = [[Index alloc] init], *legacy = [[Index alloc] init];
    Index *keyed = [[Index alloc] init];
    Index *guard = [[Index alloc] init], *legacyGuard = [[Index alloc] init];
    seed->_table = [[NSMapTable mapTableWithStrongToStrongObjects] retain];
    [seed->_table setObject:seed forKey:@"me"];
    legacy->_table = NSCreateMapTable(NSObjectMapKeyCallBacks, NSObjectMapValueCallBacks, 4);
    NSMapInsert(legacy->_table, @"me", legacy);
    keyed->_table = NSCreateMapTable(NSObjectMapKeyCallBacks, NSIntegerMapValueCallBacks, 4);
    NSMapInsert(keyed->_table, keyed, (void *)17);
    guard->_table = [[NSMapTable mapTableWithStrongToWeakObjects] retain];
    [guard->_table setObject:guard forKey:@"me"];
    legacyGuard->_table =
        NSCreateMapTable(NSObjectMapKeyCallBacks, NSNonRetainedObjectMapValueCallBacks, 4);
    NSMapInsert(legacyGuard->_table, @"me", legacyGuard);
    [pool drain];
    [seed release];
    [legacy release];
    [keyed release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(legacy);
    FIXTURE_KEEP(keyed);
    FIXTURE_KEEP(guard);
    FIXTURE_KEEP(legacyGuard);
    loupe_fixture_ready();
    [guard release];
    [legacyGuard release];
    return watched_verdict(3);
}
