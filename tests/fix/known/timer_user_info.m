/* The user info of a timer holds what keeps the timer. */
#import "known.h"

@interface Helper : Counted
@property (nonatomic) int calls;
@end
@implementation Helper
- (void)tick:(NSTimer *)timer {
    assert(timer.userInfo);
    self.calls++;
}
@end

@interface Scheduler : Counted
@property (nonatomic, strong) NSTimer *timer;
@property (nonatomic, strong) Helper *helper;
- (void)start;
- (void)stop;
@end

@implementation Scheduler
- (void)start {
    self.helper = [[Helper alloc] init];
    self.timer = [NSTimer timerWithTimeInterval:60
                                         target:self.helper
                                       selector:@selector(tick:)
                                       userInfo:self
                                        repeats:YES];
}
- (void)stop {
    assert(self.helper.calls == 1);
}
@end

void known_mistake(void) {
    Scheduler *scheduler = [[Scheduler alloc] init];
    [scheduler start];
    [scheduler.timer fire];
    [scheduler stop];
}
