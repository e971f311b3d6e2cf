/* A display link keeps its target. */
#import "doubles.h"
#import "known.h"

@interface ClockFace : Counted
@property (nonatomic, strong) CADisplayLink *link;
@property (nonatomic) int steps;
- (void)step;
- (void)viewDidDisappear:(BOOL)animated;
@end

@implementation ClockFace
- (instancetype)init {
    if ((self = [super init]))
        _link = [CADisplayLink displayLinkWithTarget:self selector:@selector(step)];
    return self;
}
- (void)step {
    self.steps++;
}
- (void)viewDidDisappear:(BOOL)animated {
    assert(animated);
}
- (void)dealloc {
    [_link invalidate];
}
@end

void known_mistake(void) {
    ClockFace *clock = [[ClockFace alloc] init];
    [clock.link fire];
    assert(clock.steps == 1);
    [clock viewDidDisappear:YES];
}
