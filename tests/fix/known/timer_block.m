/* The block of a timer captures what the timer belongs to. */
#import "known.h"

@interface Stopwatch : Counted
@property (nonatomic, strong) NSTimer *timer;
@property (nonatomic) int ticks;
- (void)start;
@end

@implementation Stopwatch
- (void)start {
    self.timer = [NSTimer timerWithTimeInterval:60
                                        repeats:YES
                                          block:^(NSTimer *timer) {
                                              (void)timer;
                                              self.ticks++;
                                          }];
}
- (void)dealloc {
    [_timer invalidate];
}
@end

void known_mistake(void) {
    Stopwatch *watch = [[Stopwatch alloc] init];
    [watch start];
    [watch.timer fire];
    assert(watch.ticks == 1);
}
