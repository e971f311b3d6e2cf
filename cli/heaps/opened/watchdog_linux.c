/* The watchdog where /proc says what a thread does. */
#define _POSIX_C_SOURCE 200809L

#include "heaps/opened/watchdog.h"

#include "shared/cli.h"
#include "shared/output.h"
#include "process/proc_file.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Seconds for which the thread that works has waited, of its own time and of a process's. */
enum { LONGEST_WAIT = 5, LONGEST_WAIT_OF_PROCESS = 2 };

/* Whoever comes first decides. */
enum { WAITING, ANSWERED, ENDED };
static _Atomic int outcome = WAITING;
static _Thread_local bool says_the_end; /* it answers in place of the thread that works */

static bool decide(int wanted) {
    int expected = WAITING;
    return atomic_compare_exchange_strong(&outcome, &expected, wanted) || expected == wanted;
}

static void pass(uint64_t microseconds) {
    struct timespec left = {.tv_sec = (time_t)(microseconds / 1000000),
                            .tv_nsec = (long)(microseconds % 1000000 * 1000)};
    while (nanosleep(&left, &left))
        continue;
}

/* *ret: which wait it is; the same number as before: it has waited ever since. One that wants to go
 * on and gets no processor does not wait, however long that takes. */
static bool first_thread_waits(uint64_t *ret) {
    static const char of_state[] = "\nState:\t", of_waits[] = "\nvoluntary_ctxt_switches:\t";
    char path[64];
    size_t length;
    snprintf(path, sizeof(path), "/proc/self/task/%ld/status", (long)getpid());
    char *text = loupe_proc_read_whole(path, &length);
    const char *state = text ? strstr(text, of_state) : NULL;
    const char *waits = text ? strstr(text, of_waits) : NULL;
    if (waits)
        *ret = strtoull(waits + sizeof(of_waits) - 1, NULL, 10);
    bool is_so = state && waits && strchr("SD", state[sizeof(of_state) - 1]);
    free(text);
    return is_so;
}

static _Atomic bool stands;

void watchdog_stands(bool does) {
    stands = does;
}

/* Of the time that the question has, and that a process may stand still; UINT64_MAX: no end. */
struct limits {
    uint64_t time, pause;
};

static struct limits limits_of(const struct heap_query *query) {
    const struct verb_values *options = &query->options;
    return (struct limits){.time = options->timeout ? options->timeout : UINT64_MAX,
                           .pause = options->max_pause ? options->max_pause : UINT64_MAX};
}

static void end(const struct heap_query *query, bool by_timeout) {
    if (!decide(ENDED))
        return;
    says_the_end = true;
    heap_fail(query, LOUPE_ETIMEOUT,
              by_timeout ? "its time (--timeout) is over, and it waits for memory or a file that "
                           "does not come: somebody else has to fill it in"
                         : "the process stood still for as long as it may (--max-pause), and a "
                           "file that it has mapped, or memory, does not come: it runs on");
    cli_output_end();
    _exit(CLI_INCOMPLETE);
}

/* A second at a time: while the tool itself is stopped none passes here. */
static void *watch(void *ctx) {
    const struct heap_query *query = ctx;
    struct limits limits = limits_of(query);
    uint64_t before = 0, now = 0;
    uint64_t passed = limits.time < limits.pause ? limits.time : limits.pause;
    pass(passed);
    for (unsigned waited = 0; outcome == WAITING; passed += 1000000) {
        bool is_over = passed >= limits.time || (stands && passed >= limits.pause);
        waited = is_over && first_thread_waits(&now) && now == before ? waited + 1 : 0;
        before = now;
        bool by_time = passed >= limits.time;
        if (waited >= (by_time ? LONGEST_WAIT : LONGEST_WAIT_OF_PROCESS))
            end(query, by_time);
        pass(1000000);
    }
    return NULL;
}

void watchdog_start(const struct heap_query *query) {
    pthread_t thread;
    sigset_t all, before;
    struct limits limits = limits_of(query);
    if (limits.time == UINT64_MAX && limits.pause == UINT64_MAX)
        return;
    sigfillset(&all); /* they are the business of the thread that works */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!pthread_create(&thread, NULL, watch, (void *)(uintptr_t)query))
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void watchdog_end(void) {
    while (!says_the_end && !decide(ANSWERED))
        pause();
}
