/*
 * Runs one known mistake, and says how many objects are left of it.
 *
 * usage: PROGRAM         ends with 1 if some are
 *        PROGRAM WAIT    the same, and waits before that until its input ends
 */
#import "known.h"

#include <stdio.h>
#include <string.h>

static int alive;

@implementation Counted
- (id)init {
    if ((self = [super init]))
        alive++;
    return self;
}
- (void)dealloc {
    alive--;
    [super dealloc];
}
@end

/* What the mistake has left on the stack leads nowhere any more. */
static void forget(void) {
    volatile char stack[16384];
    for (unsigned i = 0; i < sizeof(stack); i++)
        stack[i] = 0;
}

int main(int argc, char **argv) {
#ifdef __clang__
    @autoreleasepool {
        known_mistake();
    }
#else
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    known_mistake();
    [pool release];
#endif
    forget();
    printf("%d\n", alive);
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "WAIT") == 0)
        getchar();
    return alive != 0;
}
