/*
 * heap_rings.h - for each knot of a heap a ring of links: a shortest one through one of its nodes.
 *
 * Not those of cycles/rings/rings.h, which are of one knot at a time: through the object that is
 * asked about or the shortest of all, chosen by what its edges are called, for as many visits as
 * one question has. Here all knots of a heap take one pass together, and nothing has a name.
 */
#ifndef LOUPE_HEAP_RINGS_H
#define LOUPE_HEAP_RINGS_H

#include "analysis/heap_knots.h"

struct loupe_heap_ring {
    uint32_t last;                  /* the node whose link leads back to the one it begins with */
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
 * What is to be known of a node by itself, in one number, that is the same from run to run. By it
 * and by what it leads to, some steps far, the node is chosen that a ring begins with: so the same
 * knot has the same ring wherever its nodes lie. Without of() it is the lowest node.
 */
struct loupe_heap_likeness {
    uint64_t (*of)(const void *ctx, uint32_t node);
    const void *ctx;
};

/*
 * kinds as the knots were found with. One search inside each knot, so one pass over all, with a
 * likeness two more for each step that nodes are told apart by, 16 at most; 4 bytes a node and 40 a
 * knot until loupe_heap_rings_deinit(), 4 a node more while it runs, and with a likeness 16 for
 * each of the largest knot. On failure (LOUPE_ENOMEM) there is nothing to deinit.
 */
enum loupe_status loupe_heap_rings_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_heap_knots *knots,
                                        struct loupe_heap_likeness likeness,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_heap_rings *ret);
void loupe_heap_rings_deinit(struct loupe_heap_rings *rings);

/* The nodes of a knot's ring in their order; room for `length`. */
void loupe_heap_ring_nodes(const struct loupe_heap_rings *rings, uint32_t knot, uint32_t *nodes);

#endif
