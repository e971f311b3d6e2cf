#include "clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_NAP = WATCH_TICKS_PER_SECOND / 10, MOST_BETWEEN_LOOKS = WATCH_TICKS_PER_SECOND };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t woken;
    watch_time base; /* own time when the real one was base_real */
    uint64_t base_real;
    bool sleeps_for_ever, is_awaited;
    pid_t process; /* in which the thread runs; 0: none */
    void (*each_second)(void);
} clock_state = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER, .sleeps_for_ever = true};

/* The thread, which never ends. No variable of each thread: the first look at one may take memory,
 * and a debugger that stops the thread in there may send no messages. */
static pthread_t clock_thread;
static atomic_bool has_clock_thread;
static char *stack_base; /* of the thread: above it are no words of ours */

bool watch_clock_is_this_thread(void) {
    return atomic_load_explicit(&has_clock_thread, memory_order_acquire) &&
           pthread_equal(pthread_self(), clock_thread);
}

static uint64_t real_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * WATCH_TICKS_PER_SECOND +
           (uint64_t)now.tv_nsec / (1000000000 / WATCH_TICKS_PER_SECOND);
}

/* Under the lock. */
static watch_time own_time(void) {
    uint64_t passed = real_time() - clock_state.base_real;
    if (clock_state.sleeps_for_ever)
        passed = 0;
    return clock_state.base +
           (watch_time)(passed < MOST_BETWEEN_LOOKS ? passed : MOST_BETWEEN_LOOKS);
}

static void rebase(void) {
    clock_state.base = own_time();
    clock_state.base_real = real_time();
}

watch_time watch_clock_now(void) {
    pthread_mutex_lock(&clock_state.lock);
    watch_time now = own_time();
    pthread_mutex_unlock(&clock_state.lock);
    return now;
}

/* ---- The thread ---- */

/* Short naps, since a condition's clock may be set back. */
static void sleep_until(watch_time next, watch_time now) {
    if (!next && !clock_state.each_second) {
        rebase();
        clock_state.sleeps_for_ever = true;
        while (!clock_state.is_awaited)
            pthread_cond_wait(&clock_state.woken, &clock_state.lock);
        clock_state.base_real = real_time();
        clock_state.sleeps_for_ever = false;
        return;
    }
    watch_time ticks =
        next && next < now + LONGEST_NAP ? (next > now ? next - now : 1) : LONGEST_NAP;
    struct timespec nap = {.tv_nsec = (long)ticks * (1000000000 / WATCH_TICKS_PER_SECOND)};
    pthread_mutex_unlock(&clock_state.lock);
    nanosleep(&nap, NULL);
    pthread_mutex_lock(&clock_state.lock);
}

/* Volatile, or a compiler could leave out what nobody reads again. */
void watch_clock_wipe_stack(void *from) {
    for (volatile char *at = from; at < stack_base; at++)
        *at = 0;
}

static void *look_each_tick(void *unused) {
    (void)unused;
    clock_thread = pthread_self();
    atomic_store_explicit(&has_clock_thread, true, memory_order_release);
    watch_time last_second = 0;
    stack_base = (char *)&last_second;
    pthread_mutex_lock(&clock_state.lock);
    for (;;) {
        rebase();
        watch_time now = clock_state.base;
        bool is_second = now - last_second >= WATCH_TICKS_PER_SECOND;
        void (*each_second)(void) = clock_state.each_second;
        clock_state.is_awaited = false;
        pthread_mutex_unlock(&clock_state.lock);
        if (is_second)
            last_second = now;
        if (is_second && each_second)
            each_second();
        watch_time next = watch_take_due(now, watch_report_due, NULL);
        pthread_mutex_lock(&clock_state.lock);
        sleep_until(next, now);
    }
    return NULL;
}

/* With all signals blocked: they are the program's. */
static bool start(void) {
    sigset_t none, before;
    pthread_t thread;
    pthread_attr_t attributes;
    sigfillset(&none);
    pthread_sigmask(SIG_SETMASK, &none, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool is_started = pthread_create(&thread, &attributes, look_each_tick, NULL) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

/* A child of the program has no thread of ours, and watches nothing. */
void watch_clock_wake(void) {
    pthread_mutex_lock(&clock_state.lock);
    if (!clock_state.process) {
        clock_state.base_real = real_time();
        if (start()) {
            clock_state.process = getpid();
            clock_state.sleeps_for_ever = false;
        }
    }
    clock_state.is_awaited = true;
    pthread_cond_signal(&clock_state.woken);
    pthread_mutex_unlock(&clock_state.lock);
}

void watch_clock_call_each_second(void (*call)(void)) {
    pthread_mutex_lock(&clock_state.lock);
    clock_state.each_second = call;
    pthread_mutex_unlock(&clock_state.lock);
    watch_clock_wake();
}
