/*
 * Shows a photo a second. A repeating timer keeps its target, and the run loop keeps the timer, until
 * the timer is invalidated; it would be in -dealloc, which never comes: screen -> timer -> screen.
 */
#import "Screen.h"

@implementation SlideShowScreen {
    NSTimer *_timer;
    NSUInteger _shown;
}

- (void)didOpen {
    _timer = [NSTimer scheduledTimerWithTimeInterval:1
                                              target:self
                                            selector:@selector(showNext:)
                                            userInfo:nil
                                             repeats:YES];
    [_timer fire];
}

- (void)showNext:(NSTimer *)timer {
    _shown++;
}

- (void)dealloc {
    [_timer invalidate];
}

@end
