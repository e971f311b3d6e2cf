/* A main loop that computes, one that waits for a lock, one that rests: what the library tells. */
#include "check.h"
#include "loupe_stalls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 16 };

static char stack[ROOM];
static double busy;
static _Atomic(unsigned) told, over;

static void note(const struct loupe_stall *stall, void *context) {
    (void)context;
    if (stall->stack) {
        strncpy(stack, stall->stack, ROOM - 1);
        busy = stall->busy;
        told++;
    }
    over += stall->is_over;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static volatile double value;

/* So deep that holding the thread to walk it takes a while, in which it does not compute. */
enum { DEPTH = 4000 };

__attribute__((noinline)) static void compute_until_told(int depth) {
    if (depth) {
        compute_until_told(depth - 1);
        __asm__ volatile("" ::: "memory");
        return;
    }
    double start = seconds();
    while (!told && seconds() - start < 60)
        value = value * 1.5 + 1;
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *hold_until_told(void *argument) {
    double start = seconds();
    while (!told && seconds() - start < 60)
        usleep(1000);
    pthread_mutex_unlock(&held);
    return argument;
}

__attribute__((noinline)) static void wait_for_lock(void) {
    pthread_mutex_lock(&held);
    __asm__ volatile("" ::: "memory");
}

static void begin_turn(void) {
    told = 0;
    over = 0;
    loupe_stall_beat();
}

/* It rests, so that no later stall is told, however late a busy machine lets it go on. */
static void end_turn(void) {
    loupe_stall_rest();
    for (int i = 0; i < 6000 && !over; i++)
        usleep(10000);
}

static void test_main_thread_that_computes(void) {
    begin_turn();
    compute_until_told(DEPTH);
    end_turn();
    CHECK_EQ(told, 1);
    CHECK_EQ(over, 1);
    CHECK(strstr(stack, " compute_until_told + ") != NULL);
    CHECK(strstr(stack, " main + ") != NULL);
    CHECK(busy > 0.95);
}

static void test_main_thread_that_waits_for_a_lock(void) {
    pthread_t thread;
    begin_turn();
    pthread_mutex_lock(&held);
    pthread_create(&thread, NULL, hold_until_told, NULL);
    wait_for_lock();
    end_turn();
    pthread_join(thread, NULL);
    CHECK_EQ(told, 1);
    CHECK_EQ(over, 1);
    CHECK(strstr(stack, " wait_for_lock + ") != NULL);
    CHECK(busy < 0.5);
}

static void test_main_thread_that_rests(void) {
    begin_turn();
    loupe_stall_rest();
    usleep(400000);
    CHECK_EQ(told, 0);
    CHECK_EQ(over, 0);
}

static void test_watch_that_ended(void) {
    loupe_stall_unwatch();
    begin_turn();
    usleep(400000);
    CHECK_EQ(told, 0);
    CHECK(loupe_stall_watch(0.1, note, NULL));
    loupe_stall_unwatch();
    loupe_stall_unwatch();
}

int main(void) {
    CHECK(loupe_stall_watch(0.1, note, NULL));
    RUN(test_main_thread_that_computes);
    RUN(test_main_thread_that_waits_for_a_lock);
    RUN(test_main_thread_that_rests);
    RUN(test_watch_that_ended);
    return check_report();
}
