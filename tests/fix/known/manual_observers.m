/* Observers in a collection that keeps them, of what they own: code without ARC. */
#import "known.h"

@interface Wire : Counted {
    NSMutableArray *observers;
}
- (void)addObserver:(id)observer;
- (void)removeObserver:(id)observer;
- (NSUInteger)told;
@end
@implementation Wire
- (id)init {
    if ((self = [super init]))
        observers = [[NSMutableArray alloc] init];
    return self;
}
- (void)addObserver:(id)observer {
    [observers addObject:observer];
}
- (void)removeObserver:(id)observer {
    [observers removeObject:observer];
}
- (NSUInteger)told {
    return [observers count];
}
- (void)dealloc {
    [observers release];
    [super dealloc];
}
@end

@interface WireDesk : Counted {
    Wire *wire;
    BOOL isOpen;
}
- (NSUInteger)told;
- (void)close;
@end
@implementation WireDesk
- (id)init {
    if ((self = [super init])) {
        wire = [[Wire alloc] init];
        [wire addObserver:self];
        isOpen = YES;
    }
    return self;
}
- (NSUInteger)told {
    return [wire told];
}
- (void)close {
    isOpen = NO;
}
- (void)dealloc {
    [wire removeObserver:self];
    [wire release];
    [super dealloc];
}
@end

void known_mistake(void) {
    WireDesk *desk = [[WireDesk alloc] init];
    assert([desk told] == 1);
    [desk close];
    [desk release];
}
