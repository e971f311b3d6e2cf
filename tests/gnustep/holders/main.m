/*
 * Who holds an object that no ring holds: what gnustep-base keeps outside of ivars.
 *
 *    thread --_runLoopInfo--> loop --> ... --> NSTimer --target--> timed
 *                              |
 *                              +--_timedPerformers--> GSTimedPerformer --target--> delayed
 *                                                                      --argument--> argument
 *    thread --current_pool--> NSAutoreleasePool --[0]--> pooled
 *    center --observers--> GSNotificationObserver, which is `token`
 *    center - -observers- -> observing, which nobody holds
 *    array --[0]--> shared, which counts one retain more than there are owners
 *    array, array - -> taken, which counts one retain fewer
 *    array, array --[2], [1]--> single, whose class has a -release that does nothing
 *    rule - -_view- -> what was there and is freed
 *
 * Rings      none.
 */
#import "watched.h"

@interface Listener : Watched
- (void)hear:(id)anything;
@end

@implementation Listener
- (void)hear:(id)anything {
    (void)anything;
}
@end

@interface Single : Watched
@end

@implementation Single
- (id)retain {
    return self;
}
- (oneway void)release {
}
@end

@interface Keeper : Watched {
@public
    id _view;
}
@end

@implementation Keeper
@end

/* Not retained, and without a variable that leads to it. */
static uintptr_t hidden(id object) {
    return ~(uintptr_t)object;
}

static uintptr_t timed, delayed, argument, pooled, token, observing, shared, taken, single;
static NSMutableArray *first, *second;

static __attribute__((noinline)) void build(void) {
    Listener *listener = [[Listener alloc] init];
    [NSTimer scheduledTimerWithTimeInterval:1000
                                     target:listener
                                   selector:@selector(hear:)
                                   userInfo:nil
                                    repeats:YES];
    timed = hidden(listener);
    [listener release];

    listener = [[Listener alloc] init];
    Watched *waiting = [[Watched alloc] init];
    [listener performSelector:@selector(hear:) withObject:waiting afterDelay:1000];
    delayed = hidden(listener);
    argument = hidden(waiting);
    [listener release];
    [waiting release];

    pooled = hidden([[[Watched alloc] init] autorelease]);

    NSNotificationCenter *center = [NSNotificationCenter defaultCenter];
    token = hidden([center addObserverForName:@"News" object:nil queue:nil usingBlock:(void *)@"no block"]);
    listener = [[Listener alloc] init];
    [center addObserver:listener selector:@selector(hear:) name:@"News" object:nil];
    observing = hidden(listener);

    Watched *element = [[Watched alloc] init];
    first = [[NSMutableArray alloc] initWithObjects:element, nil];
    shared = hidden(element);

    element = [[Watched alloc] init];
    [first addObject:element];
    second = [[NSMutableArray alloc] initWithObjects:element, nil];
    [element release];
    [element release];
    taken = hidden(element);

    element = [[Single alloc] init];
    [first addObject:element];
    [second addObject:element];
    single = hidden(element);
}

/* Where stale words of build() stood. */
static __attribute__((noinline)) void wipe(void) {
    volatile char used[16384];
    for (unsigned i = 0; i < sizeof(used); i++)
        used[i] = 0;
}

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    id seed = [[Watched alloc] init];
    build();
    wipe();
    Keeper *rule = [[Keeper alloc] init];
    rule->_view = [[Watched alloc] init];
    [rule->_view release];
    FIXTURE_KEEP(rule);
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(pool);
    loupe_fixture_ready();
    return 0;
}
