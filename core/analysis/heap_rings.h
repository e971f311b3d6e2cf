/*
 * heap_rings.h - for each knot of a heap a ring of links: a shortest one through its lowest node.
 */
#ifndef LOUPE_HEAP_RINGS_H
#define LOUPE_HEAP_RINGS_H

#include "analysis/heap_knots.h"

struct loupe_heap_ring {
    uint32_t last;                  /* the node whose link leads back to the knot's lowest node */
    uint32_t length;                /* links */
    uint64_t objects, links, bytes; /* of the whole knot; links inside it */
};

struct loupe_heap_rings {
    const struct loupe_chunk_ops *chunks;
    uint32_t nodes, count;
    struct loupe_heap_ring *of; /* by knot */
    uint32_t *before;           /* by node of a ring but its first: the node before it */
};

/*
 * kinds as the knots were found with. One search inside each knot, so one pass over all; 4 bytes a
 * node and 40 a knot until loupe_heap_rings_deinit(), 4 a node more while it runs. On failure
 * (LOUPE_ENOMEM) there is nothing to deinit.
 */
enum loupe_status loupe_heap_rings_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_heap_knots *knots,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_heap_rings *ret);
void loupe_heap_rings_deinit(struct loupe_heap_rings *rings);

/* The nodes of a knot's ring in their order, the lowest one of the knot first; room for `length`.
 */
void loupe_heap_ring_nodes(const struct loupe_heap_rings *rings, uint32_t knot, uint32_t *nodes);

#endif
