/*
 * sample.h - the main thread's stack, taken several times, and what of it stayed.
 */
#ifndef LOUPE_STACKS_SAMPLE_H
#define LOUPE_STACKS_SAMPLE_H

#include "stalls/stall_clock.h"
#include "threads/listing.h"

#include <stddef.h>

enum { LOUPE_SAMPLE_DEPTH = 4096 };

struct loupe_samples {
    unsigned count;
    size_t depth;                        /* frames of the part that stayed */
    uint64_t frames[LOUPE_SAMPLE_DEPTH]; /* of it, innermost first */
    uint8_t interrupted[LOUPE_SAMPLE_DEPTH];
    bool is_cut; /* a stack was deeper, or could not be told to its end */
    /* Nanoseconds between the samples, without those in which the thread was stopped, and of them
     * those in which it is known to have run or waited for a processor. */
    uint64_t between, ran;
    unsigned runnable;                 /* so many times it did when it was stopped */
    struct loupe_thread_activity last; /* once it could go on, */
    uint64_t last_time;                /* at that time, in microseconds */
};

/* The number of the main thread. */
uint64_t loupe_sample_main_thread(void);

/* Takes one more; the part that all have in common stays. */
void loupe_sample_take(struct loupe_samples *samples);

/* Which part of the time between the samples the thread computed, 0 to 1. */
double loupe_sample_busy(const struct loupe_samples *samples);

/*
 * The part that stayed, as text; readable until the next call. NULL: there is no memory.
 */
const char *loupe_sample_text(const struct loupe_samples *samples);

/* Whether the main thread waits in a function whose name has this part. It is not stopped. Slow. */
bool loupe_sample_is_in(const char *part);

/* Whether somebody holds the main thread: a debugger, or a signal that stopped the process. */
bool loupe_sample_is_standing(void);

#endif
