/*
 * Blocks that leak, written in two places and alike in all that they capture: three of one, two of the
 * other; and as many retain cycles through such blocks, in one ivar. Says "ready" and waits until its
 * input goes on.
 */
#import <Foundation/Foundation.h>

#include <stdio.h>

@interface Screen : NSObject
- (void)show;
@end
@implementation Screen
- (void)show {
}
@end

typedef void (^Handler)(void);

__attribute__((noinline)) static Handler one_handler(Screen *screen) {
    return [^{ /* one */
        [screen show];
    } copy];
}

__attribute__((noinline)) static Handler other_handler(Screen *screen) {
    return [^{ /* other */
        [screen show];
    } copy];
}

@interface Gallery : NSObject {
  @public
    Handler handler;
}
- (void)show;
@end
@implementation Gallery
- (void)show {
}
@end

__attribute__((noinline)) static void one_ring(void) {
    Gallery *gallery = [[Gallery alloc] init];
    gallery->handler = [^{ /* one ring */
        [gallery show];
    } copy];
    [gallery release];
}

__attribute__((noinline)) static void other_ring(void) {
    Gallery *gallery = [[Gallery alloc] init];
    gallery->handler = [^{ /* other ring */
        [gallery show];
    } copy];
    [gallery release];
}

/* Where words of what made them may be. */
__attribute__((noinline)) static void scrub(void) {
    volatile char room[1 << 16];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

__attribute__((noinline)) static void leak(void) {
    for (unsigned i = 0; i < 3; i++) {
        Screen *screen = [[Screen alloc] init];
        one_handler(screen);
        [screen release];
        one_ring();
    }
    for (unsigned i = 0; i < 2; i++) {
        Screen *screen = [[Screen alloc] init];
        other_handler(screen);
        [screen release];
        other_ring();
    }
}

int main(void) {
    leak();
    scrub();
    puts("ready");
    fflush(stdout);
    getchar();
    return 0;
}
