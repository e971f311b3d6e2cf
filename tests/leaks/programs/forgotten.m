/*
 * A program on GNUstep with cycles of two objects that nothing leads to: Both has a retain for each
 * reference, and of each Forgotten somebody forgot another release. Then it stops itself.
 */
#import <Foundation/Foundation.h>

#include <signal.h>
#include <string.h>

#define HALF(name)                                                                                 \
    @interface name : NSObject {                                                                   \
      @public                                                                                      \
        id other;                                                                                  \
    }                                                                                              \
    @end                                                                                           \
    @implementation name                                                                           \
    -(void)dealloc {                                                                               \
        [other release];                                                                           \
        [super dealloc];                                                                           \
    }                                                                                              \
    @end
HALF(Both)
HALF(Forgotten)

static void __attribute__((noinline)) make(void) {
    Both *both = [Both new];
    both->other = [Both new];
    ((Both *)both->other)->other = both;
    Forgotten *forgotten = [Forgotten new];
    forgotten->other = [Forgotten new];
    ((Forgotten *)forgotten->other)->other = [forgotten retain];
}

/* Where the frames before stood. */
static void __attribute__((noinline)) wipe_stack(void) {
    volatile char room[1 << 16];
    memset((void *)room, 0, sizeof(room));
}

int main(void) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    make();
    [pool drain];
    wipe_stack();
    raise(SIGSTOP);
    return 0;
}
