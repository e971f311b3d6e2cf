/*
 * What a stack of 30 frames costs from inside, beside execinfo's backtrace() on the same stack, in
 * the same run: the own one, that of another thread, and its names, beside backtrace_symbols(): the
 * first in the process, the first of a question that is not the first one, and once more. Prints
 * one line of JSON.
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

enum { FRAMES = 30, SMALL = 16, TIMES = 20000, STOPS = 500, QUESTIONS = 201 };

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

/* What a question of the helper's needs to name a stack, from nothing on. */
struct naming_costs {
    double images; /* to list them, with what they have */
    double open; /* the file of each image on the stack, which is one here, and one of the system */
    double names;
    double again; /* when all was found before */
};

static struct naming_costs measure_names(void) {
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
    stacks.used = stacks.used < FRAMES ? stacks.used : FRAMES;
    double start = microseconds();
    loupe_images_know(&self.images);
    double listed = microseconds();
    for (size_t i = 0; i < stacks.used; i++)
        loupe_images_open(&self.images,
                          loupe_images_at(&self.images, loupe_stacks_place(&stacks, i)));
    double opened = microseconds();
    loupe_naming_init(&naming, &stacks, &self.images, &target);
    for (size_t i = 0; i < stacks.used; i++)
        loupe_naming_at(&naming, &stacks, i, &name);
    double named = microseconds();
    for (size_t i = 0; i < stacks.used; i++)
        loupe_naming_at(&naming, &stacks, i, &name);
    struct naming_costs costs = {.images = listed - start,
                                 .open = opened - listed,
                                 .names = named - opened,
                                 .again = microseconds() - named};
    loupe_naming_deinit(&naming);
    loupe_stacks_deinit(&stacks);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    loupe_self_deinit(&self);
    loupe_pages_reclaim();
    return costs;
}

static double sum_of(const struct naming_costs *costs) {
    return costs->images + costs->open + costs->names;
}

static int compare_costs(const void *left, const void *right) {
    double a = sum_of(left), b = sum_of(right);
    return a < b ? -1 : a > b;
}

/* The median of many questions, each of which knows nothing of the one before. */
static struct naming_costs measure_names_often(void) {
    static struct naming_costs costs[QUESTIONS];
    for (int i = 0; i < QUESTIONS; i++)
        costs[i] = measure_names();
    qsort(costs, QUESTIONS, sizeof(costs[0]), compare_costs);
    return costs[QUESTIONS / 2];
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
    sem_init(&begun, 0, 0);
    sem_init(&done, 0, 0);
    descend(40, measure_here);
    pthread_create(&other, NULL, be_other, NULL);
    sem_wait(&begun);
    double held = measure_held();
    struct naming_costs first = measure_names(), usual = measure_names_often();
    sem_post(&done);
    pthread_join(other, NULL);
    printf("{\"own_30_us\":%.2f,\"backtrace_30_us\":%.2f,\"own_16_us\":%.2f,"
           "\"backtrace_16_us\":%.2f,\"other_30_us\":%.2f,"
           "\"names_first_us\":%.0f,\"symbols_first_us\":%.0f,"
           "\"names_question_us\":%.0f,\"of_that_images_us\":%.0f,\"of_that_open_us\":%.0f,"
           "\"names_again_us\":%.2f,\"symbols_again_us\":%.2f}\n",
           own, library, own_small, library_small, held, sum_of(&first), library_names_first,
           sum_of(&usual), usual.images, usual.open, usual.again, library_names);
    return 0;
}
