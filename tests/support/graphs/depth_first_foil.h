/*
 * depth_first_foil.h - retain cycles as in-app detectors look for them, to measure what they miss.
 *
 * A depth-first walk from each candidate with a stack that may be only so deep and a set of objects
 * entered before, which all candidates of a run share: what FBRetainCycleDetector does since 2017,
 * written anew from its description. Parallel references count once.
 */
#ifndef LOUPE_TESTS_DEPTH_FIRST_FOIL_H
#define LOUPE_TESTS_DEPTH_FIRST_FOIL_H

#include "drawn_graph.h"

enum { FOIL_NO_LIMIT = 1 << 30 };

struct foil_ring {
    uint32_t *nodes; /* drawn ones */
    uint32_t length;
};

struct foil {
    const struct drawn_graph *drawn;
    uint32_t limit;  /* objects on the stack */
    bool *entered;   /* by drawn node; shared by all candidates */
    uint32_t *place; /* by drawn node: its depth on the path from 1, or 0 */
    struct foil_ring *rings;
    uint32_t ring_count, ring_capacity;
};

void foil_init(struct foil *foil, const struct drawn_graph *drawn, uint32_t limit);
void foil_deinit(struct foil *foil);

/* Walks from a drawn node and adds the rings that it comes across. */
void foil_walk(struct foil *foil, uint32_t candidate);

/* The length of the shortest ring found through a drawn node; 0 when there is none. */
uint32_t foil_shortest_through(const struct foil *foil, uint32_t node);

#endif
