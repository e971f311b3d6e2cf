/*
 * NSTimer.h - timers and the least of a run loop.
 *
 * The run loop retains a timer until it is invalidated; a timer retains its target and user info,
 * or its block, until then. Time is the monotonic clock.
 */
#ifndef LOUPE_TEST_FOUNDATION_NSTIMER_H
#define LOUPE_TEST_FOUNDATION_NSTIMER_H

#import <Foundation/NSString.h>

typedef NSString *NSRunLoopMode;
FOUNDATION_EXPORT NSRunLoopMode const NSDefaultRunLoopMode;
FOUNDATION_EXPORT NSRunLoopMode const NSRunLoopCommonModes;

@interface NSTimer : NSObject
/* The timerWith... methods make a timer that no run loop holds yet. */
+ (NSTimer *)timerWithTimeInterval:(NSTimeInterval)interval
                            target:(id)target
                          selector:(SEL)selector
                          userInfo:(id)userInfo
                           repeats:(BOOL)repeats;
+ (NSTimer *)timerWithTimeInterval:(NSTimeInterval)interval
                           repeats:(BOOL)repeats
                             block:(void (^)(NSTimer *timer))block;
+ (NSTimer *)scheduledTimerWithTimeInterval:(NSTimeInterval)interval
                                     target:(id)target
                                   selector:(SEL)selector
                                   userInfo:(id)userInfo
                                    repeats:(BOOL)repeats;
+ (NSTimer *)scheduledTimerWithTimeInterval:(NSTimeInterval)interval
                                    repeats:(BOOL)repeats
                                      block:(void (^)(NSTimer *timer))block;
- (void)fire;
- (void)invalidate;
@property(readonly, getter=isValid) BOOL valid;
@property(readonly) NSTimeInterval timeInterval;
@property(readonly, retain) id userInfo;
@end

@interface NSRunLoop : NSObject
@property(class, readonly, strong) NSRunLoop *currentRunLoop;
@property(class, readonly, strong) NSRunLoop *mainRunLoop;
/* The mode is not looked at. */
- (void)addTimer:(NSTimer *)timer forMode:(NSRunLoopMode)mode;
/* Fires every timer that is due now, once, without waiting; answers how many fired. */
- (NSUInteger)fireDueTimers;
@end

#endif
