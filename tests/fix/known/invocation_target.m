/* An invocation that retains its arguments keeps its target, which owns it. */
#import "known.h"

@interface Command : Counted {
    NSInvocation *later;
    int runs;
}
- (void)run;
- (int)runs;
- (void)invoke;
- (void)cancel;
@end
@implementation Command
- (id)init {
    if ((self = [super init])) {
        later = [[NSInvocation
            invocationWithMethodSignature:[self methodSignatureForSelector:@selector(run)]] retain];
        [later setTarget:self];
        [later setSelector:@selector(run)];
        [later retainArguments];
    }
    return self;
}
- (void)run {
    runs++;
}
- (int)runs {
    return runs;
}
- (void)invoke {
    [later invoke];
}
- (void)cancel {
    runs = 0;
}
- (void)dealloc {
    [later release];
    [super dealloc];
}
@end

void known_mistake(void) {
    Command *command = [[Command alloc] init];
    [command invoke];
    assert([command runs] == 1);
    [command cancel];
    [command release];
}
