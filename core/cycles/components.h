/*
 * components.h - the strongly connected components of a graph, as knots.h needs them: one with more
 * than one node, or whose node has an edge to itself, has a number; hidden edges do not count.
 */
#ifndef LOUPE_COMPONENTS_H
#define LOUPE_COMPONENTS_H

#include "base/numbers.h"
#include "cycles/knots.h"

struct loupe_components {
    uint32_t *of; /* by node: its component, or LOUPE_NO_KNOT; loupe_numbers_put() gives it back */
    uint32_t count; /* their numbers are the ones from LOUPE_NO_KNOT - 1 downwards */
};

/* The graph has nodes and is sealed. 4 bytes a node, 4 more while it runs. LOUPE_ENOMEM. */
enum loupe_status loupe_components_find(const struct loupe_graph *graph,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_components *ret);

#endif
