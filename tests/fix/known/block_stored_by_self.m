/* A block that its owner stores captures the owner, by an ivar that it names too. */
#import "known.h"

@interface Screen : Counted
@property (nonatomic, copy) void (^handler)(void);
@property (nonatomic) int reloads;
- (void)listen;
@end

@implementation Screen {
    int _events;
}
- (void)listen {
    self.handler = ^{
        _events++;
        self.reloads = _events;
    };
}
@end

void known_mistake(void) {
    Screen *screen = [[Screen alloc] init];
    [screen listen];
    screen.handler();
    screen.handler();
    assert(screen.reloads == 2);
}
