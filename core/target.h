/*
 * target.h - what every step of one question shares: the memory, the runtime, the arena, and what
 * was found on the way but not followed.
 */
#ifndef LOUPE_TARGET_H
#define LOUPE_TARGET_H

#include "arena.h"
#include "memory.h"
#include "status.h"

struct loupe_abi;

struct loupe_target {
    struct loupe_memory *memory;
    const struct loupe_chunk_ops *chunks;
    struct loupe_arena arena;    /* lives as long as the question */
    const struct loupe_abi *abi; /* NULL until detected, or when there is no runtime we know */
    void *abi_state;             /* in the arena; the abi's own */
    struct loupe_findings findings;
};

void loupe_target_init(struct loupe_target *target, struct loupe_memory *memory,
                       const struct loupe_chunk_ops *chunks);
void loupe_target_deinit(struct loupe_target *target);

#endif
