#define _DEFAULT_SOURCE /* clock_gettime(), isatty() */

#include "heaps/progress.h"

#include "shared/amounts.h"
#include "shared/cli.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { QUIET = 1000, BETWEEN = 200 }; /* milliseconds */

void progress_look(struct progress *progress) {
    uint64_t now = progress->now();
    if (!progress->what || now < progress->began + QUIET ||
        (progress->is_there && now < progress->shown + BETWEEN))
        return;
    fprintf(progress->terminal, "\r%s %s", progress->what,
            cli_printable(loupe_span_of(progress->name)));
    if (progress->of)
        fprintf(progress->terminal, ": %u %%",
                (unsigned)((double)progress->done / (double)progress->of * 100));
    else if (progress->done)
        fprintf(progress->terminal, ": %s", cli_bytes(progress->done));
    fputs("\033[K", progress->terminal);
    fflush(progress->terminal);
    progress->shown = now;
    progress->is_there = true;
}

void progress_clear(struct progress *progress) {
    if (progress->is_there) {
        fputs("\r\033[K", progress->terminal);
        fflush(progress->terminal);
    }
    progress->is_there = false;
}

/* ---- The one of this process ---- */

static uint64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct progress ours = {.now = milliseconds};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t has_thread; /* the process that it is in: a copy of a process has none */

/* Looks for as long as the process lives; it sleeps nearly all of that. */
static void *look(void *nothing) {
    struct timespec pause = {.tv_nsec = BETWEEN * 1000000L};
    (void)nothing;
    for (;;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&lock);
        progress_look(&ours);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* Signals are for the thread that works. */
static void start_thread(void) {
    pthread_t thread;
    sigset_t all, before;
    if (has_thread == getpid())
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!pthread_create(&thread, NULL, look, NULL)) {
        pthread_detach(thread);
        has_thread = getpid();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_begin(const char *what, const char *name) {
    if (!isatty(STDERR_FILENO))
        return;
    pthread_mutex_lock(&lock);
    if (!ours.what)
        ours.began = ours.now();
    ours.terminal = stderr;
    ours.what = what;
    ours.name = name;
    ours.done = ours.of = 0;
    pthread_mutex_unlock(&lock);
    start_thread();
}

/* Called often: the thread looks at what is written here. */
void progress_at(uint64_t done, uint64_t of) {
    if (!ours.what)
        return;
    pthread_mutex_lock(&lock);
    ours.done = done;
    ours.of = of;
    pthread_mutex_unlock(&lock);
}

void progress_end(void) {
    if (!ours.what)
        return;
    pthread_mutex_lock(&lock);
    ours.what = NULL;
    progress_clear(&ours);
    pthread_mutex_unlock(&lock);
}
