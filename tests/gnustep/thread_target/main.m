/*
 * A thread retains its target and its argument until it is freed, started or not.
 *
 *     seed                                        argument: the same by the thread's argument, its
 *      :                                                    target is a class
 *      v
 *    Worker ==_thread==> NSThread --target--> O
 *
 *     guard
 *      |
 *      v
 *    Worker ==_thread==> NSThread --target--> class Worker
 *
 * Rings      Worker._thread, the thread's target or argument.
 * Near miss  guard: neither leads back.
 */
#import "watched.h"

@interface Worker : Watched {
@public
    NSThread *_thread;
}
- (void)work:(id)argument;
+ (void)work:(id)argument;
@end

@implementation Worker
- (void)work:(id)argument {
    (void)argument;
}
+ (void)work:(id)argument {
    (void)argument;
}
- (void)dealloc {
    [_thread release];
    [super dealloc];
}
@end

static NSThread *make_thread(id target, id argument) {
    return [[NSThread alloc] initWithTarget:target selector:@selector(work:) object:argument];
}

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Worker *seed = [[Worker alloc] init], *argument = [[Worker alloc] init];
    Worker *guard = [[Worker alloc] init];
    seed->_thread = make_thread(seed, nil);
    argument->_thread = make_thread([Worker class], argument);
    guard->_thread = make_thread([Worker class], @"no worker");
    [pool drain];
    [seed release];
    [argument release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(argument);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    return watched_verdict(2);
}
