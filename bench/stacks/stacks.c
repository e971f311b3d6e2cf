/*
 * What a stack of 30 frames costs from inside, beside execinfo's backtrace() on the same stack, in
 * the same run: the own one, that of another thread, and its names, beside backtrace_symbols(): all
 * that is needed for the first ones, and once more. Prints one line of JSON.
 */
#include "backtraces/report.h"
#include "memory/pages.h"
#include "runtime/abi.h"
#include "self_reader.h"
#include "threads/listing.h"
#include "threads/stop.h"

#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FRAMES = 30, SMALL = 16, TIMES = 20000, STOPS = 500 };

static sem_t begun, done;
static uint64_t other_id;
static struct loupe_range proved;

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double measure_own(size_t cap) {
    uint64_t frames[FRAMES];
    double start = microseconds();
    for (int i = 0; i < TIMES; i++) {
        struct loupe_frame here;
        loupe_frame_capture(&here);
        if (loupe_unwind_own(&here, &proved, 0, frames, cap).count != cap)
            abort();
    }
    return (microseconds() - start) / TIMES;
}

static double measure_library(int cap) {
    void *frames[FRAMES];
    double start = microseconds();
    for (int i = 0; i < TIMES; i++)
        if (backtrace(frames, cap) != cap)
            abort();
    return (microseconds() - start) / TIMES;
}

/* Without the time that the thread takes to come: that is the scheduler's. */
static double measure_held(void) {
    uint64_t frames[FRAMES];
    uint8_t interrupted[FRAMES];
    struct loupe_frame frame;
    double held = 0;
    for (int i = 0; i < STOPS; i++) {
        if (!loupe_stops_begin() || loupe_thread_stop(other_id, &frame) != LOUPE_STOP_HELD)
            abort();
        double start = microseconds();
        loupe_unwind_other(&frame, frames, interrupted, FRAMES);
        held += microseconds() - start;
        loupe_thread_let_go();
        loupe_stops_end();
    }
    return held / STOPS;
}

static double measure_names(double *first_ret) {
    struct loupe_self self;
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_stacks stacks;
    struct loupe_naming naming;
    struct loupe_frame_name name;
    loupe_self_init(&self, &loupe_pages);
    loupe_memory_init(&memory, &loupe_self_ops, &self, loupe_own_machine, &loupe_pages);
    loupe_target_init(&target, &memory, &loupe_pages);
    loupe_stacks_init(&stacks, &loupe_pages);
    loupe_stacks_take_one(&stacks, other_id, false);
    size_t count = stacks.used < FRAMES ? stacks.used : FRAMES;
    double start = microseconds();
    loupe_naming_init(&naming, &stacks, &self.images, &target);
    for (size_t i = 0; i < count; i++)
        loupe_naming_at(&naming, &stacks, i, &name);
    *first_ret = microseconds() - start;
    start = microseconds();
    for (int times = 0; times < STOPS; times++)
        for (size_t i = 0; i < count; i++)
            loupe_naming_at(&naming, &stacks, i, &name);
    return (microseconds() - start) / STOPS;
}

/* The same stack by the C library's names, which are those of exported functions. */
static void measure_library_names(double *first_ret, double *again_ret) {
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);
    double start = microseconds();
    free(backtrace_symbols(frames, count));
    *first_ret = microseconds() - start;
    start = microseconds();
    for (int times = 0; times < STOPS; times++)
        free(backtrace_symbols(frames, count));
    *again_ret = (microseconds() - start) / STOPS;
}

__attribute__((noinline)) static int descend(int levels, void (*act)(void)) {
    volatile int result = levels;
    if (levels)
        result += descend(levels - 1, act);
    else
        act();
    return result;
}

static void stay(void) {
    volatile double value = 1;
    other_id = loupe_own_thread_id();
    sem_post(&begun);
    while (sem_trywait(&done))
        value = value * 1.1 + 1;
}

static void *be_other(void *argument) {
    descend(40, stay);
    return argument;
}

static double own, own_small, library, library_small, library_names, library_names_first;

static void measure_here(void) {
    measure_own(FRAMES);
    measure_library(FRAMES);
    measure_library_names(&library_names_first, &library_names);
    own = measure_own(FRAMES);
    library = measure_library(FRAMES);
    own_small = measure_own(SMALL);
    library_small = measure_library(SMALL);
}

int main(void) {
    pthread_t other;
    double first, names, held;
    sem_init(&begun, 0, 0);
    sem_init(&done, 0, 0);
    descend(40, measure_here);
    pthread_create(&other, NULL, be_other, NULL);
    sem_wait(&begun);
    held = measure_held();
    names = measure_names(&first);
    sem_post(&done);
    pthread_join(other, NULL);
    printf("{\"own_30_us\":%.2f,\"backtrace_30_us\":%.2f,\"own_16_us\":%.2f,"
           "\"backtrace_16_us\":%.2f,\"other_30_us\":%.2f,\"names_30_us\":%.2f,"
           "\"symbols_30_us\":%.2f,\"names_first_us\":%.0f,\"symbols_first_us\":%.0f}\n",
           own, library, own_small, library_small, held, names, library_names, first,
           library_names_first);
    return 0;
}
