/*
 * An invocation retains its target and the arguments that are objects only when it was told to.
 *
 *     seed                                                   guard: the same, not told to
 *      :                                                       |
 *      v                                                       v
 *    Command ==_undo==> GSFFIInvocation --target--> O         Command ==_undo==> ... - -> O
 *
 *    argument: the same by its third argument, behind a number and a string, its target is a class
 *    borrowed: the same as argument, not told to
 *
 * Rings      Command._undo, the invocation's target or argument.
 * Near miss  guard, borrowed.
 */
#import "watched.h"

@interface Command : Watched {
@public
    NSInvocation *_undo;
}
- (void)run;
+ (void)scale:(double)factor name:(NSString *)name of:(id)command;
@end

@implementation Command
- (void)run {
}
+ (void)scale:(double)factor name:(NSString *)name of:(id)command {
    (void)factor;
    (void)name;
    (void)command;
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

static NSInvocation *make_call(Command *command) {
    SEL selector = @selector(scale:name:of:);
    NSInvocation *invocation =
        [NSInvocation invocationWithMethodSignature:[Command methodSignatureForSelector:selector]];
    double factor = 2;
    NSString *name = @"twice";
    [invocation setTarget:[Command class]];
    [invocation setSelector:selector];
    [invocation setArgument:&factor atIndex:2];
    [invocation setArgument:&name atIndex:3];
    [invocation setArgument:&command atIndex:4];
    return [invocation retain];
}

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Command *seed = [[Command alloc] init], *guard = [[Command alloc] init];
    Command *argument = [[Command alloc] init], *borrowed = [[Command alloc] init];
    argument->_undo = make_call(argument);
    [argument->_undo retainArguments];
    borrowed->_undo = make_call(borrowed);
    seed->_undo = make_invocation(seed);
    [seed->_undo retainArguments];
    guard->_undo = make_invocation(guard);
    [pool drain];
    [seed release];
    [argument release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(argument);
    FIXTURE_KEEP(borrowed);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    [borrowed release];
    return watched_verdict(2);
}
