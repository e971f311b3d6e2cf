/*
 * step.h - from a function to its caller: by the tables of its image, or where there are none by
 * frame pointers.
 *
 * Nothing is guessed: a caller that cannot be told for certain is none, and the stack ends as LOST.
 * A frame pointer leads on only upwards, inside of the stack, and to a place behind a call.
 */
#ifndef LOUPE_STACKS_STEP_H
#define LOUPE_STACKS_STEP_H

#include "tables/rows.h"

struct loupe_unwinder {
    struct loupe_memory *stack;  /* where frames are read */
    struct loupe_memory *images; /* where tables and code are; may be the same one */
    const struct loupe_frame_machine *machine;
    /* The tables of the image that holds a place. False: no image does. */
    bool (*find_tables)(void *ctx, loupe_addr place, struct loupe_unwind_tables *ret);
    void *ctx;
    bool keeps_rows; /* the places are of this process: rows are kept for the next time */
};

enum loupe_step {
    LOUPE_STEP_DONE,
    LOUPE_STEP_OUTERMOST, /* there is no caller */
    LOUPE_STEP_LOST       /* what there is of it cannot be told */
};

/* Makes of a frame its caller's. On any other result the frame is as it was. */
enum loupe_step loupe_step(struct loupe_unwinder *unwinder, struct loupe_frame *frame);

/* Whether a call can return to the address: one stands right before it. */
bool loupe_is_behind_call(struct loupe_unwinder *unwinder, loupe_addr addr);

/* Makes of an innermost frame without tables its caller's, by frame pointers and by its code. */
enum loupe_step loupe_step_by_pointers(struct loupe_unwinder *unwinder, struct loupe_frame *frame);

#endif
