/*
 * components.h - the strongly connected components of a graph, as knots.h needs them: one with more
 * than one node, or whose node has an edge to itself, has a number; hidden edges do not count.
 */
#ifndef LOUPE_COMPONENTS_H
#define LOUPE_COMPONENTS_H

#include "base/numbers.h"
#include "cycles/knots.h"
#include "cycles/settle.h"

struct loupe_components {
    struct loupe_settled settled;
    uint32_t *of; /* by node; of a copy (components.c), by number of the open nodes */
    bool is_copy;
    uint32_t count; /* their numbers are the ones from LOUPE_NO_KNOT - 1 downwards */
};

/* The graph has nodes and is sealed. settle: whether to settle nodes first (settle.h). */
enum loupe_status loupe_components_find(const struct loupe_graph *graph, bool settle,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_components *ret);
void loupe_components_deinit(struct loupe_components *components);

/*
 * The component of a node, or LOUPE_NO_KNOT. For all nodes in turn: *number, 0 at first, is that of
 * the next open one.
 */
static inline uint32_t loupe_component_next(const struct loupe_components *components,
                                            const uint32_t *of, uint32_t node, uint32_t *number) {
    if (!components->is_copy)
        return of[node];
    const struct loupe_settled *settled = &components->settled;
    enum loupe_node_state state = loupe_settled_state(settled, node);
    if (loupe_state_is_open(state))
        return of[(*number)++];
    return state == LOUPE_NODE_TIED ? of[settled->open] : LOUPE_NO_KNOT;
}

/*
 * Hands the array by node over to the caller, who puts it back as one of the graph's node count.
 * NULL: there is none, because a copy was searched.
 */
uint32_t *loupe_components_take(struct loupe_components *components);

#endif
