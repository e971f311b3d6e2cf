/* A map table owns a key that owns the table. */
#import "known.h"

@interface Wheel : Counted
@property (nonatomic, strong) NSMapTable *sizes;
@end
@implementation Wheel
- (instancetype)init {
    if ((self = [super init])) {
        _sizes = [NSMapTable strongToStrongObjectsMapTable];
        [_sizes setObject:@"large" forKey:self];
    }
    return self;
}
@end

void known_mistake(void) {
    Wheel *wheel = [[Wheel alloc] init];
    assert([wheel.sizes objectForKey:wheel] != nil);
}
