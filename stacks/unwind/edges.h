/*
 * edges.h - functions that are interrupted before their frame is made, or when it is given back.
 *
 * Tables of bodies (compact unwind) say nothing of that, so the code itself is read: from the
 * beginning of the function up to the place, or from the place up to the return, as far as it does
 * nothing but make or give back a frame. Where neither is so the function is in its body.
 */
#ifndef LOUPE_STACKS_EDGES_H
#define LOUPE_STACKS_EDGES_H

#include "unwind/step.h"

/* Makes of the rules of the body of the frame's function those of the place where it was
 * interrupted. */
void loupe_edges_adjust(struct loupe_unwinder *unwinder, const struct loupe_unwind_tables *tables,
                        const struct loupe_frame *frame, struct loupe_unwind_rules *rules);

/* ---- Each machine ---- */

/* The function that was interrupted, and what its code was found to have done with the stack. */
struct loupe_half_frame {
    struct loupe_memory *code;
    loupe_addr pc;
    struct loupe_range function;
    /* Bytes from the stack pointer up to the frame's address (DWARF's CFA), and where registers are
     * from the stack pointer, those of which saved has a bit. */
    int64_t size, places[LOUPE_FRAME_REGISTERS];
    uint64_t saved;
};

struct loupe_half_frame_ops {
    /* From the beginning to the place: false where it was not followed so far. */
    bool (*begins)(struct loupe_half_frame *edge);
    /* From the place to the return: false where it was not followed so far. */
    bool (*ends)(struct loupe_half_frame *edge);
    /* Whether what sets the frame pointer stands before the place. */
    bool (*has_record)(const struct loupe_half_frame *edge);
};

extern const struct loupe_half_frame_ops loupe_half_frame_x86_64, loupe_half_frame_arm64;

static inline void loupe_half_frame_save(struct loupe_half_frame *edge, unsigned number,
                                         int64_t place) {
    edge->places[number] = place;
    edge->saved |= UINT64_C(1) << number;
}

#endif
