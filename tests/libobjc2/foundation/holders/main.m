/*
 * Timers, operations, threads, invocations, notifications and blocks, with gnustep-base and ARC on
 * libobjc2.
 *
 *     timer                                          timer_block
 *      |                                              |
 *      v                                              v
 *    Poller --_holder--> NSTimer --target--> O       Poller --> NSTimer --> block --self--> O
 *
 *    block, operation, completion, queue, token: the same, by a block in what _holder holds
 *    thread, invocation, notification: the same, by a target or object
 *
 *     guard                                          timer_guard, observer: nothing leads back
 *      |
 *      v
 *    Poller --_holder--> block - -self- -> O
 *
 * Rings      Poller._holder, what it holds, and back.
 * Near miss  guard: a weak capture. timer_guard: invalidated. observer: a center retains none.
 */
#import "watched.h"

@interface Poller : Watched {
@public
    id _holder;
}
- (void)poll:(id)argument;
@end

@implementation Poller
- (void)poll:(id)argument {
    (void)argument;
}
@end

static Poller *give(Poller *poller, id holder) {
    poller->_holder = holder;
    return poller;
}

static void (^make_block(Poller *poller))(void) {
    return ^{
        [poller poll:nil];
    };
}

static void (^make_weak_block(Poller *poller))(void) {
    __weak Poller *weak = poller;
    return ^{
        [weak poll:nil];
    };
}

static NSTimer *make_timer(Poller *poller) {
    return [NSTimer scheduledTimerWithTimeInterval:1000
                                            target:poller
                                          selector:@selector(poll:)
                                          userInfo:nil
                                           repeats:YES];
}

static NSTimer *make_timer_of_block(Poller *poller) {
    return [NSTimer scheduledTimerWithTimeInterval:1000
                                           repeats:YES
                                             block:^(NSTimer *timer) {
                                                 [poller poll:timer];
                                             }];
}

static NSTimer *make_ended_timer(Poller *poller) {
    NSTimer *timer = make_timer(poller);
    [timer invalidate];
    return timer;
}

static NSOperation *make_completion(Poller *poller) {
    NSOperation *operation = [[NSOperation alloc] init];
    operation.completionBlock = make_block(poller);
    return operation;
}

static NSOperationQueue *make_queue(Poller *poller) {
    NSOperationQueue *queue = [[NSOperationQueue alloc] init];
    queue.suspended = YES;
    [queue addOperation:[NSBlockOperation blockOperationWithBlock:make_block(poller)]];
    return queue;
}

static id make_token(Poller *poller) {
    static NSNotificationCenter *center;
    center = [[NSNotificationCenter alloc] init];
    return [center addObserverForName:@"News"
                               object:nil
                                queue:nil
                           usingBlock:^(NSNotification *notification) {
                               [poller poll:notification];
                           }];
}

static NSNotificationCenter *make_center(Poller *poller) {
    NSNotificationCenter *center = [[NSNotificationCenter alloc] init];
    [center addObserver:poller selector:@selector(poll:) name:nil object:nil];
    return center;
}

static NSInvocation *make_invocation(Poller *poller) {
    NSMethodSignature *signature = [poller methodSignatureForSelector:@selector(poll:)];
    NSInvocation *invocation = [NSInvocation invocationWithMethodSignature:signature];
    NSString *argument = @"now";
    invocation.target = poller;
    invocation.selector = @selector(poll:);
    [invocation setArgument:&argument atIndex:2];
    [invocation retainArguments];
    return invocation;
}

static NSThread *make_thread(Poller *poller) {
    return [[NSThread alloc] initWithTarget:poller selector:@selector(poll:) object:nil];
}

#define SHAPES(X)                                                                                  \
    X(block, make_block(poller))                                                                   \
    X(timer, make_timer(poller))                                                                   \
    X(timer_block, make_timer_of_block(poller))                                                    \
    X(operation, [NSBlockOperation blockOperationWithBlock:make_block(poller)])                    \
    X(completion, make_completion(poller))                                                         \
    X(queue, make_queue(poller))                                                                   \
    X(token, make_token(poller))                                                                   \
    X(thread, make_thread(poller))                                                                 \
    X(invocation, make_invocation(poller))                                                         \
    X(notification, [NSNotification notificationWithName:@"News" object:poller])                   \
    X(guard, make_weak_block(poller))                                                              \
    X(timer_guard, make_ended_timer(poller))                                                       \
    X(observer, make_center(poller))

#define DECLARE(name, make) __unsafe_unretained Poller *name;
#define MAKE(name, make)                                                                           \
    @autoreleasepool {                                                                             \
        Poller *poller = [[Poller alloc] init];                                                    \
        name = give(poller, make);                                                                 \
        [kept addObject:poller];                                                                   \
    }
#define KEEP(name, make) FIXTURE_KEEP(name);

int main(void) {
    NSMutableArray *kept = [NSMutableArray array];
    SHAPES(DECLARE)
    SHAPES(MAKE)
    SHAPES(KEEP)
    loupe_fixture_ready();
    @autoreleasepool {
        [kept removeAllObjects];
    }
    return watched_verdict(10);
}
