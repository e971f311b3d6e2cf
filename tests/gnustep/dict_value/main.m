/*
 * An object in a dictionary of its own: as a value, and as a key that is its own copy.
 *
 *     seed                                          keyed
 *      :                                              :
 *      v                                              v
 *    Cache ==_pages==> GSMutableDictionary --value--> O    Cache ==_pages==> GSDictionary --key--> O
 *
 *     guard
 *      |
 *      v
 *    Cache ==_pages==> NSConcreteMapTable - -value- -> O
 *
 * Rings      Cache._pages, the dictionary's value or key, among enough others that chains are long.
 * Near miss  guard: a map table with values that are no objects to it.
 */
#import "watched.h"

@interface Cache : Watched <NSCopying> {
@public
    id _pages;
}
@end

@implementation Cache
- (id)copyWithZone:(NSZone *)zone {
    (void)zone;
    return [self retain];
}
- (void)dealloc {
    [_pages release];
    [super dealloc];
}
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Cache *seed = [[Cache alloc] init], *keyed = [[Cache alloc] init];
    Cache *guard = [[Cache alloc] init];
    int i;
    seed->_pages = [[NSMutableDictionary alloc] init];
    for (i = 0; i < 100; i++)
        [seed->_pages setObject:@"page" forKey:[NSNumber numberWithInt:i]];
    [seed->_pages setObject:seed forKey:@"hot"];
    keyed->_pages = [[NSDictionary alloc] initWithObjectsAndKeys:@"cold", keyed, nil];
    guard->_pages =
        [[NSMapTable alloc] initWithKeyOptions:NSPointerFunctionsObjectPersonality
                                  valueOptions:NSPointerFunctionsOpaqueMemory |
                                               NSPointerFunctionsOpaquePersonality
                                      capacity:4];
    NSMapInsert(guard->_pages, @"hot", guard);
    [seed release];
    [keyed release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(keyed);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    [pool drain];
    return watched_verdict(2);
}
