/*
 * rings.h - the simple cycles of a knot that are worth showing.
 *
 * The first ring of a knot is a shortest one through the seed if the seed is in it, else a
 * shortest one of all. Rings of strong edges only come before those with an assumed one. Among
 * equally short rings the choice depends on names first and on addresses last, not on the order of
 * edges.
 *
 * Through the seed the search is exhaustive. In a knot without the seed it starts from each
 * member in turn, looks at no more than LOUPE_RING_VISITS edges each time, and at LOUPE_KNOT_VISITS
 * plus the knot's edges in all: linear whatever the graph. Where that cut something off that could
 * have held a shorter ring, the ring is not `shortest`.
 */
#ifndef LOUPE_RINGS_H
#define LOUPE_RINGS_H

#include "cycles/rings/paths.h"

enum {
    LOUPE_RING_VISITS = 4096,   /* edges looked at from one start */
    LOUPE_KNOT_VISITS = 1 << 20 /* edges looked at in one knot, besides as many as it has */
};

/* Edge i leads from the target of edge i - 1, the first one from the target of the last. */
struct loupe_ring {
    uint32_t *edges;
    uint32_t length;
    bool shortest; /* the search that found it left out nothing shorter */
    bool certain;  /* no assumed edge */
    uint64_t fingerprint;
    uint64_t older_fingerprint; /* in older baselines, which knew nothing of what blocks run */
};

/* The source of the i-th edge. */
static inline uint32_t loupe_ring_from(const struct loupe_graph *graph,
                                       const struct loupe_ring *ring, uint32_t i) {
    return loupe_graph_target(graph, ring->edges[i ? i - 1 : ring->length - 1]);
}

/*
 * The first ring of a knot. A ring through the seed starts there, another one at the start of its
 * fingerprint.
 */
enum loupe_status loupe_rings_first(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                    struct loupe_ring *ret);

/*
 * A ring that takes the given edge of a member, the shortest one unless LOUPE_RING_VISITS or
 * *visits_left, which goes down, did not suffice; then its length is 0.
 */
enum loupe_status loupe_ring_through(struct loupe_ring_finder *finder,
                                     const struct loupe_knot *knot, uint32_t from, uint32_t edge,
                                     uint64_t *visits_left, struct loupe_ring *ret);

/*
 * Fills in fingerprint and certain from the edges, and turns the ring: to start at the seed if
 * that is on it, else where its names read least.
 */
enum loupe_status loupe_ring_complete(struct loupe_ring_finder *finder, struct loupe_ring *ring);

/*
 * The place in a ring, given the fingerprints of its edges, where it starts whatever the place it
 * was found from: where the names read least, among several such places at the lowest address.
 */
uint32_t loupe_ring_start(const struct loupe_graph *graph, const struct loupe_ring *ring,
                          const uint64_t *names);

#endif
