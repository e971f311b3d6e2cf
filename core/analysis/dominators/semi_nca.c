/* Dominators, by Semi-NCA. */
#include "analysis/dominators/dominator_methods.h"

/*
 * Semi-NCA (Georgiadis): semidominators as Lengauer and Tarjan find them, then each node's
 * dominator as the nearest common ancestor of its parent and its semidominator, in the tree of the
 * dominators found so far.
 *
 * Labels are lowest semidominators, not nodes: nothing else of them is asked. They share an array
 * with where lists of predecessors begin, which is asked for a node before it has a label, and
 * semidominators share one with dominators.
 */
struct semi_nca {
    uint32_t *ancestor; /* the parent, until the path is shortened */
    uint32_t *label;    /* lowest semidominator from the node up to below its ancestor */
};

/* The lowest semidominator from a node up to what is not linked; shortens the path. */
static inline uint32_t evaluate(const struct semi_nca *s, uint32_t node, uint32_t current) {
    if (s->ancestor[node] <= current)
        return s->label[node];
    uint32_t below, top = loupe_reverse_path(s->ancestor, node, current, &below);
    uint32_t ancestor = s->ancestor[top], lowest = s->label[top];
    while (below) {
        uint32_t next = s->ancestor[below];
        lowest = s->label[below] < lowest ? s->label[below] : lowest;
        s->label[below] = lowest;
        s->ancestor[below] = ancestor;
        below = next;
    }
    return lowest;
}

/* Predecessors are asked for in the order in which they stand. */
enum { AHEAD = 16 };

static inline void fetch(const struct semi_nca *s, uint32_t node) {
    loupe_prefetch(&s->ancestor[node]);
    loupe_prefetch(&s->label[node]);
}

static void find_semidominators(struct loupe_preorder *order) {
    struct semi_nca s = {.ancestor = order->scratch, .label = order->first};
    loupe_preorder_parents(order, s.ancestor);
    uint32_t end = order->predecessor_count;
    for (uint32_t number = order->reached; number && !loupe_is_stopped(order->stop); number--) {
        uint32_t begin = order->first[number], lowest = order->semi[number];
        while (end > begin) {
            if (end > AHEAD)
                fetch(&s, order->predecessors[end - AHEAD]);
            uint32_t semi = evaluate(&s, order->predecessors[--end], number);
            lowest = semi < lowest ? semi : lowest;
        }
        order->semi[number] = s.label[number] = lowest;
    }
}

bool loupe_semi_nca(struct loupe_preorder *order, uint64_t most_steps) {
    find_semidominators(order);
    uint32_t *dominator = order->semi, *parent = order->scratch;
    uint64_t steps = 0;
    loupe_preorder_parents(order, parent); /* again: paths were shortened */
    for (uint32_t number = 1; number <= order->reached && steps <= most_steps; number++) {
        uint32_t up = dominator[number] ? parent[number] : 0;
        for (; up > dominator[number]; steps++)
            up = dominator[up];
        dominator[number] = up;
    }
    return steps <= most_steps;
}
