/*
 * dominator_methods.h - the two algorithms behind dominators.h.
 *
 * Both turn order->semi into immediate dominators, by number, and use up order->first and
 * order->scratch.
 */
#ifndef LOUPE_DOMINATOR_METHODS_H
#define LOUPE_DOMINATOR_METHODS_H

#include "analysis/dominators/preorder.h"

/* False when it took more than most_steps on the way up: then order is of no use any more. */
bool loupe_semi_nca(struct loupe_preorder *order, uint64_t most_steps);

/* Takes another 20 bytes a node. */
enum loupe_status loupe_lengauer_tarjan(struct loupe_preorder *order);

/*
 * Both walk the search tree upwards from a node, through all that are linked to it: those with a
 * number above `current`. The path is reversed on the way up, so that the way back needs no stack:
 * ancestor[] of a node on it is the one below, and 0 of the first. Returns the node at the top,
 * whose ancestor is not linked; *ret_below is the one below it, or 0.
 */
static inline uint32_t loupe_reverse_path(uint32_t *ancestor, uint32_t node, uint32_t current,
                                          uint32_t *ret_below) {
    uint32_t below = 0;
    while (ancestor[node] > current) {
        uint32_t above = ancestor[node];
        ancestor[node] = below;
        below = node;
        node = above;
    }
    *ret_below = below;
    return node;
}

#endif
