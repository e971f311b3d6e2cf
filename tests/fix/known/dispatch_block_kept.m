/* A queue's pending block, which submits itself again, keeps what owns the queue. */
#import "doubles.h"
#import "known.h"

@interface Poller : Counted
@property (nonatomic, strong) OS_dispatch_queue *queue;
@property (nonatomic) int polls;
- (void)poll;
@end

@implementation Poller
- (instancetype)init {
    if ((self = [super init]))
        _queue = [[OS_dispatch_queue alloc] init];
    return self;
}
- (void)poll {
    self.polls++;
    dispatch_async(self.queue, ^{
        [self poll];
    });
}
@end

void known_mistake(void) {
    Poller *poller = [[Poller alloc] init];
    [poller poll];
    [poller.queue runAll];
    assert(poller.polls == 2);
}
