/*
 * knots.h - which objects keep each other alive.
 *
 * A knot is a component of the graph (analysis/components.h): several nodes, or a node with an edge
 * to itself. Knots are numbered from 0 by their lowest node. Hidden edges do not count.
 *
 * 8 bytes a node, in two arrays: which knot a node is in, and the members of each knot.
 */
#ifndef LOUPE_KNOTS_H
#define LOUPE_KNOTS_H

#include "analysis/components.h"
#include "graph/graph.h"

struct loupe_knots {
    const struct loupe_graph *graph;
    const struct loupe_chunk_ops *chunks;
    uint32_t *knot_of; /* by node: the knot's number, or LOUPE_NO_KNOT */
    uint32_t *members; /* all nodes in knots, by knot and id; the first of each knot is marked */
    uint32_t capacity; /* elements of knot_of: the nodes of the graph */
    uint32_t member_count; /* elements of members */
    uint32_t count;        /* knots */
};

/* The members of one knot. Valid as long as the knots. */
struct loupe_knot {
    uint32_t number;
    uint32_t first; /* where its members start in loupe_knots.members */
    uint32_t count; /* members */
};

/* Finds all knots of a frozen graph. The graph stays the caller's and must not change any more. */
enum loupe_status loupe_knots_find(const struct loupe_graph *graph,
                                   const struct loupe_chunk_ops *chunks, struct loupe_knots *ret);
void loupe_knots_deinit(struct loupe_knots *knots);

/* Free the list of members where memory is needed in between, and rebuild it. */
void loupe_knots_drop_members(struct loupe_knots *knots);
enum loupe_status loupe_knots_list_members(struct loupe_knots *knots);

/*
 * Moves *knot to the next one; false behind the last. Start with a zeroed one:
 *     struct loupe_knot knot = {0};
 *     while (loupe_knots_next(&knots, &knot)) ...
 */
bool loupe_knots_next(const struct loupe_knots *knots, struct loupe_knot *knot);

/* Whether a node is a member; LOUPE_NO_NODE is none. */
static inline bool loupe_knot_has(const struct loupe_knots *knots, const struct loupe_knot *knot,
                                  uint32_t node) {
    return node < knots->capacity && knots->knot_of[node] == knot->number;
}

/* The i-th member, by ascending id. */
static inline uint32_t loupe_knot_member(const struct loupe_knots *knots,
                                         const struct loupe_knot *knot, uint32_t i) {
    return knots->members[knot->first + i] & 0x7fffffffu;
}

struct loupe_knot_edges {
    uint64_t inside;  /* edges between members, hidden ones not counted */
    uint64_t assumed; /* of these */
};

struct loupe_knot_edges loupe_knot_count_edges(const struct loupe_knots *knots,
                                               const struct loupe_knot *knot);

#endif
