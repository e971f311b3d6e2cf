/*
 * A program that asks the helper about its own whole heap, with other threads: one computes, one
 * keeps an object in nothing but a register. The answer has to be whole, and everybody has to go on.
 */
#import <Foundation/Foundation.h>

#include "loupe_helper.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

@interface Link : NSObject
@property(nonatomic, strong) Link *next;
@end
@implementation Link
@end

@interface Lost : Link
@end
@implementation Lost
@end

@interface InRegister : Link
@end
@implementation InRegister
@end

@interface InFreedBlock : Link
@end
@implementation InFreedBlock
@end

@interface InFreedLargeBlock : Link
@end
@implementation InFreedLargeBlock
@end

static int failures;

static void check(bool holds, const char *what, const char *answer) {
    if (holds)
        return;
    failures++;
    printf("%s: %.3000s\n", what, answer);
}

/* ---- Other threads ---- */

static volatile bool is_kept, is_over;
static volatile uintptr_t turns;

/* Nothing of the object is on the stack or in a variable: its address stands in r12 (x28). */
static void *keep_in_a_register(void *ignored) {
    void *object = (__bridge_retained void *)[InRegister new];
    (void)ignored;
#if defined(__x86_64__)
    __asm__ volatile("movq %0, %%r12\n\t"
                     "xorq %0, %0\n\t"
                     "movb $1, (%1)\n\t"
                     "1: cmpb $0, (%2)\n\t"
                     "je 1b\n\t"
                     "movq %%r12, %0\n\t"
                     "xorq %%r12, %%r12"
                     : "+r"(object)
                     : "r"(&is_kept), "r"(&is_over)
                     : "r12", "cc", "memory");
#endif
    (void)(__bridge_transfer InRegister *)object;
    return NULL;
}

static void *compute(void *ignored) {
    (void)ignored;
    while (!is_over)
        turns++;
    return NULL;
}

/* ---- The heap ---- */

__attribute__((noinline)) static void lose_a_ring(void) {
    Link *one = [Lost new], *other = [Lost new];
    one.next = other;
    other.next = one;
}

/* Blocks that were given back still have all they had, and keep nothing alive. */
__attribute__((noinline)) static void leave_in_freed_blocks(void) {
    enum { SMALL = 1000, LARGE = 300000, PLACE = 400 };
    void *volatile *small = malloc(SMALL), *volatile *large = malloc(LARGE);
    small[PLACE / sizeof(void *)] = (__bridge_retained void *)[InFreedBlock new];
    large[PLACE / sizeof(void *)] = (__bridge_retained void *)[InFreedLargeBlock new];
    free((void *)small);
    free((void *)large);
}

/* Over what calls have left on the stack. */
__attribute__((noinline)) static void wipe_stack(void) {
    volatile uintptr_t words[4096];
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        words[i] = 0;
}

static void ask(void) {
    const char *answer = loupe_leaks();
    check(strstr(answer, "\"status\":\"ok\"") != NULL, "the answer is not whole", answer);
    check(strstr(answer, "\"class\":\"Lost\"") != NULL, "a lost ring is not told", answer);
    check(strstr(answer, "\"class\":\"InFreedBlock\"") != NULL, "freed memory holds what is lost",
          answer);
    check(strstr(answer, "\"class\":\"InFreedLargeBlock\"") != NULL,
          "a large block that was given back holds what is lost", answer);
    check(!strstr(answer, "\"class\":\"InRegister\""), "what a register holds is told as lost", answer);
    check(!strstr(answer, "\"code\":\"threads"), "threads are missing, or ran", answer);
    check(!strstr(answer, "\"code\":\"registers\""), "registers are missing", answer);
}

int main(void) {
    pthread_t keeper, computer;
    pthread_create(&computer, NULL, compute, NULL);
#if defined(__x86_64__)
    pthread_create(&keeper, NULL, keep_in_a_register, NULL);
    while (!is_kept)
        usleep(1000);
#endif
    lose_a_ring();
    leave_in_freed_blocks();
    wipe_stack();
    for (unsigned i = 0; i < 3; i++)
        ask();
    for (uintptr_t before = turns; turns == before;)
        usleep(1000);
    is_over = true;
    pthread_join(computer, NULL);
#if defined(__x86_64__)
    pthread_join(keeper, NULL);
#endif
    printf("%d failed\n", failures);
    return failures != 0;
}
