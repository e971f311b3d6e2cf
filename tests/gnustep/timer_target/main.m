/*
 * A timer retains its target and its user info until it is invalidated, the run loop the timer.
 *
 *    run loop              seed
 *       |                    :
 *       v                    v
 *    NSTimer --target--> Poller ==_timer==> NSTimer, the same
 *
 *    upload: the same by way of the timer's user info, its target is a class
 *    guard: the same as seed, after -invalidate
 *
 * Rings      Poller._timer, the timer's target or user info.
 * Near miss  guard: an invalidated timer has let go of its target.
 */
#import "watched.h"

@interface Poller : Watched {
@public
    NSTimer *_timer;
}
- (void)poll:(NSTimer *)timer;
+ (void)poll:(NSTimer *)timer;
@end

@implementation Poller
- (void)poll:(NSTimer *)timer {
    (void)timer;
}
+ (void)poll:(NSTimer *)timer {
    (void)timer;
}
- (void)dealloc {
    [_timer release];
    [super dealloc];
}
@end

static NSTimer *make_timer(id target, id user_info) {
    return [[NSTimer scheduledTimerWithTimeInterval:1000
                                             target:target
                                           selector:@selector(poll:)
                                           userInfo:user_info
                                            repeats:YES] retain];
}

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Poller *seed = [[Poller alloc] init], *upload = [[Poller alloc] init];
    Poller *guard = [[Poller alloc] init];
    seed->_timer = make_timer(seed, @"seed");
    upload->_timer = make_timer([Poller class], upload);
    guard->_timer = make_timer(guard, nil);
    [guard->_timer invalidate];
    [pool drain];
    [seed release];
    [upload release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(upload);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    return watched_verdict(2);
}
