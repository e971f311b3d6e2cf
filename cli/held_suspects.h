/*
 * held_suspects.h - objects that rules say should be gone and that something holds, grouped by the
 * references that can be the mistake.
 */
#ifndef LOUPE_CLI_HELD_SUSPECTS_H
#define LOUPE_CLI_HELD_SUSPECTS_H

#include "heap_question.h"

struct held_suspect {
    struct loupe_trace trace;
    uint32_t node;
    const struct loupe_rule *rule;
    uint64_t retained;
};

struct held_suspects {
    struct heap_question *question;
    const struct loupe_dominators *dominators; /* NULL where there are no suspects */
    struct held_suspect *items;                /* equal fingerprints together */
    uint32_t count;
    struct held_suspect **groups; /* the first of each fingerprint, the largest group first */
    uint32_t group_count;
    uint32_t by_others;        /* suspects that are held by those only */
    uint32_t not_held;         /* suspects that nothing keeps alive any more */
    struct loupe_amount total; /* what all of them keep alive together */
};

/* False: no memory. To be given to held_suspects_deinit() either way. */
bool held_suspects_find(struct held_suspects *suspects, struct heap_question *question);
void held_suspects_deinit(struct held_suspects *suspects);

/* The number of the first item behind those that have the fingerprint of item `first`. */
uint32_t held_suspects_end(const struct held_suspects *suspects, uint32_t first);

#endif
