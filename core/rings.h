/*
 * rings.h - the simple cycles of a knot that are worth showing.
 *
 * The first ring of a knot is a shortest one through the seed if the seed is in it, else a shortest
 * one of all. Rings of strong edges only come before those with an assumed one. Among equally short
 * rings the choice depends on names first and on addresses last, not on the order of edges.
 *
 * Through the seed the search is exhaustive. In a knot without the seed it starts from each member
 * in turn, looks at no more than LOUPE_RING_VISITS edges each time, and at LOUPE_KNOT_VISITS plus
 * the knot's edges in all: linear whatever the graph. Where that cut something off that could have
 * held a shorter ring, the ring is not `shortest`.
 */
#ifndef LOUPE_RINGS_H
#define LOUPE_RINGS_H

#include "describer.h"
#include "knot_search.h"

enum {
    LOUPE_RING_VISITS = 4096,    /* edges looked at from one start */
    LOUPE_KNOT_VISITS = 1 << 20, /* edges looked at in one knot, besides as many as it has */
};

/* Edge i leads from the target of edge i - 1, the first one from the target of the last. */
struct loupe_ring {
    uint32_t *edges;
    uint32_t length;
    bool shortest; /* proven: through the seed, or in its knot */
    bool certain;  /* no assumed edge */
    uint64_t fingerprint;
};

/* What the searches in one question share. */
struct loupe_ring_finder {
    const struct loupe_graph *graph;
    const struct loupe_describer *describer;
    struct loupe_arena *arena; /* owns the rings */
    struct loupe_search search;
    struct loupe_ring_choice *choice;
};

/* The knots stay the caller's; while a search runs it uses them as its memory. */
enum loupe_status loupe_ring_finder_init(struct loupe_ring_finder *finder,
                                         struct loupe_knots *knots,
                                         const struct loupe_describer *describer,
                                         struct loupe_arena *arena);
void loupe_ring_finder_deinit(struct loupe_ring_finder *finder);

/* The source of the i-th edge. */
static inline uint32_t loupe_ring_from(const struct loupe_graph *graph,
                                       const struct loupe_ring *ring, uint32_t i) {
    return loupe_graph_edge(graph, ring->edges[i ? i - 1 : ring->length - 1])->to;
}

/* The first ring of a knot. It starts at the seed, else at the start of its fingerprint. */
enum loupe_status loupe_rings_first(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                    struct loupe_ring *ret);

#endif
