/*
 * NSTimer.m - timers, which are CoreFoundation objects, and the least of a run loop.
 *
 * The layout is that of struct __CFRunLoopTimer (CFRunLoop.c, CF-1153) on a Mac. The info of a
 * target timer's context is a piece of heap that Foundation makes, as FBRetainCycleDetector found
 * it. The info of a block timer's context is the block, as CFRunLoopTimerCreateWithHandler has it.
 */
#import <Foundation/NSTimer.h>
#import "CFBase.h"

#include <stdlib.h>
#include <time.h>

NSRunLoopMode const NSDefaultRunLoopMode = @"kCFRunLoopDefaultMode";
NSRunLoopMode const NSRunLoopCommonModes = @"kCFRunLoopCommonModes";

#define DARWIN_MUTEX_SIZE 64

struct timer_info {
    long one;
    id target;
    SEL selector;
    id userInfo;
};

struct cf_timer {
    struct cf_base base;
    uint16_t bits;
    _Alignas(8) char lock[DARWIN_MUTEX_SIZE];
    void *runLoop;
    void *modes;
    double nextFireDate;
    double interval;
    double tolerance;
    uint64_t fireTSR;
    long order;
    void (*callout)(id timer, void *info);
    struct {
        long version;
        void *info;
        const void *(*retain)(const void *info);
        void (*release)(const void *info);
        void *copyDescription;
    } context;
};

_Static_assert(offsetof(struct cf_timer, lock) == 24, "__CFRunLoopTimer");
_Static_assert(offsetof(struct cf_timer, runLoop) == 88, "__CFRunLoopTimer");
_Static_assert(offsetof(struct cf_timer, callout) == 144, "__CFRunLoopTimer");
_Static_assert(offsetof(struct cf_timer, context.info) == 160, "__CFRunLoopTimer");
_Static_assert(offsetof(struct cf_timer, context.retain) == 168, "__CFRunLoopTimer");
_Static_assert(sizeof(struct cf_timer) == 192, "__CFRunLoopTimer");

enum {
    TIMER_FIRING = 1 << 0,    /* of the base's information */
    TIMER_VALID = 1 << 3,     /* as in __CFIsValid */
    TIMER_TYPE = 0x26 << 8,   /* the type ID, which varies from system to system */
};

@interface __NSCFTimer : NSTimer
@end

static struct cf_timer *timer_of(id object) {
    return (struct cf_timer *)object;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- the two kinds of context --------------------------------------------------------------- */

static const void *info_retain(const void *info) {
    return info;
}

static void info_release(const void *argument) {
    struct timer_info *info = (struct timer_info *)argument;
    [info->target release];
    [info->userInfo release];
    free(info);
}

static void call_target(id timer, void *argument) {
    struct timer_info *info = argument;
    ((void (*)(id, SEL, id))objc_msgSend)(info->target, info->selector, timer);
}

static const void *block_retain(const void *block) {
    return _Block_copy(block);
}

static void call_block(id timer, void *argument) {
    void (^block)(NSTimer *) = argument;
    block(timer);
}

static struct cf_timer *create_timer(NSTimeInterval interval, BOOL repeats) {
    struct cf_timer *timer = timer_of(
        cf_create([__NSCFTimer class], sizeof(struct cf_timer), TIMER_TYPE | TIMER_VALID));
    timer->interval = repeats ? interval : 0;
    timer->nextFireDate = now() + interval;
    return timer;
}

static NSTimer *create_target_timer(NSTimeInterval interval, id target, SEL selector, id userInfo,
                                    BOOL repeats) {
    struct timer_info *info = calloc(1, sizeof *info);
    if (!info)
        abort();
    *info = (struct timer_info){1, [target retain], selector, [userInfo retain]};
    struct cf_timer *timer = create_timer(interval, repeats);
    timer->callout = call_target;
    timer->context.info = info;
    timer->context.retain = info_retain;
    timer->context.release = info_release;
    return (NSTimer *)timer;
}

static NSTimer *create_block_timer(NSTimeInterval interval, BOOL repeats,
                                   void (^block)(NSTimer *)) {
    struct cf_timer *timer = create_timer(interval, repeats);
    timer->callout = call_block;
    timer->context.info = (void *)block_retain(block);
    timer->context.retain = block_retain;
    timer->context.release = _Block_release;
    return (NSTimer *)timer;
}

static NSTimer *scheduled(NSTimer *timer) {
    [[NSRunLoop currentRunLoop] addTimer:timer forMode:NSDefaultRunLoopMode];
    return [timer autorelease];
}

@implementation NSTimer

+ (NSTimer *)timerWithTimeInterval:(NSTimeInterval)interval
                            target:(id)target
                          selector:(SEL)selector
                          userInfo:(id)userInfo
                           repeats:(BOOL)repeats {
    return [create_target_timer(interval, target, selector, userInfo, repeats) autorelease];
}

+ (NSTimer *)timerWithTimeInterval:(NSTimeInterval)interval
                           repeats:(BOOL)repeats
                             block:(void (^)(NSTimer *))block {
    return [create_block_timer(interval, repeats, block) autorelease];
}

+ (NSTimer *)scheduledTimerWithTimeInterval:(NSTimeInterval)interval
                                     target:(id)target
                                   selector:(SEL)selector
                                   userInfo:(id)userInfo
                                    repeats:(BOOL)repeats {
    return scheduled(create_target_timer(interval, target, selector, userInfo, repeats));
}

+ (NSTimer *)scheduledTimerWithTimeInterval:(NSTimeInterval)interval
                                    repeats:(BOOL)repeats
                                      block:(void (^)(NSTimer *))block {
    return scheduled(create_block_timer(interval, repeats, block));
}

- (void)fire {
}

- (void)invalidate {
}

- (BOOL)isValid {
    return NO;
}

- (NSTimeInterval)timeInterval {
    return 0;
}

- (id)userInfo {
    return nil;
}

@end

@interface NSRunLoop ()
- (void)removeTimer:(NSTimer *)timer;
@end

@implementation __NSCFTimer

CF_REFERENCE_COUNTING

- (void)dealloc {
    [self invalidate];
    [super dealloc];
}

- (void)fire {
    struct cf_timer *timer = timer_of(self);
    if (!(timer->base.info & TIMER_VALID))
        return;
    [self retain];
    timer->base.info |= TIMER_FIRING;
    timer->callout(self, timer->context.info);
    timer->base.info &= ~(uint32_t)TIMER_FIRING;
    if (timer->interval > 0)
        timer->nextFireDate += timer->interval;
    else
        [self invalidate];
    [self release];
}

- (void)invalidate {
    struct cf_timer *timer = timer_of(self);
    if (!(timer->base.info & TIMER_VALID))
        return;
    timer->base.info &= ~(uint32_t)TIMER_VALID;
    void *info = timer->context.info;
    timer->context.info = NULL;
    NSRunLoop *loop = timer->runLoop;
    timer->runLoop = NULL;
    timer->context.release(info);
    [loop removeTimer:self];
}

- (BOOL)isValid {
    return (timer_of(self)->base.info & TIMER_VALID) != 0;
}

- (NSTimeInterval)timeInterval {
    return timer_of(self)->interval;
}

- (id)userInfo {
    struct cf_timer *timer = timer_of(self);
    struct timer_info *info = timer->callout == call_target ? timer->context.info : NULL;
    return info ? info->userInfo : nil;
}

@end

/* One run loop for all threads: it only serves to hold timers and to fire them on demand. */
@implementation NSRunLoop {
    NSTimer **_timers;
    NSUInteger _count;
}

+ (NSRunLoop *)mainRunLoop {
    static NSRunLoop *loop;
    if (!loop)
        loop = [[self alloc] init];
    return loop;
}

+ (NSRunLoop *)currentRunLoop {
    return [self mainRunLoop];
}

- (void)addTimer:(NSTimer *)timer forMode:(NSRunLoopMode)mode {
    if (![timer isValid] || timer_of(timer)->runLoop)
        return;
    _timers = realloc(_timers, (_count + 1) * sizeof *_timers);
    if (!_timers)
        abort();
    _timers[_count++] = [timer retain];
    timer_of(timer)->runLoop = self;
}

- (void)removeTimer:(NSTimer *)timer {
    NSUInteger index = 0;
    while (index < _count && _timers[index] != timer)
        index++;
    if (index == _count)
        return;
    _count--;
    for (; index < _count; index++)
        _timers[index] = _timers[index + 1];
    [timer release];
}

- (NSUInteger)fireDueTimers {
    double time = now();
    NSArray *timers = [[NSArray alloc] initWithObjects:_timers count:_count];
    NSUInteger fired = 0;
    for (NSTimer *timer in timers) {
        if ([timer isValid] && timer_of(timer)->nextFireDate <= time) {
            [timer fire];
            fired++;
        }
    }
    [timers release];
    return fired;
}

@end
