/*
 * Operations: what they invoke, what they wait for, and the queue that holds them.
 *
 *     seed                                                       argument: the same, by the first
 *      :                                                                   argument of the call
 *      v
 *    Import ==_operation==> NSInvocationOperation --> invocation --target--> O
 *
 *     queued
 *      :
 *      v
 *    Import ==_queue==> NSOperationQueue --> its state --> array --[0]--> NSInvocationOperation
 *                                                             --> invocation --target--> O
 *
 *     first
 *      |
 *      v
 *    NSOperation --> its state --> dependencies --[0]--> NSOperation --> its state --> ... --> O
 *
 *     guard                                                      lone
 *      |                                                          |
 *      v                                                          v
 *    Import ==_operation==> NSInvocationOperation --> ... class  NSOperation --> ... NSOperation
 *
 * Rings      first: certain, gnustep-base is known to retain all of it. The others by the ivar of
 *            the Import.
 * Near miss  guard: the target is a class. lone: it waits for an operation that waits for none.
 */
#import "watched.h"

@interface Import : Watched {
@public
    NSInvocationOperation *_operation;
    NSOperationQueue *_queue;
}
- (void)import:(id)what;
+ (void)import:(id)what;
@end

@implementation Import
- (void)import:(id)what {
    (void)what;
}
+ (void)import:(id)what {
    (void)what;
}
- (void)dealloc {
    [_operation release];
    [_queue release];
    [super dealloc];
}
@end

static NSInvocationOperation *make_operation(id target, id argument) {
    return [[NSInvocationOperation alloc] initWithTarget:target
                                                selector:@selector(import:)
                                                  object:argument];
}

static NSOperationQueue *make_queue(Import *target) {
    NSOperationQueue *queue = [[NSOperationQueue alloc] init];
    NSInvocationOperation *operation = make_operation(target, @"later");
    [queue setSuspended:YES];
    [queue addOperation:operation];
    [operation release];
    return queue;
}

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Import *seed = [[Import alloc] init], *argument = [[Import alloc] init];
    Import *queued = [[Import alloc] init], *guard = [[Import alloc] init];
    NSOperation *first = [[NSOperation alloc] init], *second = [[NSOperation alloc] init];
    NSOperation *lone = [[NSOperation alloc] init], *other = [[NSOperation alloc] init];
    seed->_operation = make_operation(seed, @"all");
    argument->_operation = make_operation([Import class], argument);
    queued->_queue = make_queue(queued);
    guard->_operation = make_operation([Import class], @"all");
    [first addDependency:second];
    [second addDependency:first];
    [lone addDependency:other];
    [other release];
    [pool drain];
    [seed release];
    [argument release];
    [queued release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(argument);
    FIXTURE_KEEP(queued);
    FIXTURE_KEEP(first);
    FIXTURE_KEEP(guard);
    FIXTURE_KEEP(lone);
    loupe_fixture_ready();
    [guard release];
    return watched_verdict(3);
}
