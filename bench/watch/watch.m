/*
 * What watching costs: a call that is intercepted beside one that is not, and watched objects in bytes and
 * in shares of one core. On any runtime. usage: watch RULES
 */
#import <Foundation/Foundation.h>
#include "loupe_watch.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
/* As the compiler sends messages to the runtime. */
#if __has_feature(objc_arc)
#define FUNCTION_OF(object, selector) ((long (*)(id, SEL, long))objc_msgSend)
#else
#import <objc/message.h>
#define FUNCTION_OF(object, selector) \
    ((long (*)(id, SEL, long))(void (*)(void))objc_msg_lookup(object, selector))
#define __bridge
#endif

enum { CALLS = 1000000, ROUNDS = 5, OBJECTS = 100000, SECONDS = 4 };

@interface Called : NSObject
- (BOOL)isDone;
- (long)plain:(long)value;
- (long)intercepted:(long)value;
- (long)asked:(long)value;
@end

@implementation Called
- (BOOL)isDone {
    return NO;
}
- (long)plain:(long)value {
    return value + 1;
}
- (long)intercepted:(long)value {
    return value + 1;
}
- (long)asked:(long)value {
    return value + 1;
}
@end

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double nanosecondsOfRound(Called *called, SEL selector) {
    double begun = now(CLOCK_THREAD_CPUTIME_ID);
    for (long i = 0; i < CALLS; i++)
        FUNCTION_OF(called, selector)(called, selector, i);
    return (now(CLOCK_THREAD_CPUTIME_ID) - begun) / CALLS * 1e9;
}

/* Of this thread's own time, the best of some rounds: others use the machine, too. */
static double nanosecondsOf(Called *called, SEL selector) {
    double best = nanosecondsOfRound(called, selector);
    for (int i = 1; i < ROUNDS; i++) {
        double time = nanosecondsOfRound(called, selector);
        best = time < best ? time : best;
    }
    return best;
}

static size_t allocated(void) {
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

static NSObject *objects[OBJECTS];

/* Which the sensors are made of, where there are any. */
static size_t bytesOfWeakReferences(void) {
#if __has_feature(objc_arc)
    static __unsafe_unretained id weak[OBJECTS];
    size_t before = allocated();
    for (int i = 0; i < OBJECTS; i++)
        objc_storeWeak((id __autoreleasing *)(void *)&weak[i], objects[i]);
    size_t bytes = allocated() - before;
    for (int i = 0; i < OBJECTS; i++)
        objc_storeWeak((id __autoreleasing *)(void *)&weak[i], nil);
    return bytes;
#else
    return 0;
#endif
}

int main(int count, char **arguments) {
    Called *called = [[Called alloc] init];
    if (count != 2 || loupe_watch_rules(arguments[1]) != LOUPE_WATCH_OK) {
        fprintf(stderr, "%s\n", count == 2 ? loupe_watch_problem() : "usage: watch RULES");
        return 2;
    }
    double plain = nanosecondsOf(called, @selector(plain:));
    double intercepted = nanosecondsOf(called, @selector(intercepted:)) - plain;
    double asked = nanosecondsOf(called, @selector(asked:)) - plain;
    printf("a call: %.0f ns; intercepted, with a condition on an argument: %.0f ns more (%.1f "
           "calls), on what a method answers: %.0f ns more (%.1f calls)\n",
           plain, intercepted, intercepted / plain, asked, asked / plain);
    for (int i = 0; i < OBJECTS; i++)
        objects[i] = [[NSObject alloc] init];
    size_t ofRuntime = bytesOfWeakReferences();
    size_t before;
    double begun = now(CLOCK_MONOTONIC);
    before = allocated();
    for (int i = 0; i < OBJECTS; i++)
        loupe_watch((__bridge void *)objects[i], 3600);
    double each = (now(CLOCK_MONOTONIC) - begun) / OBJECTS * 1e9;
    size_t bytes = allocated() - before;
    double spent = now(CLOCK_PROCESS_CPUTIME_ID);
    sleep(SECONDS);
    spent = now(CLOCK_PROCESS_CPUTIME_ID) - spent;
    printf("%d objects: %.0f ns and %zu bytes each, and %zu for the runtime's weak reference; "
           "%.2f %% of a core\n",
           OBJECTS, each, bytes / OBJECTS, ofRuntime / OBJECTS, spent / SECONDS * 100);
    return 0;
}
