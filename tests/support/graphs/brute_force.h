/*
 * brute_force.h - the truth about a small drawn graph, by methods too slow to be wrong: transitive
 * closure, all simple cycles one by one. Written from the definitions in core/loupe.h, with nothing
 * from the core but the drawing. Also the random drawings that it is asked about.
 */
#ifndef LOUPE_TESTS_BRUTE_FORCE_H
#define LOUPE_TESTS_BRUTE_FORCE_H

#include "drawn_graph.h"

enum { BRUTE_NODES = 40, BRUTE_RINGS = 20000 };

struct brute_force {
    uint32_t nodes;                            /* of the drawing; unreached ones have no edges */
    bool reached[BRUTE_NODES];                 /* from the seed */
    uint32_t edge[BRUTE_NODES][BRUTE_NODES];   /* how many, of reached nodes */
    uint32_t strong[BRUTE_NODES][BRUTE_NODES]; /* of these */
    bool leads[BRUTE_NODES][BRUTE_NODES];      /* by one edge or more */
    uint32_t knot_of[BRUTE_NODES]; /* the knot's lowest drawn node; LOUPE_NO_NODE: none */
};

void brute_force(const struct drawn_graph *drawn, struct brute_force *ret);

/* The length of a shortest ring through the node, of strong edges only or of all; 0: none. */
uint32_t brute_ring_through(const struct brute_force *brute, uint32_t node, bool strong_only);
/* The length of a shortest ring in the knot of a lowest node; 0: none. */
uint32_t brute_girth(const struct brute_force *brute, uint32_t knot, bool strong_only);
/* Whether a ring is left in the knot without the edges between two nodes. */
bool brute_has_ring_without(const struct brute_force *brute, uint32_t knot, uint32_t from,
                            uint32_t to);

/* All rings of a knot as sequences of nodes, the lowest first. Parallel edges are one way. */
struct brute_rings {
    uint32_t count; /* BRUTE_RINGS: there may be more */
    uint32_t length[BRUTE_RINGS];
    uint8_t nodes[BRUTE_RINGS][BRUTE_NODES];
};

void brute_all_rings(const struct brute_force *brute, uint32_t knot, struct brute_rings *ret);

/*
 * A random drawing of 1 to max_nodes nodes with parallel edges, edges to oneself, some assumed
 * ones, few classes and few names, so that many things look alike.
 */
void brute_draw(struct drawn_graph *drawn, uint64_t *random, uint32_t max_nodes);
/* The same drawing with other addresses, or with each node's edges in another order. */
void brute_shuffle_addresses(struct drawn_graph *drawn, uint64_t *random);
void brute_shuffle_edges(struct drawn_graph *drawn, uint64_t *random);

#endif
