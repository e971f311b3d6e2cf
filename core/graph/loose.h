/*
 * loose.h - a reference that keeps nothing alive: what a walk that explains itself puts down beside
 * the edges of its graph.
 */
#ifndef LOUPE_LOOSE_H
#define LOUPE_LOOSE_H

#include "base/vector.h"
#include "graph/graph.h"

struct loupe_loose {
    loupe_addr target; /* what stands in the slot */
    uint32_t from;
    struct loupe_edge
        edge; /* LOUPE_LOOSE_WEAK or LOUPE_LOOSE_UNRETAINED; to: LOUPE_NO_NODE while unknown */
};

/* Those of a graph, in the order in which they were met. */
struct loupe_loose_refs {
    struct loupe_vector items; /* of struct loupe_loose */
    uint64_t left_out;         /* met when there were LOUPE_MAX_LOOSE already */
};

enum { LOUPE_MAX_LOOSE = 1 << 22, LOUPE_MAX_FREED_SLOTS = 16 };

/* References to what was an object, as their words tell; the others are counted among the findings
 * alone. */
struct loupe_freed_slots {
    struct loupe_loose items[LOUPE_MAX_FREED_SLOTS];
    uint32_t count;
};

static inline const struct loupe_loose *loupe_loose_at(const struct loupe_loose_refs *refs,
                                                       uint32_t index) {
    return loupe_vector_at(&refs->items, index, sizeof(struct loupe_loose));
}

#endif
