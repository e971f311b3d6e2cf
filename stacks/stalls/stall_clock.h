/*
 * stall_clock.h - when a turn of the main thread counts as a stall, by the ticks of a thread that
 * watches it. No clock, no thread: both are the caller's.
 *
 * Time counts only while the process runs. A tick that comes much later than it should shows that
 * all of it was stopped, by a debugger or because the machine slept.
 */
#ifndef LOUPE_STACKS_STALL_CLOCK_H
#define LOUPE_STACKS_STALL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { LOUPE_STALL_SAMPLES = 4 };

struct loupe_stall_clock {
    uint64_t limit, tick; /* microseconds */
    uint64_t last_tick;   /* by the clock */
    uint64_t turn;        /* the last that was seen */
    uint64_t quiet;       /* microseconds that count since then */
    unsigned samples;
    bool was_told;
};

/* What there is to see of the main thread. */
struct loupe_stall_signs {
    uint64_t turn;    /* grows with each */
    bool is_known;    /* it has a loop, or had one */
    bool rests;       /* the loop waits for something to do */
    bool is_standing; /* somebody else holds the thread or the process */
};

enum loupe_stall_event {
    LOUPE_STALL_NOTHING,
    LOUPE_STALL_SAMPLE, /* its stack is to be taken */
    LOUPE_STALL_TELL,   /* it is to be taken, and the stall told */
    LOUPE_STALL_OVER,   /* it was told, and is over */
    LOUPE_STALL_BRIEF   /* it is over before it was told */
};

void loupe_stall_clock_init(struct loupe_stall_clock *clock, uint64_t limit, uint64_t now);

/* Called every clock->tick microseconds. *length_ret is how long the stall has lasted. */
enum loupe_stall_event loupe_stall_clock_tick(struct loupe_stall_clock *clock, uint64_t now,
                                              const struct loupe_stall_signs *signs,
                                              uint64_t *length_ret);

#endif
