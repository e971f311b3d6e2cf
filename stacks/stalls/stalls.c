/* The thread that watches the main thread, and what it tells of a stall. */
#include "stalls/loupe_stalls.h"

#include "kernel/kernel.h"
#include "own_lines.h"
#include "stalls/pulse.h"
#include "stalls/sample.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const uint64_t least_limit = 20000, largest_limit = UINT64_C(86400) * 1000000;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static struct {
    uint64_t limit; /* microseconds; 0: nothing is watched */
    loupe_stall_callback callback;
    void *context;
    bool has_thread;
    pthread_t thread;
} watch;

static struct loupe_samples samples; /* the watching thread's */

/* ---- Telling ---- */

static void write_stall(const struct loupe_stall *stall, void *context) {
    char line[200];
    (void)context;
    int length = snprintf(line, sizeof(line),
                          stall->is_over ? "loupe: main thread hang: %.2f s, over now\n"
                                         : "loupe: main thread hang: %.2f s so far\n",
                          stall->seconds);
    loupe_write_own(STDERR_FILENO, line, (size_t)length);
    if (!stall->stack)
        return;
    length =
        snprintf(line, sizeof(line), "%s %.0f %% of the time. Frames common to %u samples:\n\n",
                 stall->busy > 0.5 ? "Computing" : "Waiting",
                 (stall->busy > 0.5 ? stall->busy : 1 - stall->busy) * 100, stall->samples);
    loupe_write_own(STDERR_FILENO, line, (size_t)length);
    loupe_write_own(STDERR_FILENO, stall->stack, strlen(stall->stack));
}

static void tell(uint64_t length, bool is_over, bool with_stack) {
    struct loupe_stall stall = {.seconds = (double)length / 1e6,
                                .is_over = is_over,
                                .busy = loupe_sample_busy(&samples),
                                .samples = samples.count,
                                .stack = with_stack ? loupe_sample_text(&samples) : NULL};
    pthread_mutex_lock(&lock);
    loupe_stall_callback callback = watch.callback ? watch.callback : write_stall;
    void *context = watch.context;
    pthread_mutex_unlock(&lock);
    callback(&stall, context);
}

/* ---- The watching thread ---- */

static void forget_samples(void) {
    samples.count = samples.runnable = 0;
    samples.between = samples.ran = 0;
    samples.depth = 0;
    samples.is_cut = false;
}

static void act(enum loupe_stall_event event, uint64_t length) {
    if (event == LOUPE_STALL_SAMPLE || event == LOUPE_STALL_TELL)
        loupe_sample_take(&samples);
    if (event == LOUPE_STALL_TELL)
        tell(length, false, true);
    if (event == LOUPE_STALL_OVER || event == LOUPE_STALL_BRIEF) {
        tell(length, true, event == LOUPE_STALL_BRIEF);
        forget_samples();
    }
}

static uint64_t current_limit(void) {
    pthread_mutex_lock(&lock);
    uint64_t limit = watch.limit;
    pthread_mutex_unlock(&lock);
    return limit;
}

static void wait_for(uint64_t microseconds) {
    struct timespec time = {.tv_sec = (time_t)(microseconds / 1000000),
                            .tv_nsec = (long)(microseconds % 1000000) * 1000};
    nanosleep(&time, NULL);
}

static void *watch_main_thread(void *argument) {
    struct loupe_stall_clock clock;
    uint64_t limit;
    (void)argument;
    loupe_stall_clock_init(&clock, current_limit(), loupe_kernel_microseconds());
    while ((limit = current_limit())) {
        if (limit != clock.limit)
            loupe_stall_clock_init(&clock, limit, loupe_kernel_microseconds());
        wait_for(clock.tick);
        loupe_pulse_tick();
        struct loupe_stall_signs signs = loupe_pulse_signs();
        /* Only worth asking where it matters. */
        signs.is_standing = clock.quiet + clock.tick >= clock.limit && loupe_sample_is_standing();
        uint64_t now = loupe_kernel_microseconds(), length;
        act(loupe_stall_clock_tick(&clock, now, &signs, &length), length);
    }
    forget_samples();
    return NULL;
}

/* ---- The API ---- */

bool loupe_stall_watch(double seconds, loupe_stall_callback callback, void *context) {
    double microseconds = seconds * 1e6;
    if (!(microseconds >= (double)least_limit))
        microseconds = (double)least_limit;
    if (microseconds > (double)largest_limit)
        microseconds = (double)largest_limit;
    pthread_mutex_lock(&lock);
    watch.limit = (uint64_t)microseconds;
    watch.callback = callback;
    watch.context = context;
    if (!watch.has_thread)
        watch.has_thread = pthread_create(&watch.thread, NULL, watch_main_thread, NULL) == 0;
    bool is_watched = watch.has_thread;
    pthread_mutex_unlock(&lock);
    return is_watched;
}

void loupe_stall_unwatch(void) {
    pthread_mutex_lock(&lock);
    pthread_t thread = watch.thread;
    bool has_thread = watch.has_thread;
    watch.limit = 0;
    watch.has_thread = false;
    pthread_mutex_unlock(&lock);
    if (has_thread && pthread_equal(thread, pthread_self()))
        pthread_detach(thread);
    else if (has_thread)
        pthread_join(thread, NULL);
}

void loupe_stall_beat(void) {
    loupe_pulse_beat();
}

void loupe_stall_rest(void) {
    loupe_pulse_rest();
}

/* ---- Preloaded ---- */

/* The child of a fork has no watching thread, unless it runs a program of its own. */
static void forget_thread(void) {
    watch.has_thread = false;
    pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void begin(void) {
    const char *seconds = getenv("LOUPE_STALLS");
    char *end;
    pthread_atfork(NULL, NULL, forget_thread);
    if (!seconds || !*seconds)
        return;
    double limit = strtod(seconds, &end);
    if (*end || !(limit > 0))
        loupe_say("loupe: LOUPE_STALLS is to be a number of seconds, as 0.4\n");
    else if (!loupe_stall_watch(limit, NULL, NULL))
        loupe_say("loupe: no thread can be made to watch the main one\n");
}
