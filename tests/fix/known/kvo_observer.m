/* The block of an observation captures what owns the observation. */
#import "doubles.h"
#import "known.h"

@interface Gauge : Counted
@property (nonatomic, strong) NSKeyValueObservation *observation;
@property (nonatomic, strong) id value;
- (void)watch;
@end

@implementation Gauge
- (void)watch {
    self.observation = [NSKeyValueObservation observe:^(id change) {
        self.value = change;
    }];
}
- (void)dealloc {
    [_observation invalidate];
}
@end

void known_mistake(void) {
    Gauge *gauge = [[Gauge alloc] init];
    [gauge watch];
    [gauge.observation change:@"7"];
    assert(gauge.value != nil);
}
