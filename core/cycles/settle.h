/*
 * settle.h - the nodes of a graph that a few passes tell from the rest before knots are searched.
 *
 * Most objects are in no knot, and those of the seed's knot often are very many. Both shows without
 * a search: a node whose edges all lead to nodes without a way into a knot has none itself, and a
 * node with an edge to one that leads back to the seed leads back to the seed. Passes from the last
 * node to the first and back read memory in order, where a depth-first search jumps; they settle
 * all nodes but those with a winding way.
 *
 * Nodes that are not settled are *open* and have numbers of their own, in the order of their ids.
 * 3 bits a node, so that the states of many nodes fit a processor's cache.
 */
#ifndef LOUPE_SETTLE_H
#define LOUPE_SETTLE_H

#include "graph/graph.h"

enum loupe_node_state {
    LOUPE_NODE_OPEN,
    LOUPE_NODE_LOOSE,    /* in no knot: no way leads from it into one */
    LOUPE_NODE_WITH_SEED /* leads to the seed; so does the seed by definition */
};

struct loupe_settled {
    const struct loupe_graph *graph;
    const struct loupe_chunk_ops *chunks;
    uint64_t *states;      /* two bits a node */
    uint32_t *open_before; /* open nodes before those of a word of states */
    uint32_t nodes, open;
    uint64_t open_edges; /* edges from open nodes to open nodes, or more */
    /*
     * Whether the seed leads to every node, so that whatever leads to it is in its knot: with more
     * seeds than one, or with hidden edges, that is not known and no node is LOUPE_NODE_WITH_SEED.
     */
    bool seed_leads;
    uint32_t with_seed; /* nodes that are LOUPE_NODE_WITH_SEED besides the seed */
};

/* The graph has nodes and is sealed. */
enum loupe_status loupe_settle(const struct loupe_graph *graph,
                               const struct loupe_chunk_ops *chunks, struct loupe_settled *ret);
void loupe_settled_deinit(struct loupe_settled *settled);

/*
 * Whether a copy of the open nodes and edges, with what Tarjan's algorithm needs for them (three
 * numbers a node, one an edge), takes less than 8 bytes for each node of the graph with the states.
 */
bool loupe_settled_copy_fits(const struct loupe_settled *settled);

enum {
    LOUPE_NODES_PER_WORD = 32,
    LOUPE_SMALL_COPY = 1 << 16 /* bytes that a copy may take more in any case */
};

static inline enum loupe_node_state loupe_settled_state(const struct loupe_settled *settled,
                                                        uint32_t node) {
    uint64_t word = settled->states[node / LOUPE_NODES_PER_WORD];
    return (enum loupe_node_state)(word >> node % LOUPE_NODES_PER_WORD * 2 & 3);
}

/* The number of an open node among the open ones. */
uint32_t loupe_settled_number(const struct loupe_settled *settled, uint32_t node);

#endif
