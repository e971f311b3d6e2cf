/*
 * nonowning.h - a reference that keeps nothing alive: what a walk that explains itself puts down
 * beside the edges of its graph.
 */
#ifndef LOUPE_NONOWNING_H
#define LOUPE_NONOWNING_H

#include "base/map.h"
#include "base/vector.h"
#include "graph/graph.h"

struct loupe_nonowning_ref {
    loupe_addr target; /* what stands in the slot */
    uint32_t from;
    struct loupe_edge edge; /* LOUPE_NONOWNING_WEAK or LOUPE_NONOWNING_UNRETAINED; to: LOUPE_NO_NODE
                               while unknown */
};

static inline bool loupe_owns_nothing(const struct loupe_edge *edge) {
    return edge->ownership == LOUPE_NONOWNING_WEAK || edge->ownership == LOUPE_NONOWNING_UNRETAINED;
}

/* Those of a graph, in the order in which they were met. */
struct loupe_nonowning_refs {
    struct loupe_vector items; /* of struct loupe_nonowning_ref */
    uint64_t left_out;         /* met when there were LOUPE_MAX_NONOWNING already */
};

enum { LOUPE_MAX_NONOWNING = 1 << 22, LOUPE_MAX_FREED_SLOTS = 16 };

/* References to what was an object, as their words tell; the others are counted among the findings
 * alone. */
struct loupe_freed_slots {
    struct loupe_nonowning_ref items[LOUPE_MAX_FREED_SLOTS];
    uint32_t count;
    uint64_t left_out;               /* met when there were as many already */
    struct loupe_map left_out_edges; /* those of them that are edges of a graph */
};

static inline const struct loupe_nonowning_ref *
loupe_nonowning_at(const struct loupe_nonowning_refs *refs, uint32_t index) {
    return loupe_vector_at(&refs->items, index, sizeof(struct loupe_nonowning_ref));
}

#endif
