/* An animation keeps its delegate. */
#import "doubles.h"
#import "known.h"

@interface Spinner : Counted
@property (nonatomic, strong) CAAnimation *spin;
@property (nonatomic) BOOL isRunning;
- (void)start;
- (void)stop;
@end

@implementation Spinner
- (void)start {
    self.spin = [[CAAnimation alloc] init];
    self.spin.delegate = self;
    self.isRunning = YES;
}
- (void)stop {
    self.isRunning = NO;
}
@end

void known_mistake(void) {
    Spinner *spinner = [[Spinner alloc] init];
    [spinner start];
    assert(spinner.spin.delegate == spinner);
    [spinner stop];
    assert(!spinner.isRunning);
}
