/*
 * Other threads of this process, stopped and walked: what is wrong with BSBacktraceLogger, case by
 * case, and many interruptions of threads that compute, allocate and call each other.
 *
 * usage: stop [INTERRUPTIONS]
 */
#include "backtraces/collect.h"
#include "check.h"
#include "kernel/kernel.h"
#include "memory/pages.h"
#include "threads/listing.h"
#include "threads/proc_task.h"
#include "threads/stop.h"
#include "unwind/unwind.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 1 << 17, WORKERS = 3 };

static uint64_t frames[DEPTH];
static uint8_t interrupted[DEPTH];
static _Atomic(bool) ends;

/* ---- Threads ---- */

struct worker {
    pthread_t thread;
    _Atomic(uint64_t) id;
    _Atomic(uint64_t) steps;
    unsigned levels;
    void (*work)(struct worker *worker);
    uint64_t base[8]; /* the outermost addresses of its stack, innermost first */
    size_t base_count;
    sem_t begun;
};

__attribute__((noinline)) static void note_base(struct worker *worker) {
    struct loupe_frame here;
    uint64_t found[16];
    loupe_frame_capture(&here);
    struct loupe_unwound unwound = loupe_unwind_own(&here, NULL, 0, found, 16);
    /* Without this function and the one that called it, which goes on. */
    worker->base_count = unwound.count - 2;
    memcpy(worker->base, found + 2, worker->base_count * sizeof(*found));
}

__attribute__((noinline)) static void *run(void *argument) {
    struct worker *worker = argument;
    worker->id = loupe_own_thread_id();
    note_base(worker);
    sem_post(&worker->begun);
    worker->work(worker);
    return NULL;
}

static void start(struct worker *worker, void (*work)(struct worker *worker)) {
    worker->work = work;
    sem_init(&worker->begun, 0, 0);
    pthread_create(&worker->thread, NULL, run, worker);
    sem_wait(&worker->begun);
}

static void finish(struct worker *worker) {
    ends = true;
    pthread_join(worker->thread, NULL);
    ends = false;
}

static struct loupe_unwound stop_and_walk(uint64_t id, enum loupe_stop *stop_ret) {
    struct loupe_frame frame;
    struct loupe_unwound unwound = {.end = LOUPE_UNWIND_LOST};
    if (!loupe_stops_begin())
        return unwound;
    *stop_ret = loupe_thread_stop(id, &frame);
    if (*stop_ret == LOUPE_STOP_HELD) {
        unwound = loupe_unwind_other(&frame, frames, interrupted, DEPTH);
        if (!loupe_thread_let_go())
            unwound = (struct loupe_unwound){.end = LOUPE_UNWIND_LOST};
    }
    loupe_stops_end();
    return unwound;
}

static bool has_base(const struct worker *worker, size_t count) {
    return count > worker->base_count && memcmp(frames + count - worker->base_count, worker->base,
                                                worker->base_count * sizeof(*frames)) == 0;
}

/* ---- One flaw each ---- */

static void count_up(struct worker *worker) {
    while (!ends)
        worker->steps++;
}

/* However busy the machine is. False: it does not go on. */
static bool goes_on(const struct worker *worker, uint64_t before) {
    for (int i = 0; i < 10000 && worker->steps == before; i++)
        usleep(1000);
    return worker->steps > before;
}

static void test_thread_stands_still_while_it_is_walked(void) {
    struct worker worker = {0};
    struct loupe_frame frame;
    start(&worker, count_up);
    CHECK(loupe_stops_begin());
    if (CHECK_EQ(loupe_thread_stop(worker.id, &frame), LOUPE_STOP_HELD)) {
        uint64_t before = worker.steps;
        usleep(20000);
        CHECK_EQ(worker.steps, before);
        CHECK(loupe_thread_let_go());
        CHECK(goes_on(&worker, before));
    }
    loupe_stops_end();
    finish(&worker);
}

static void test_nobody_lets_it_go(void) {
    struct worker worker = {0};
    struct loupe_frame frame;
    start(&worker, count_up);
    CHECK(loupe_stops_begin());
    CHECK_EQ(loupe_thread_stop(worker.id, &frame), LOUPE_STOP_HELD);
    CHECK(goes_on(&worker, worker.steps));
    CHECK(!loupe_thread_let_go());
    loupe_stops_end();
    finish(&worker);
}

__attribute__((noinline)) static int descend(struct worker *worker, unsigned levels) {
    volatile int result = 0;
    if (levels)
        result = descend(worker, levels - 1) + 1;
    else
        count_up(worker);
    return result;
}

static void work_deep(struct worker *worker) {
    descend(worker, worker->levels);
}

static void test_more_than_fifty_frames(void) {
    struct worker worker = {.levels = 40000};
    enum loupe_stop stop;
    start(&worker, work_deep);
    CHECK(goes_on(&worker, 0));
    struct loupe_unwound unwound = stop_and_walk(worker.id, &stop);
    CHECK_EQ(unwound.end, LOUPE_UNWIND_OUTERMOST);
    CHECK(unwound.count > worker.levels && unwound.count < worker.levels + 20);
    CHECK(has_base(&worker, unwound.count));
    finish(&worker);
}

__attribute__((noinline)) static uint64_t leaf(uint64_t value) {
    for (unsigned i = 0; i < 1000; i++)
        value = value * 3 + 1;
    return value;
}

static void work_in_leaf(struct worker *worker) {
    volatile uint64_t value = 0;
    while (!ends)
        value = leaf(value);
    worker->steps = value;
}

/* The link register, or what stands on the stack, is no frame of its own. */
static void test_no_frame_twice(void) {
    struct worker worker = {0};
    start(&worker, work_in_leaf);
    for (int i = 0; i < 100; i++) {
        enum loupe_stop stop;
        struct loupe_unwound unwound = stop_and_walk(worker.id, &stop);
        CHECK_EQ(unwound.end, LOUPE_UNWIND_OUTERMOST);
        for (size_t at = 1; at < unwound.count; at++)
            CHECK(frames[at] != frames[at - 1]);
        CHECK(unwound.count <= worker.base_count + 3);
        CHECK(has_base(&worker, unwound.count));
    }
    finish(&worker);
}

static unsigned count_files(void) {
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static unsigned count_threads_in(const struct loupe_threads_wanted *wanted) {
    struct loupe_stacks stacks;
    struct loupe_frame here;
    loupe_frame_capture(&here);
    loupe_stacks_init(&stacks, &loupe_pages);
    CHECK_EQ(loupe_stacks_take(&stacks, wanted, &here, NULL, 0), LOUPE_OK);
    unsigned count = stacks.threads.count;
    for (uint32_t i = 0; i < count; i++)
        CHECK_EQ(loupe_stacks_at(&stacks, i)->end, LOUPE_UNWIND_OUTERMOST);
    loupe_stacks_deinit(&stacks);
    loupe_pages_reclaim();
    return count;
}

static void test_nothing_stays_behind(void) {
    struct worker worker = {0};
    struct sigaction before, after;
    start(&worker, count_up);
    unsigned files = count_files();
    sigaction(SIGURG, NULL, &before);
    for (int i = 0; i < 50; i++)
        CHECK_EQ(count_threads_in(&(struct loupe_threads_wanted){0}), 2);
    sigaction(SIGURG, NULL, &after);
    CHECK(after.sa_handler == before.sa_handler);
    CHECK_EQ(count_files(), files);
    finish(&worker);
}

static void test_threads_are_found_and_not_renamed(void) {
    struct worker first = {0}, second = {0};
    char name[32];
    start(&first, count_up);
    start(&second, count_up);
    pthread_setname_np(first.thread, "decoder");
    pthread_setname_np(second.thread, "decoder");
    CHECK_EQ(loupe_thread_id_of((const void *)second.thread), second.id);
    CHECK_EQ(loupe_thread_id_of((const void *)pthread_self()), loupe_own_thread_id());
    CHECK_EQ(loupe_thread_id_of("no thread, but long enough to be looked at"), 0);
    CHECK_EQ(count_threads_in(&(struct loupe_threads_wanted){.name = "decoder"}), 2);
    CHECK_EQ(count_threads_in(&(struct loupe_threads_wanted){.id = first.id}), 1);
    CHECK_EQ(count_threads_in(&(struct loupe_threads_wanted){.only_first = true}), 1);
    CHECK_EQ(count_threads_in(&(struct loupe_threads_wanted){.name = "nobody"}), 0);
    pthread_getname_np(first.thread, name, sizeof(name));
    CHECK_STR(name, "decoder");
    ends = true;
    pthread_join(first.thread, NULL);
    finish(&second);
}

/* Any thread may ask; the main thread is one of those that are looked at, and its first stack is
 * as whole as all others. */
static void work_asking(struct worker *worker) {
    struct loupe_stacks stacks;
    struct loupe_frame here;
    loupe_frame_capture(&here);
    loupe_stacks_init(&stacks, &loupe_pages);
    CHECK_EQ(loupe_stacks_take(&stacks, &(struct loupe_threads_wanted){.only_first = true}, &here,
                               NULL, 0),
             LOUPE_OK);
    if (CHECK_EQ(stacks.threads.count, 1)) {
        CHECK_EQ(loupe_stacks_at(&stacks, 0)->end, LOUPE_UNWIND_OUTERMOST);
        worker->steps = loupe_stacks_at(&stacks, 0)->count;
    }
    loupe_stacks_deinit(&stacks);
    loupe_pages_reclaim();
}

static void test_first_stack_is_asked_for_by_another_thread(void) {
    struct worker worker = {0};
    start(&worker, work_asking);
    pthread_join(worker.thread, NULL);
    /* This function, what waits in it, main() and what called that. */
    CHECK(worker.steps > 4);
}

static int compare(const void *left, const void *right) {
    return *(const int *)left - *(const int *)right;
}

static void work_in_a_library_that_comes_and_goes(struct worker *worker) {
    while (!ends) {
        void *library = dlopen("libnss_files.so.2", RTLD_NOW | RTLD_LOCAL);
        if (!library)
            library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
        int values[] = {3, 1, 2};
        qsort(values, 3, sizeof(values[0]), compare);
        worker->steps += library != NULL;
        if (library)
            dlclose(library);
    }
}

/* The list of images is read without the loader's lock, which the stopped thread may have. */
static void test_libraries_that_come_and_go(void) {
    struct worker worker = {0};
    unsigned held = 0, whole = 0, wrong = 0;
    start(&worker, work_in_a_library_that_comes_and_goes);
    for (int i = 0; i < 1000; i++) {
        enum loupe_stop stop = LOUPE_STOP_REFUSED;
        struct loupe_unwound unwound = stop_and_walk(worker.id, &stop);
        held += stop == LOUPE_STOP_HELD;
        bool is_whole = unwound.end == LOUPE_UNWIND_OUTERMOST;
        whole += is_whole;
        wrong += is_whole && !has_base(&worker, unwound.count);
    }
    CHECK(goes_on(&worker, 0));
    finish(&worker);
    CHECK_EQ(wrong, 0);
    /* Code that a library begins with has no tables: there stacks end as lost. */
    CHECK(held > 0);
    CHECK(whole > 0);
}

/* ---- What a signal could break ---- */

static _Atomic(unsigned) own_signals;

static void on_own_signal(int number) {
    (void)number;
    own_signals++;
}

static void test_handler_of_the_program_stays(void) {
    struct worker worker = {0};
    struct sigaction action = {.sa_handler = on_own_signal}, after;
    enum loupe_stop stop = LOUPE_STOP_GONE;
    sigaction(SIGURG, &action, NULL);
    start(&worker, count_up);
    for (int i = 0; i < 20; i++) {
        stop_and_walk(worker.id, &stop);
        CHECK_EQ(stop, LOUPE_STOP_HELD);
    }
    CHECK_EQ(own_signals, 0);
    CHECK(loupe_stops_begin());
    pthread_kill(worker.thread, SIGURG);
    for (int i = 0; i < 100 && !own_signals; i++)
        usleep(10000);
    loupe_stops_end();
    CHECK_EQ(own_signals, 1);
    sigaction(SIGURG, NULL, &after);
    CHECK(after.sa_handler == on_own_signal);
    finish(&worker);
    action.sa_handler = SIG_DFL;
    sigaction(SIGURG, &action, NULL);
}

struct sleeper {
    struct worker worker;
    int polled, error;
};

static void work_asleep(struct worker *worker) {
    struct sleeper *sleeper = (struct sleeper *)worker;
    sleeper->polled = poll(NULL, 0, 3000);
    sleeper->error = sleeper->polled ? errno : 0;
}

/* poll() ends with EINTR after any signal handler, whatever that asked for; on arm64 the register
 * is lost by then in which its first argument was, and the sleep ends. */
static void test_sleeping_thread_sleeps_on(void) {
#if defined(__x86_64__)
    enum { STOPS = 10 };
#else
    enum { STOPS = 1 };
#endif
    struct sleeper sleeper = {.polled = -2};
    enum loupe_stop stop;
    start(&sleeper.worker, work_asleep);
    for (int i = 0; i < STOPS; i++) {
        usleep(10000);
        struct loupe_unwound unwound = stop_and_walk(sleeper.worker.id, &stop);
        CHECK_EQ(stop, LOUPE_STOP_HELD);
        CHECK_EQ(unwound.end, LOUPE_UNWIND_OUTERMOST);
    }
    pthread_join(sleeper.worker.thread, NULL);
#if defined(__x86_64__)
    CHECK_EQ(sleeper.polled, 0);
    CHECK_EQ(sleeper.error, 0);
#endif
}

static void work_deaf(struct worker *worker) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    worker->steps = 1;
    count_up(worker);
}

static void test_thread_that_blocks_signals_is_left_alone(void) {
    struct worker worker = {0};
    enum loupe_stop stop;
    start(&worker, work_deaf);
    while (!worker.steps)
        usleep(1000);
    CHECK_EQ(stop_and_walk(worker.id, &stop).count, 0);
    CHECK_EQ(stop, LOUPE_STOP_REFUSED);
    uint64_t gone = worker.id;
    finish(&worker);
    stop_and_walk(gone, &stop);
    CHECK_EQ(stop, LOUPE_STOP_GONE);
}

static void work_lent(struct worker *worker) {
    int status;
    pid_t child = vfork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (!ends)
            usleep(1000);
        _exit(0);
    }
    waitpid(child, &status, 0);
    worker->steps = 1;
}

static bool is_in_kernel(uint64_t id) {
    struct loupe_task task;
    return loupe_task_read(id, &task) && task.state == LOUPE_TASK_IN_KERNEL;
}

/* A thread in vfork() answers when its child has ended. All such threads of a series are waited for
 * a fifth of a second, not each of them for half a second; one that runs answers as ever. */
static void test_threads_in_vfork_are_waited_for_together(void) {
    enum { LENT = 16, MOST = LENT / 2 * 500000 /* microseconds */ };
    static struct worker lent[LENT];
    struct worker running = {0};
    struct loupe_frame frame;
    uint64_t waited = 0;
    for (unsigned i = 0; i < LENT; i++)
        start(&lent[i], work_lent);
    start(&running, count_up);
    for (unsigned i = 0; i < LENT; i++)
        while (!is_in_kernel(lent[i].id))
            usleep(1000);
    CHECK(loupe_stops_begin());
    for (unsigned i = 0; i < LENT; i++) {
        uint64_t begun = loupe_kernel_microseconds();
        CHECK_EQ(loupe_thread_stop(lent[i].id, &frame), LOUPE_STOP_REFUSED);
        waited += loupe_kernel_microseconds() - begun;
    }
    CHECK_EQ(loupe_thread_stop(running.id, &frame), LOUPE_STOP_HELD);
    loupe_thread_let_go();
    loupe_stops_end();
    CHECK(waited < MOST);
    ends = true;
    for (unsigned i = 0; i < LENT; i++)
        pthread_join(lent[i].thread, NULL);
    finish(&running);
}

/* ---- Many of them ---- */

static unsigned interruptions = 500;

static void work_in_many_places(struct worker *worker) {
    unsigned seed = (unsigned)worker->id;
    while (!ends) {
        int values[40];
        for (unsigned i = 0; i < 40; i++)
            values[i] = rand_r(&seed);
        qsort(values, 40, sizeof(values[0]), compare);
        char *text = malloc((size_t)(rand_r(&seed) % 5000) + 1);
        text[0] = 'x';
        text = realloc(text, 20000);
        free(text);
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        worker->steps += (uint64_t)now.tv_nsec & leaf((uint64_t)values[3]) & 1;
    }
}

static void test_random_interruptions(void) {
    static struct worker workers[WORKERS];
    unsigned walked = 0, lost = 0, wrong = 0, seed = 1;
    for (unsigned i = 0; i < WORKERS; i++)
        start(&workers[i], work_in_many_places);
    for (unsigned i = 0; i < interruptions; i++) {
        const struct worker *worker = &workers[rand_r(&seed) % WORKERS];
        enum loupe_stop stop;
        struct loupe_unwound unwound = stop_and_walk(worker->id, &stop);
        walked += stop == LOUPE_STOP_HELD;
        lost += stop == LOUPE_STOP_HELD && unwound.end != LOUPE_UNWIND_OUTERMOST;
        wrong += unwound.end == LOUPE_UNWIND_OUTERMOST && !has_base(worker, unwound.count);
    }
    CHECK(walked > interruptions / 10 * 9); /* the others got no processor in time */
    CHECK_EQ(lost, 0);
    CHECK_EQ(wrong, 0);
    ends = true;
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(workers[i].thread, NULL);
    ends = false;
}

int main(int count, char **arguments) {
    if (count > 1)
        interruptions = (unsigned)atoi(arguments[1]);
    RUN(test_first_stack_is_asked_for_by_another_thread);
    RUN(test_thread_stands_still_while_it_is_walked);
    RUN(test_nobody_lets_it_go);
    RUN(test_more_than_fifty_frames);
    RUN(test_no_frame_twice);
    RUN(test_nothing_stays_behind);
    RUN(test_threads_are_found_and_not_renamed);
    RUN(test_libraries_that_come_and_go);
    RUN(test_handler_of_the_program_stays);
    RUN(test_sleeping_thread_sleeps_on);
    RUN(test_thread_that_blocks_signals_is_left_alone);
    RUN(test_threads_in_vfork_are_waited_for_together);
    RUN(test_random_interruptions);
    return check_report();
}
