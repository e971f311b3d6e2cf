/*
 * A program that stops deep in a library: a run loop calls a timer's target, which has an object on
 * its stack. To be asked about without debug information and symbols.
 *
 *    frame of -[Caller(Timers) called:]       held
 *       |                                      :
 *       v                                      v
 *    Watched                                 the same
 *
 * Near miss  +[Caller called:] has the same selector, and there is a function that is no method
 *            between it and the other.
 */
#import "watched.h"

@interface Caller : Watched
+ (void)called:(NSTimer *)timer;
@end

@interface Caller (Timers)
- (void)called:(NSTimer *)timer;
@end

Watched *held;

@implementation Caller
+ (void)called:(NSTimer *)timer {
    [timer invalidate];
}
@end

__attribute__((noinline)) static void stop_with(Watched *object) {
    Watched *mine = object;
    FIXTURE_KEEP(mine);
    loupe_fixture_ready();
    FIXTURE_KEEP(mine);
}

@implementation Caller (Timers)
- (void)called:(NSTimer *)timer {
    Watched *mine = held;
    FIXTURE_KEEP(mine);
    FIXTURE_KEEP(timer);
    stop_with(mine);
    FIXTURE_KEEP(mine);
}
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Caller *caller = [[Caller alloc] init];
    held = [[Watched alloc] init];
    [NSTimer scheduledTimerWithTimeInterval:0
                                     target:caller
                                   selector:@selector(called:)
                                   userInfo:nil
                                    repeats:NO];
    [[NSRunLoop currentRunLoop] runUntilDate:[NSDate dateWithTimeIntervalSinceNow:0.1]];
    [caller release];
    [held release];
    [pool drain];
    return watched_verdict(0);
}
