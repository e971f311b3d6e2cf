/* A proxy between a timer and its target keeps the target. */
#import "known.h"

@interface PollProxy : Counted
@property (nonatomic, strong) id target;
- (void)tick;
@end
@interface Polled : Counted
@property (nonatomic, strong) PollProxy *proxy;
@property (nonatomic) int ticks;
- (void)tick;
@end

@implementation PollProxy
- (void)tick {
    [self.target tick];
}
@end
@implementation Polled
- (void)tick {
    self.ticks++;
}
@end

void known_mistake(void) {
    Polled *polled = [[Polled alloc] init];
    polled.proxy = [[PollProxy alloc] init];
    polled.proxy.target = polled;
    [polled.proxy tick];
    assert(polled.ticks == 1);
}
