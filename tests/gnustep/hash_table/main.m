/*
 * An object in a hash table of its own, made by options and by the older callbacks.
 *
 *     seed                                             legacy: the same, by callbacks
 *      :                                               pointers: NSConcretePointerArray --[1]--> O
 *      v
 *    Subject ==_observers==> NSConcreteHashTable --element--> O
 *
 *     guard
 *      |
 *      v
 *    Subject ==_observers==> NSConcreteHashTable - -element- -> O
 *
 *    opaque: the same as guard
 *
 * Rings      Subject._observers, the table's element.
 * Near miss  guard: weak elements; opaque: pointers that are nothing to the table.
 */
#import "watched.h"

@interface Subject : Watched {
@public
    id _observers;
}
@end

@implementation Subject
- (void)dealloc {
    [_observers release];
    [super dealloc];
}
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Subject *seed = [[Subject alloc] init], *legacy = [[Subject alloc] init];
    Subject *pointers = [[Subject alloc] init], *guard = [[Subject alloc] init];
    Subject *opaque = [[Subject alloc] init];
    seed->_observers = [[NSHashTable alloc] initWithOptions:NSPointerFunctionsStrongMemory
                                                   capacity:4];
    [seed->_observers addObject:seed];
    legacy->_observers = NSCreateHashTable(NSObjectHashCallBacks, 4);
    NSHashInsert(legacy->_observers, legacy);
    pointers->_observers = [[NSPointerArray alloc] initWithOptions:NSPointerFunctionsStrongMemory];
    [pointers->_observers addPointer:NULL];
    [pointers->_observers addPointer:pointers];
    guard->_observers = [[NSHashTable alloc] initWithOptions:NSPointerFunctionsZeroingWeakMemory
                                                    capacity:4];
    [guard->_observers addObject:guard];
    opaque->_observers =
        [[NSHashTable alloc] initWithOptions:NSPointerFunctionsOpaqueMemory |
                                             NSPointerFunctionsOpaquePersonality
                                    capacity:4];
    NSHashInsert(opaque->_observers, opaque);
    [pool drain];
    [seed release];
    [legacy release];
    [pointers release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(legacy);
    FIXTURE_KEEP(pointers);
    FIXTURE_KEEP(guard);
    FIXTURE_KEEP(opaque);
    loupe_fixture_ready();
    [guard release];
    [opaque release];
    return watched_verdict(3);
}
