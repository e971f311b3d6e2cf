/*
 * recorded_stacks.h - who allocated what of a snapshot, as libloupe_record recorded it (native.h).
 */
#ifndef LOUPE_SNAPSHOT_RECORDED_STACKS_H
#define LOUPE_SNAPSHOT_RECORDED_STACKS_H

#include "snapshot/native.h"

enum { LOUPE_MOST_RECORDED_FRAMES = 128 }; /* of one stack; frames further out are missing */

struct loupe_recorded_stack {
    const struct loupe_recorded_frame *frames[LOUPE_MOST_RECORDED_FRAMES]; /* innermost first */
    uint32_t count;
    bool whole; /* none is missing */
};

/* Whether the recorder was in the process, whatever it recorded. */
static inline bool loupe_snapshot_has_recorder(const struct loupe_snapshot *snapshot) {
    return snapshot->native && snapshot->native->recorder;
}

/* The number of the stack that allocated a node, or LOUPE_NONE. */
static inline uint32_t loupe_snapshot_stack(const struct loupe_snapshot *snapshot, uint32_t node) {
    return loupe_snapshot_has_recorder(snapshot) ? snapshot->native->stacks[node] : LOUPE_NONE;
}

void loupe_snapshot_read_stack(const struct loupe_snapshot *snapshot, uint32_t stack,
                               struct loupe_recorded_stack *ret);

/*
 * The innermost frame of the program's own: neither of the runtime or the system, nor of a setter
 * that the compiler wrote; where there is none, the innermost one.
 */
const struct loupe_recorded_frame *loupe_snapshot_guilty(const struct loupe_snapshot *snapshot,
                                                         uint32_t stack);

#endif
