/*
 * weak_rings.h - the rings that there would be if a reference that owns nothing owned its object.
 *
 * For who asks why a delegate closes no ring: the answer names the reference and the way back. Each
 * reference is looked at by itself; two that would close a ring only together are not found.
 */
#ifndef LOUPE_WEAK_RINGS_H
#define LOUPE_WEAK_RINGS_H

#include "graph/nonowning.h"

enum {
    LOUPE_MAX_WEAK_RINGS = 32,
    LOUPE_WEAK_RING_VISITS = 1 << 26 /* references looked at, in all */
};

/* One sort of reference: the same place in objects of one class. */
struct loupe_weak_ring {
    uint32_t nonowning; /* index of the first one */
    uint32_t count;     /* how many of the sort close a ring */
    uint32_t length;    /* edges of the shortest way back from its target to its source */
    uint32_t *edges;    /* the way, from the target on; in the arena */
};

struct loupe_weak_rings {
    struct loupe_weak_ring items[LOUPE_MAX_WEAK_RINGS];
    uint32_t count;
    uint32_t sorts_found;
    uint64_t found; /* references that close a ring */
    bool all;       /* every reference was looked at */
};

/*
 * nonowning holds struct loupe_nonowning_ref in the order of their sources, resolved. The graph is
 * frozen; hidden edges are not followed. 12 bytes a node besides, which are given back.
 * LOUPE_ENOMEM.
 */
enum loupe_status loupe_weak_rings_find(const struct loupe_graph *graph,
                                        const struct loupe_vector *nonowning,
                                        struct loupe_arena *arena, struct loupe_weak_rings *ret);

#endif
