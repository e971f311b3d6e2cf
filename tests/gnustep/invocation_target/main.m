/*
 * An invocation retains its target only when it was told to retain its arguments.
 *
 *     seed                                                   guard: the same, not told to
 *      :                                                       |
 *      v                                                       v
 *    Command ==_undo==> GSFFIInvocation --target--> O         Command ==_undo==> ... - -> O
 *
 * Ring       Command._undo, the invocation's target.
 * Near miss  guard.
 */
#import "watched.h"

@interface Command : Watched {
@public
    NSInvocation *_undo;
}
- (void)run;
@end

@implementation Command
- (void)run {
}
- (void)dealloc {
    [_undo release];
    [super dealloc];
}
@end

static NSInvocation *make_invocation(Command *command) {
    NSMethodSignature *signature = [command methodSignatureForSelector:@selector(run)];
    NSInvocation *invocation = [NSInvocation invocationWithMethodSignature:signature];
    [invocation setTarget:command];
    [invocation setSelector:@selector(run)];
    return [invocation retain];
}

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Command *seed = [[Command alloc] init], *guard = [[Command alloc] init];
    seed->_undo = make_invocation(seed);
    [seed->_undo retainArguments];
    guard->_undo = make_invocation(guard);
    [pool drain];
    [seed release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    return watched_verdict(1);
}
