/* Objects for questions to a process and to cores of it: a ring that leaked, one object that a
 * global holds, and threads. Prints the address of the ring and waits for the end of its input. */
#import <Foundation/Foundation.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

@interface Node : NSObject {
  @public
    Node *_next;
    void (^_handler)(void);
}
@end
@implementation Node
@end

static Node *held;

static void *wait_long(void *ctx) {
    sleep(1000);
    return ctx;
}

static __attribute__((noinline)) void *make_ring(void) {
    Node *first = [Node new], *second = [Node new];
    first->_next = second;
    second->_handler = ^{ (void)first; };
    return (__bridge void *)first;
}

@interface Payload : NSObject
@end
@implementation Payload
@end

static void (^on_done)(void);

static __attribute__((noinline)) void hold_by_block(void) {
    Payload *payload = [Payload new];
    on_done = ^{ (void)payload; };
}

/* So that no stale word on the stack keeps the ring. */
static __attribute__((noinline)) void overwrite_stack(void) {
    volatile char room[16384];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

extern void **word_of_a_gigabyte(void); /* never_written.c */

/* The last word of half a gigabyte in large blocks, each byte of which was written to. */
static void **last_of_large_blocks(void) {
    enum { BLOCKS = 8, SIZE = 64 << 20 };
    static char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(SIZE);
        memset(blocks[i], 'x', SIZE);
    }
    return (void **)(void *)(blocks[BLOCKS - 1] + SIZE) - 1;
}

/* With a word there is no ring, but an object that one word of much memory holds: of memory that
 * else nobody wrote to, or "large" blocks. */
int main(int argc, char **argv) {
    pthread_t thread;
    char byte;
    held = [Node new];
    hold_by_block();
    if (argc == 1)
        printf("ring %p\n", make_ring());
    else
        *(strcmp(argv[1], "large") ? word_of_a_gigabyte() : last_of_large_blocks()) =
            (__bridge_retained void *)[Payload new];
    fflush(stdout);
    overwrite_stack();
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, wait_long, NULL);
    puts("ready");
    fflush(stdout);
    return read(0, &byte, 1) == 1;
}
