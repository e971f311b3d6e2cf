/*
 * The machine code of interceptions alone, called as methods are: floats, structures by value and
 * in memory, variable arguments, twenty arguments, nested, taken off while on the stack. What is
 * called in between spoils every register that it may. Runs on any processor that there is an
 * emulator for.
 */
#include "check.h"
#include "objects/trampoline.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef void function(void);

struct watch_slot {
    function *original;
    bool is_active;
};
struct watch_slot watch_slots[WATCH_THUNK_COUNT];
extern char watch_thunks[];
int watch_wide_vectors;
void watch_intercepted(const intptr_t *registers, uintptr_t number);

static int calls;
static uintptr_t last_number;
static intptr_t last_self;

static double spoil(double a, double b, double c, double d, double e, double f, double g,
                    double h) {
    return a + b + c + d + e + f + g + h;
}

void watch_intercepted(const intptr_t *registers, uintptr_t number) {
    static double (*volatile spoiler)(double, double, double, double, double, double, double,
                                      double) = spoil;
    char large[256];
    memset(large, (int)spoiler(1, 2, 3, 4, 5, 6, 7, 8), sizeof(large));
    calls += large[17] == 36;
    last_number = number;
    last_self = registers[0];
}

static function *thunk(unsigned number, function *original) {
    char *code = watch_thunks + (size_t)number * WATCH_THUNK_SIZE;
    function *made;
    watch_slots[number] = (struct watch_slot){original, true};
    memcpy(&made, &code, sizeof(made));
    return made;
}

typedef struct {
    double x, y, z, w;
} four;
typedef struct {
    long a, b, c, d, e;
} large;

static double floats(void *self, const void *sel, float a, double b, float c, double d, double e,
                     double f, double g, double h, double i) {
    (void)self;
    (void)sel;
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9;
}

static four add(void *self, const void *sel, four one, four other) {
    (void)self;
    (void)sel;
    return (four){one.x + other.x, one.y + other.y, one.z + other.z, one.w + other.w};
}

static large grow(void *self, const void *sel, large one, long more) {
    (void)self;
    (void)sel;
    return (large){one.a + more, one.b + more, one.c + more, one.d + more, one.e + more};
}

static long sum(void *self, const void *sel, int count, ...) {
    va_list arguments;
    long total = 0;
    (void)self;
    (void)sel;
    va_start(arguments, count);
    for (int i = 0; i < count; i++)
        total += i % 2 ? (long)va_arg(arguments, double) : va_arg(arguments, long);
    va_end(arguments);
    return total;
}

static long twenty(void *self, const void *sel, long a, long b, long c, long d, long e, long f,
                   long g, long h, long i, long j, long k, long l, long m, long n, long o, long p,
                   long q, long r, long s, long t) {
    (void)self;
    (void)sel;
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
           12 * l + 13 * m + 14 * n + 15 * o + 16 * p + 17 * q + 18 * r + 19 * s + 20 * t;
}

enum { NESTED = WATCH_THUNK_COUNT - 1 };
static int (*nested_thunk)(void *, const void *, int);

static int nested(void *self, const void *sel, int left) {
    if (!left)
        watch_slots[NESTED].is_active = false;
    return left ? 1 + nested_thunk(self, sel, left - 1) : 1;
}

#define AS(type, number, name) ((type)thunk(number, (function *)(name)))

int main(void) {
    int self;
    CHECK(AS(double (*)(void *, const void *, float, double, float, double, double, double, double,
                        double, double),
             0, floats)(&self, "", 1, 2, 3, 4, 5, 6, 7, 8, 9) == 285);
    CHECK(calls == 1 && last_number == 0 && last_self == (intptr_t)&self);
    four f = AS(four(*)(void *, const void *, four, four), 1, add)(&self, "", (four){1, 2, 3, 4},
                                                                   (four){10, 20, 30, 40});
    CHECK(f.x == 11 && f.y == 22 && f.z == 33 && f.w == 44);
    large l = AS(large(*)(void *, const void *, large, long), 2, grow)(&self, "",
                                                                       (large){1, 2, 3, 4, 5}, 10);
    CHECK(l.a == 11 && l.b == 12 && l.c == 13 && l.d == 14 && l.e == 15);
    CHECK(AS(long (*)(void *, const void *, int, ...), 3, sum)(&self, "", 6, 1L, 2.0, 3L, 4.0, 5L,
                                                               6.0) == 21);
    CHECK(AS(long (*)(void *, const void *, long, long, long, long, long, long, long, long, long,
                      long, long, long, long, long, long, long, long, long, long, long),
             4, twenty)(&self, "", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                        19, 20) == 2870);
    CHECK(calls == 5);
    nested_thunk = AS(int (*)(void *, const void *, int), NESTED, nested);
    CHECK(nested_thunk(&self, "", 50) == 51 && calls == 5 + 51 && last_number == NESTED);
    CHECK(nested_thunk(&self, "", 0) == 1 && calls == 5 + 51);
    printf("all as it was\n");
    return 0;
}
