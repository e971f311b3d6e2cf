/*
 * What watching costs: a call that is intercepted beside one that is not, and watched objects in bytes and
 * in shares of one core. usage: watch RULES
 */
#import <Foundation/Foundation.h>
#include "loupe_watch.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 5000000, OBJECTS = 100000, SECONDS = 4 };

@interface Called : NSObject
- (long)plain:(long)value;
- (long)intercepted:(long)value;
@end

@implementation Called
- (long)plain:(long)value {
    return value + 1;
}
- (long)intercepted:(long)value {
    return value + 1;
}
@end

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double nanosecondsOf(Called *called, int which) {
    double begun = now(CLOCK_MONOTONIC);
    long sum = 0;
    for (long i = 0; i < CALLS; i++)
        sum += which ? [called intercepted:i] : [called plain:i];
    return (now(CLOCK_MONOTONIC) - begun) / CALLS * 1e9 + (sum == 1);
}

static size_t allocated(void) {
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

int main(int count, char **arguments) {
    Called *called = [[Called alloc] init];
    if (count != 2 || loupe_watch_rules(arguments[1]) != LOUPE_WATCH_OK) {
        fprintf(stderr, "%s\n", count == 2 ? loupe_watch_problem() : "usage: watch RULES");
        return 2;
    }
    nanosecondsOf(called, 0);
    double plain = nanosecondsOf(called, 0), intercepted = nanosecondsOf(called, 1);
    printf("a call: %.0f ns; intercepted, with a condition: %.0f ns, %.0f ns more\n", plain,
           intercepted, intercepted - plain);
    static __unsafe_unretained id weak[OBJECTS];
    NSObject *__strong *objects = (NSObject * __strong *)calloc(OBJECTS, sizeof(*objects));
    for (int i = 0; i < OBJECTS; i++)
        objects[i] = [[NSObject alloc] init];
    size_t before = allocated();
    for (int i = 0; i < OBJECTS; i++)
        objc_storeWeak((id __autoreleasing *)(void *)&weak[i], objects[i]);
    size_t ofRuntime = allocated() - before;
    for (int i = 0; i < OBJECTS; i++)
        objc_storeWeak((id __autoreleasing *)(void *)&weak[i], nil);
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
