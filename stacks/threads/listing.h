/*
 * listing.h - the threads of this process as their stacks are asked for: by the system's ids, the
 * library's handles, and the names that they have already.
 */
#ifndef LOUPE_STACKS_LISTING_H
#define LOUPE_STACKS_LISTING_H

#include "base/target/process.h"

/* The system's number of the thread that asks. */
uint64_t loupe_own_thread_id(void);

/* That of a pthread_t; 0: it is none of a thread that runs. No thread is renamed to find it out. */
uint64_t loupe_thread_id_of(const void *pthread);

/* Its name, cut to cap - 1 bytes; empty where it has none. */
void loupe_thread_name(uint64_t id, char *dst, size_t cap);

struct loupe_thread_activity {
    uint64_t run_time; /* nanoseconds that it has run so far, or waited for a processor where the
                          system tells that, too */
    bool is_runnable;  /* it runs or waits for a processor just now */
    bool counts_waits; /* the system tells how often it has begun to wait, for anything else */
    uint64_t waits;
};

/* What it does with its time. False: the system does not tell. */
bool loupe_thread_activity(uint64_t id, struct loupe_thread_activity *ret);

/* All threads, the first one of the process first, numbered from 0. LOUPE_EFAULT: there may be
 * more; otherwise what visit() returns. */
enum loupe_status loupe_threads_list(loupe_thread_visit visit, void *visitor);

#endif
