/*
 * A thing that is retained and released, once too often retained: -[Keeper take:] never gives it back.
 * Manual retain/release, so that each line is one event.
 */
#import <Foundation/Foundation.h>

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
@end

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
