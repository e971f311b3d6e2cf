/*
 * drawn_graph.h - graphs that a test draws as text or piece by piece, without any target memory.
 *
 * A picture is a list of words; the first node named is the seed:
 *
 *     A.b->B       A's ivar b holds B          A~>B with the same marks: ownership assumed,
 *                                              A+>B assumed because a property declares it
 *     A{self}->B   the block A captures self   A[3]->B   element 3     A&v->B  __block variable v
 *     A@key->B     an association              A!->B     timer target  A=>B    dictionary value
 *     A.b%>B       the same retain as an edge before it
 *     a:Node       node a is of class Node     a:Sub<Base   ... whose superclass is Base
 *     A=2  A=?  A=!   A's retain count: 2, unknown, immortal
 *
 * A node's class is its name unless said otherwise, its retain count the number of references to it
 * (the seed's too, shared ones once), its address 0x1000 times its number from 1. The k-th
 * reference drawn from a node has the offset 8 * k. A picture that cannot be read ends the test
 * program.
 */
#ifndef LOUPE_TESTS_DRAWN_GRAPH_H
#define LOUPE_TESTS_DRAWN_GRAPH_H

#include "cycles/cycles.h"
#include "memory/drawn_heap.h"

enum { DRAWN_COUNT_REFERENCES = -1, DRAWN_COUNT_UNKNOWN = -2, DRAWN_COUNT_IMMORTAL = -3 };

struct drawn_node {
    const char *name, *class_name, *superclass; /* superclass may be NULL */
    loupe_addr address;
    enum loupe_node_kind kind;
    int64_t retain_count; /* or one of DRAWN_COUNT_... */
    uint32_t references;  /* edges to it */
    uint32_t edges;       /* edges from it */
};

struct drawn_edge {
    uint32_t from, to; /* drawn nodes */
    enum loupe_edge_kind kind;
    enum loupe_ownership ownership;
    const char *path;
    uint32_t offset;
    bool shared;
};

struct drawn_graph {
    struct drawn_node *nodes; /* the first one is the seed */
    struct drawn_edge *edges; /* the order within a node is that of its references */
    uint32_t node_count, edge_count, node_capacity, edge_capacity;
    char **texts; /* owned copies, each text once */
    uint32_t text_count, text_capacity;
    const struct loupe_chunk_ops *chunks; /* malloc, unless a test sets others */

    /* After drawn_graph_build(). */
    struct drawn_heap heap;
    struct loupe_memory memory;
    struct loupe_findings findings;
    struct loupe_graph graph;
    struct loupe_describer describer;
    struct loupe_map by_address;
    struct drawn_edge **by_source; /* edges by source */
    uint32_t *first_by_source;
    uint64_t labels; /* how often an edge was named */
};

void drawn_graph_init(struct drawn_graph *drawn);
void drawn_graph_deinit(struct drawn_graph *drawn);

/* Adds the picture's nodes and edges. */
void drawn_graph_draw(struct drawn_graph *drawn, const char *picture);
uint32_t drawn_graph_add_node(struct drawn_graph *drawn, const char *name, const char *class_name);
void drawn_graph_add_edge(struct drawn_graph *drawn, uint32_t from, uint32_t to,
                          enum loupe_edge_kind kind, enum loupe_ownership ownership,
                          const char *path);

/* Walks the drawing from its first node into ->graph. limit as in loupe_graph_init(). */
enum loupe_status drawn_graph_build(struct drawn_graph *drawn, uint64_t limit);
/* Forgets what was built, for a drawing that is changed and built again. */
void drawn_graph_unbuild(struct drawn_graph *drawn);

/* The graph's node for a drawn one, by name or number; LOUPE_NO_NODE when it was not reached. */
uint32_t drawn_graph_id(const struct drawn_graph *drawn, const char *name);
uint32_t drawn_graph_id_of(const struct drawn_graph *drawn, uint32_t drawn_node);
/* And back. */
uint32_t drawn_graph_drawn(const struct drawn_graph *drawn, uint32_t node);

/* "A.b->B B.a->A" for a ring, in its order, and "A.b->B" for an edge. Static storage. */
const char *drawn_graph_ring(const struct drawn_graph *drawn, const struct loupe_ring *ring);
const char *drawn_graph_edge(const struct drawn_graph *drawn, uint32_t from, uint32_t edge);

/* Numbers that are the same in every run. state is the seed. */
uint64_t drawn_random(uint64_t *state);

#endif
