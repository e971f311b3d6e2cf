/*
 * incoming.h - who holds one node: the edges that lead to it, and the roots.
 */
#ifndef LOUPE_INCOMING_H
#define LOUPE_INCOMING_H

#include "graph/ways.h"

enum { LOUPE_MAX_INCOMING = 100 };

struct loupe_incoming_edge {
    uint32_t from, edge;
    struct loupe_way way; /* to `from`, not through the node itself */
};

struct loupe_incoming {
    /* The first ones by their ways: better roots, shorter ways; those without a way come last. */
    struct loupe_incoming_edge edges[LOUPE_MAX_INCOMING];
    uint32_t edge_count;
    uint64_t edges_found;
    uint64_t assumed;                   /* of those found: of unknown ownership */
    uint64_t shared;                    /* of those found: no retain of their own */
    uint32_t roots[LOUPE_MAX_INCOMING]; /* indices of roots that lead to the node itself */
    uint32_t root_count;
    uint64_t words[LOUPE_ROOT_KIND_COUNT]; /* all such roots, by kind */
    uint64_t owned_by_roots;               /* retains that these are known to own */
};

/* ways avoid the node; roots are those that they were found with. */
void loupe_incoming_find(const struct loupe_graph *graph, uint32_t node,
                         const struct loupe_ways *ways, const struct loupe_vector *roots,
                         struct loupe_incoming *ret);

#endif
