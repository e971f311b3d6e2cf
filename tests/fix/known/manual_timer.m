/* A repeating timer of code without ARC, which nobody invalidates in time. */
#import "known.h"

@interface Pulse : Counted {
    NSTimer *timer;
    int beats;
}
- (void)beat:(NSTimer *)aTimer;
- (int)beats;
- (void)fire;
- (void)stop;
@end
@implementation Pulse
- (id)init {
    if ((self = [super init]))
        timer = [[NSTimer scheduledTimerWithTimeInterval:3600
                                                  target:self
                                                selector:@selector(beat:)
                                                userInfo:nil
                                                 repeats:YES] retain];
    return self;
}
- (void)beat:(NSTimer *)aTimer {
    assert(aTimer == timer);
    beats++;
}
- (int)beats {
    return beats;
}
- (void)fire {
    [timer fire];
}
- (void)stop {
    beats = 0;
}
- (void)dealloc {
    [timer invalidate];
    [timer release];
    [super dealloc];
}
@end

void known_mistake(void) {
    Pulse *pulse = [[Pulse alloc] init];
    [pulse fire];
    assert([pulse beats] == 1);
    [pulse stop];
    [pulse release];
}
