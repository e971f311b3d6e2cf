/*
 * settle.h - the nodes of a large graph that a few passes tell from the rest before knots are
 * searched.
 *
 * A search whose numbers fit a processor's cache is faster than anything that spares it nodes. In
 * larger graphs it waits for memory at every step, and sparing pays: most objects are in no knot,
 * and those that are often are in one of very many. Both shows without a search: passes read the
 * graph in order, and lines (peel.h) are known ahead, so that what they need can be fetched. In
 * turn:
 *  - A node whose references all lead to loose nodes is loose, and so is one that only loose nodes
 *    refer to.
 *  - One node is the *anchor*: the seed, where it leads to all and something leads back to it, else
 *    the node that most references lead to. Of the nodes that it leads to, those with a reference
 *    to one of its knot are in its knot.
 *
 * What is left is *open* and has numbers of its own, in the order of ids. 3 bits a node, so that
 * the states of many nodes fit a processor's cache; besides, 4 bytes a node while lines are walked.
 */
#ifndef LOUPE_SETTLE_H
#define LOUPE_SETTLE_H

#include "graph/graph.h"

/* The first and the last are open: only searches tell which knots such nodes are in. */
enum loupe_node_state {
    LOUPE_NODE_OPEN,
    LOUPE_NODE_LOOSE, /* in no knot */
    LOUPE_NODE_TIED,  /* in the anchor's knot, as is the anchor itself if that has one */
    LOUPE_NODE_LED    /* open, and the anchor leads to it */
};

struct loupe_settled {
    const struct loupe_graph *graph;
    const struct loupe_chunk_ops *chunks;
    uint64_t *states;      /* two bits a node */
    uint32_t *open_before; /* open nodes before those of a word of states */
    uint32_t nodes, open;
    uint64_t open_edges; /* edges from open nodes to those of the same state, or more */
    uint32_t anchor;     /* LOUPE_NO_NODE: none */
    uint32_t tied;       /* nodes besides the anchor */
    bool is_settled;     /* else all nodes are open, and there is no anchor */
    bool complete;       /* all of the anchor's knot is tied */
    bool hides_edges;    /* a node that a pass came to has hidden edges */
};

/* The graph has nodes and is sealed. settle: else all nodes stay open. LOUPE_OK or LOUPE_ENOMEM. */
enum loupe_status loupe_settle(const struct loupe_graph *graph, bool settle,
                               const struct loupe_chunk_ops *chunks, struct loupe_settled *ret);
void loupe_settled_deinit(struct loupe_settled *settled);

/*
 * Whether a copy of the open nodes and edges, with what Tarjan's algorithm needs for them (three
 * numbers a node, one an edge), takes less than 8 bytes for each node of the graph with the states.
 */
bool loupe_settled_copy_fits(const struct loupe_settled *settled);

enum {
    LOUPE_NODES_PER_WORD = 32,
    LOUPE_SETTLED_FROM = 1 << 18 /* nodes: smaller graphs are searched as they are */
};

static inline enum loupe_node_state loupe_settled_state(const struct loupe_settled *settled,
                                                        uint32_t node) {
    uint64_t word = settled->states[node / LOUPE_NODES_PER_WORD];
    return (enum loupe_node_state)(word >> node % LOUPE_NODES_PER_WORD * 2 & 3);
}

static inline void loupe_settled_set(struct loupe_settled *settled, uint32_t node,
                                     enum loupe_node_state state) {
    unsigned shift = node % LOUPE_NODES_PER_WORD * 2;
    uint64_t *word = &settled->states[node / LOUPE_NODES_PER_WORD];
    *word = (*word & ~((uint64_t)3 << shift)) | (uint64_t)state << shift;
}

/* Those of a word's nodes, the first of which is given, that are in the state: node i at bit 2i. */
static inline uint64_t loupe_settled_in_state(const struct loupe_settled *settled, uint32_t first,
                                              enum loupe_node_state state) {
    const uint64_t each = 0x5555555555555555u;
    uint64_t other = settled->states[first / LOUPE_NODES_PER_WORD] ^ (uint64_t)state * each;
    return ~(other | other >> 1) & each;
}

static inline bool loupe_state_is_open(enum loupe_node_state state) {
    return state == LOUPE_NODE_OPEN || state == LOUPE_NODE_LED;
}

/*
 * Whether a knot may lead along an edge from an open node in one state to a node in another: an
 * edge into what the anchor leads to comes back only from there, one out of it never does.
 */
static inline bool loupe_states_may_tie(enum loupe_node_state from, enum loupe_node_state to) {
    return from == to || (from == LOUPE_NODE_LED && to == LOUPE_NODE_TIED);
}

/* The number of an open node among the open ones. */
uint32_t loupe_settled_number(const struct loupe_settled *settled, uint32_t node);

#endif
