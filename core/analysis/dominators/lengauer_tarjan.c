/* Dominators, by Lengauer and Tarjan. */
#include "analysis/dominators/dominator_methods.h"

#include <string.h>

/*
 * Lengauer and Tarjan's algorithm with simple linking: O(m log n), whatever the graph. A node waits
 * in the bucket of its semidominator until all between the two is linked; then the lowest
 * semidominator in between tells its dominator, or a node that has the same one.
 */
struct lengauer_tarjan {
    struct loupe_preorder *order;
    uint32_t *parent;
    uint32_t *ancestor;  /* the parent, until the path is shortened */
    uint32_t *label;     /* node with the lowest semidominator from here up to below the ancestor */
    uint32_t *bucket;    /* the last node put into it, or 0 */
    uint32_t *next;      /* in the same bucket, or 0 */
    uint32_t *dominator; /* or a node with the same one, which is known by its semidominator */
};

static inline uint32_t better(const struct lengauer_tarjan *t, uint32_t a, uint32_t b) {
    return t->order->semi[b] < t->order->semi[a] ? b : a;
}

/* The node with the lowest semidominator from a node up to what is not linked. */
static uint32_t evaluate(const struct lengauer_tarjan *t, uint32_t node, uint32_t current) {
    uint32_t below, top = loupe_reverse_path(t->ancestor, node, current, &below);
    uint32_t ancestor = t->ancestor[top], best = t->label[top];
    while (below) {
        uint32_t following = t->ancestor[below];
        best = better(t, best, t->label[below]);
        t->label[below] = best;
        t->ancestor[below] = ancestor;
        below = following;
    }
    return best;
}

static void empty_bucket(struct lengauer_tarjan *t, uint32_t owner, uint32_t current) {
    for (uint32_t node = t->bucket[owner]; node; node = t->next[node]) {
        uint32_t lowest = evaluate(t, node, current);
        bool is_lower = t->order->semi[lowest] < t->order->semi[node];
        t->dominator[node] = is_lower ? lowest : owner;
    }
    t->bucket[owner] = 0;
}

static void find(struct lengauer_tarjan *t) {
    struct loupe_preorder *order = t->order;
    uint32_t end = order->predecessor_count;
    for (uint32_t number = order->reached; number && !loupe_is_stopped(order->stop); number--) {
        for (; end > order->first[number]; end--) {
            uint32_t lowest = evaluate(t, order->predecessors[end - 1], number);
            if (order->semi[lowest] < order->semi[number])
                order->semi[number] = order->semi[lowest];
        }
        uint32_t semi = order->semi[number];
        t->next[number] = t->bucket[semi];
        t->bucket[semi] = number;
        empty_bucket(t, t->parent[number], number - 1);
    }
}

static void finish(struct lengauer_tarjan *t) {
    uint32_t *semi = t->order->semi, *dominator = t->dominator;
    for (uint32_t number = 1; number <= t->order->reached; number++) {
        if (dominator[number] != semi[number])
            dominator[number] = dominator[dominator[number]];
    }
    memcpy(semi, dominator, ((size_t)t->order->reached + 1) * sizeof(uint32_t));
}

static void begin(struct lengauer_tarjan *t) {
    size_t bytes = ((size_t)t->order->reached + 1) * sizeof(uint32_t);
    loupe_preorder_parents(t->order, t->parent);
    memcpy(t->ancestor, t->parent, bytes);
    memset(t->bucket, 0, bytes);
    for (uint32_t number = 0; number <= t->order->reached; number++)
        t->label[number] = number;
    t->dominator[0] = 0;
    t->order->semi[0] = 0;
}

enum loupe_status loupe_lengauer_tarjan(struct loupe_preorder *order) {
    const struct loupe_chunk_ops *chunks = order->chunks;
    struct lengauer_tarjan t = {.order = order,
                                .parent = loupe_numbers_get(chunks, order->reached),
                                .ancestor = order->scratch,
                                .label = loupe_numbers_get(chunks, order->reached),
                                .bucket = loupe_numbers_get(chunks, order->reached),
                                .next = loupe_numbers_get(chunks, order->reached),
                                .dominator = loupe_numbers_get(chunks, order->reached)};
    bool has_room = t.parent && t.label && t.bucket && t.next && t.dominator;
    if (has_room) {
        begin(&t);
        find(&t);
    }
    bool is_stopped = loupe_is_stopped(order->stop);
    if (has_room && !is_stopped)
        finish(&t);
    loupe_numbers_put(chunks, &t.parent, order->reached);
    loupe_numbers_put(chunks, &t.label, order->reached);
    loupe_numbers_put(chunks, &t.bucket, order->reached);
    loupe_numbers_put(chunks, &t.next, order->reached);
    loupe_numbers_put(chunks, &t.dominator, order->reached);
    return !has_room ? LOUPE_ENOMEM : is_stopped ? LOUPE_ETIMEOUT : LOUPE_OK;
}
