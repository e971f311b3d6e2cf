/*
 * Methods of every shape, called through their interceptions: what they get and answer is the same as
 * without. No rule matches them; LOUPE_WATCH names rules about a class that all of them belong to.
 */
#import <Foundation/Foundation.h>
#include "check.h"
#include "loupe_watch.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double x, y;
} Pair;

typedef struct {
    double x, y, z, w;
} Four;

typedef struct {
    long a, b, c, d, e;
} Large;

typedef struct {
    char c;
    float f;
} Mixed;

static int depth;

@interface Calls : NSObject
@end

@implementation Calls

- (double)floats:(float)a and:(double)b and:(float)c and:(double)d and:(double)e and:(double)f
             and:(double)g and:(double)h and:(double)i {
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9;
}

- (long double)longDouble:(long double)a {
    return a * 3;
}

- (Pair)pair:(Pair)pair times:(double)factor {
    return (Pair){pair.x * factor, pair.y * factor};
}

- (Four)four:(Four)four plus:(Four)other {
    return (Four){four.x + other.x, four.y + other.y, four.z + other.z, four.w + other.w};
}

- (Large)large:(Large)large plus:(long)more {
    return (Large){large.a + more, large.b + more, large.c + more, large.d + more, large.e + more};
}

- (Mixed)mixed:(Mixed)mixed char:(char)c short:(short)s flag:(BOOL)flag {
    return (Mixed){(char)(mixed.c + c), mixed.f + s + (flag ? 0.5F : 0)};
}

- (long)sum:(int)count, ... {
    long sum = 0;
    va_list arguments;
    va_start(arguments, count);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? (long)va_arg(arguments, double) : va_arg(arguments, long);
    va_end(arguments);
    return sum;
}

- (long)twenty:(long)a :(long)b :(long)c :(long)d :(long)e :(long)f :(long)g :(long)h :(long)i :(long)j
              :(long)k :(long)l :(long)m :(long)n :(long)o :(long)p :(long)q :(long)r :(long)s :(long)t {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
           12 * l + 13 * m + 14 * n + 15 * o + 16 * p + 17 * q + 18 * r + 19 * s + 20 * t;
}

/* Nested; taken off in the innermost call, while it is on the stack. */
- (int)nested:(int)left {
    depth++;
    if (!left)
        loupe_watch_stop();
    return left ? 1 + [self nested:left - 1] : 1;
}

@end

static void checkAll(Calls *calls) {
    CHECK([calls floats:1 and:2 and:3 and:4 and:5 and:6 and:7 and:8 and:9] == 285);
    CHECK([calls longDouble:1.5L] == 4.5L);
    Pair pair = [calls pair:(Pair){1, 2} times:3];
    CHECK(pair.x == 3 && pair.y == 6);
    Four four = [calls four:(Four){1, 2, 3, 4} plus:(Four){10, 20, 30, 40}];
    CHECK(four.x == 11 && four.y == 22 && four.z == 33 && four.w == 44);
    Large large = [calls large:(Large){1, 2, 3, 4, 5} plus:10];
    CHECK(large.a == 11 && large.b == 12 && large.c == 13 && large.d == 14 && large.e == 15);
    Mixed mixed = [calls mixed:(Mixed){1, 2} char:3 short:4 flag:YES];
    CHECK(mixed.c == 4 && mixed.f == 6.5F);
    CHECK(([calls sum:6, 1L, 2.0, 3L, 4.0, 5L, 6.0] == 21));
    CHECK([calls twenty:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20] == 2870);
}

/* trampoline_wide.m, for processors that have vectors of 256 bits. */
BOOL wideVectorsAreKept(void);
#if defined(__x86_64__)
#define HAS_WIDE_VECTORS __builtin_cpu_supports("avx")
#else
#define HAS_WIDE_VECTORS 0
#endif

/* On many threads while interceptions come and go. */
static volatile BOOL isOver;

static void *call(void *calls) {
    while (!isOver)
        checkAll((__bridge Calls *)calls);
    return NULL;
}

int main(int count, char **arguments) {
    Calls *calls = [[Calls alloc] init];
    const char *rules = count > 1 ? arguments[1] : "";
    pthread_t threads[3];
    checkAll(calls);
    CHECK(loupe_watch_rules(rules) == LOUPE_WATCH_OK);
    IMP intercepted = class_getMethodImplementation([Calls class], @selector(longDouble:));
    checkAll(calls);
    CHECK(!HAS_WIDE_VECTORS || wideVectorsAreKept());
    CHECK([calls nested:50] == 51 && depth == 51);
    CHECK(class_getMethodImplementation([Calls class], @selector(longDouble:)) != intercepted);
    checkAll(calls);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, call, (__bridge void *)calls);
    for (int i = 0; i < 1000; i++) {
        CHECK(loupe_watch_rules(rules) == LOUPE_WATCH_OK);
        CHECK(class_getMethodImplementation([Calls class], @selector(longDouble:)) == intercepted);
        loupe_watch_stop();
    }
    isOver = YES;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("all as it was\n");
    return 0;
}
