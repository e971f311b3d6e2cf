/*
 * A thing that is retained and released, once too often retained: -[Keeper take:] never gives it back.
 * Manual retain/release, so that each line is one event.
 */
#import <Foundation/Foundation.h>
#include <string.h>

void historyBegins(void);
void historyGoesOn(void);

@interface Thing : NSObject
@end
@implementation Thing
@end

@interface Keeper : NSObject {
    id _kept;
}
- (void)keep:(id)thing;
- (void)drop;
- (void)take:(id)thing;
- (void)hoard:(id)many;
- (void)spend:(id)many;
- (void)lend:(id)thing;
#ifdef __clang__
- (void)point:(id)thing;
#endif
@end

#ifdef __clang__ /* what a __weak variable does; GCC's runtime has none */
id objc_initWeak(id *slot, id object);
void objc_destroyWeak(id *slot);
#endif

@implementation Keeper
- (void)keep:(id)thing {
    _kept = [thing retain];
}
- (void)drop {
    [_kept release];
    _kept = nil;
}
- (void)take:(id)thing {
    [thing retain];
}
/* So many that the count does not fit into an isa. */
- (void)hoard:(id)many {
    for (int i = 0; i < 300; i++)
        [many retain];
}
- (void)spend:(id)many {
    for (int i = 0; i < 300; i++)
        [many release];
}
- (void)lend:(id)thing {
    [[thing retain] autorelease];
}
#ifdef __clang__
- (void)point:(id)thing {
    id weakly;
    objc_initWeak(&weakly, thing);
    objc_destroyWeak(&weakly);
}
#endif
@end

__attribute__((noinline)) void historyBegins(void) {
    __asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void historyGoesOn(void) {
    __asm__ volatile("" : : : "memory");
}

int main(int argc, char **argv) {
    Thing *thing = [[Thing alloc] init];
    Keeper *keeper = [[Keeper alloc] init];
    historyBegins();
    if (argc > 1 && strcmp(argv[1], "many") == 0) {
        [keeper hoard:thing];
        [keeper spend:thing];
        historyGoesOn();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "lent") == 0) {
#ifdef __clang__
        @autoreleasepool {
            [keeper lend:thing];
            [keeper point:thing];
        }
#else
        NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
        [keeper lend:thing];
        [pool release];
#endif
        historyGoesOn();
        return 0;
    }
    for (int i = 0; i < 3; i++) {
        [keeper keep:thing];
        [keeper drop];
    }
    [keeper take:thing];
    historyGoesOn();
    if (argc > 1) {
        [thing release];
        [thing release];
        historyGoesOn();
    }
    return argv == NULL;
}
