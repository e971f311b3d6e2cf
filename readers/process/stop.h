/*
 * stop.h - all threads of a process, stopped and let go again (Linux).
 *
 * They are seized (PTRACE_SEIZE): no signal is sent, a process that its shell had stopped stays
 * stopped, and when we end, in whatever way, the kernel lets them go. What a thread did when it was
 * stopped goes on: the kernel resumes most calls by itself, and is told to do so (x86-64) with
 * those it would end with EINTR though no signal came.
 */
#ifndef LOUPE_READERS_STOP_H
#define LOUPE_READERS_STOP_H

#include "base/vector.h"

struct loupe_stopped_thread {
    int id;
    int signal;      /* that was about to be delivered; 0: none */
    bool is_stopped; /* else it waits in the kernel (vfork, a disk that does not answer), and stops
                      * before it runs on: it has no registers that could be read */
};

struct loupe_stopped {
    int process;
    struct loupe_vector
        threads; /* of struct loupe_stopped_thread; the first of the process first */
    bool (*interrupted)(void *ctx); /* may be NULL */
    void *ctx;
    uint64_t patience; /* microseconds, for all threads that wait in the kernel together */
    uint64_t waited;   /* of them */
};

/* Stops all threads, those that start meanwhile too; for those that wait in the kernel it waits
 * for as long as its patience is. Fails with a message; then all run again. */
enum loupe_status loupe_stop_process(struct loupe_stopped *stopped, struct loupe_error *err);
/* Lets all go. */
void loupe_let_go(struct loupe_stopped *stopped);

/* A number behind a name in /proc/PID/status ("TracerPid"), of a process or, of all threads, of
 * one. False: there is none. */
bool loupe_proc_status(int process, const char *name, uint64_t *ret);

#endif
