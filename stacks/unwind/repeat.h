/*
 * repeat.h - stacks of the thread that asks, over and over, as at each allocation: what
 * loupe_unwind_own() finds, in a few nanoseconds a frame.
 *
 * The unwinder's rows are kept in a form that is used without a search: by the place in the code,
 * and by the place on the stack where they were used last, since most of a stack is the same again
 * and its frames then lie where they lay. Nothing is taken for the same that was not compared: each
 * return address is read where it stands now. What has no such row is left to loupe_unwind_own().
 */
#ifndef LOUPE_STACKS_REPEAT_H
#define LOUPE_STACKS_REPEAT_H

#include "unwind/unwind.h"

enum { LOUPE_REPEAT_FRAMES = 128, LOUPE_REPEAT_ROWS = 256 };

/* How to get from a function, at one place in its code, to its caller. */
struct loupe_repeat_row {
    int32_t offset;            /* of the frame's address from the stack or frame pointer */
    int8_t return_address, fp; /* words from there to where they stand; fp 0: it is kept */
    bool is_from_fp, is_outermost;
};

/* All zero at first. Nobody else uses it at the same time. */
struct loupe_repeat {
    uint64_t generation; /* of the rows: loupe_rows_generation() */
    struct {
        uint64_t place;
        struct loupe_repeat_row row;
    } rows[LOUPE_REPEAT_ROWS];
    /* By their place on the stack; on cache lines of their own. */
    struct loupe_repeat_frame {
        uint64_t sp, place;
        uint64_t fp;        /* that it was reached with, where it is found by that */
        uint64_t address;   /* where its caller's part begins */
        uint64_t return_at; /* where the return address stands; 0: it is the outermost */
        uint64_t fp_at;     /* where the caller's frame pointer stands; 0: it is the same */
        uint64_t is_from_fp;
        uint64_t unused;
    } frames[LOUPE_REPEAT_FRAMES];
};

/* As loupe_unwind_own(). Both must be the caller's alone until it returns. */
struct loupe_unwound loupe_unwind_repeated(struct loupe_repeat *repeat,
                                           const struct loupe_frame *from,
                                           struct loupe_range *proved, size_t skip, uint64_t *ret,
                                           size_t cap);

#endif
