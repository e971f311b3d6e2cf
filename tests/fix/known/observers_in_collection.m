/* A collection of observers keeps them. */
#import "known.h"

@interface Store : Counted
@property (nonatomic, strong) NSMutableArray *observers;
- (void)addObserver:(id)observer;
- (void)removeObserver:(id)observer;
- (void)change;
@end

@interface Basket : Counted
@property (nonatomic, strong) Store *store;
@property (nonatomic) int changes;
- (void)storeDidChange;
@end

@implementation Store
- (instancetype)init {
    if ((self = [super init]))
        _observers = [[NSMutableArray alloc] init];
    return self;
}
- (void)addObserver:(id)observer {
    [self.observers addObject:observer];
}
- (void)removeObserver:(id)observer {
    [self.observers removeObject:observer];
}
- (void)change {
    for (Basket *observer in self.observers)
        [observer storeDidChange];
}
@end

@implementation Basket
- (instancetype)init {
    if ((self = [super init])) {
        _store = [[Store alloc] init];
        [_store addObserver:self];
    }
    return self;
}
- (void)storeDidChange {
    self.changes++;
}
- (void)dealloc {
    [_store removeObserver:self];
}
@end

void known_mistake(void) {
    Basket *basket = [[Basket alloc] init];
    [basket.store change];
    assert(basket.changes == 1);
}
