/* A repeating timer keeps its target, which waits for -dealloc to invalidate it. */
#import "known.h"

@interface Ticker : Counted
@property (nonatomic, strong) NSTimer *timer;
@property (nonatomic) int ticks;
- (void)start;
- (void)stop;
@end

@implementation Ticker
- (void)start {
    self.timer = [NSTimer timerWithTimeInterval:60
                                         target:self
                                       selector:@selector(tick:)
                                       userInfo:nil
                                        repeats:YES];
}
- (void)stop {
    assert(self.ticks);
}
- (void)tick:(NSTimer *)timer {
    assert(timer == self.timer);
    self.ticks++;
}
- (void)dealloc {
    [_timer invalidate];
}
@end

void known_mistake(void) {
    Ticker *ticker = [[Ticker alloc] init];
    [ticker start];
    [ticker.timer fire];
    assert(ticker.ticks == 1);
    [ticker stop];
}
