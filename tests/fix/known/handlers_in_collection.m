/* A collection of handlers has blocks that capture who has the collection. */
#import "known.h"

@interface StatusBar : Counted
@property (nonatomic, strong) NSMutableArray *handlers;
@property (nonatomic) int updates;
- (void)update;
@end

@implementation StatusBar
- (instancetype)init {
    if ((self = [super init])) {
        _handlers = [[NSMutableArray alloc] init];
        [_handlers addObject:^{
            [self update];
        }];
    }
    return self;
}
- (void)update {
    self.updates++;
}
@end

void known_mistake(void) {
    StatusBar *bar = [[StatusBar alloc] init];
    for (void (^handler)(void) in bar.handlers)
        handler();
    assert(bar.updates == 1);
}
