#include "analysis/dominators/preorder.h"

#include <string.h>

/* How many links ahead of the search memory is fetched. */
enum { AHEAD = 8 };

struct numbering {
    const struct loupe_columns *columns;
    loupe_link_kinds kinds;
    const struct loupe_marks *outside;
    struct loupe_preorder *order;
    uint32_t *number; /* by node; 0: not reached */
    uint32_t *parent; /* by number */
    uint32_t *next;   /* by number, while its node is on the path: the link to be followed next */
    struct loupe_marks is_root; /* by number */
};

/* ---- The search ---- */

static void fetch_ahead(const struct numbering *n, uint32_t link, uint32_t end) {
    if (link + AHEAD < end)
        loupe_prefetch(&n->number[loupe_link_target(n->columns, link + AHEAD)]);
}

static void fetch_links(const struct numbering *n, uint32_t link, uint32_t end) {
    uint32_t stop = end - link < AHEAD ? end : link + AHEAD;
    for (; link < stop; link++) {
        uint32_t to = loupe_link_target(n->columns, link);
        loupe_prefetch(&n->number[to]);
        loupe_prefetch(&n->columns->first[to]);
    }
}

static bool is_outside(const struct numbering *n, uint32_t node) {
    return n->outside && loupe_is_marked(n->outside, node);
}

static uint32_t enter(struct numbering *n, uint32_t node, uint32_t parent) {
    uint32_t number = ++n->order->reached;
    n->number[node] = number;
    n->order->node[number] = node;
    n->parent[number] = parent;
    return number;
}

/* The way back is in `parent`, so the search needs no stack of its own. */
static void number_from(struct numbering *n, uint32_t root) {
    const struct loupe_columns *columns = n->columns;
    uint32_t number = enter(n, root, 0);
    uint32_t link = columns->first[root], end = columns->first[root + 1];
    for (;;) {
        if (link == end) {
            number = n->parent[number];
            if (!number)
                return;
            link = n->next[number];
            end = columns->first[n->order->node[number] + 1];
            continue;
        }
        fetch_ahead(n, link, end);
        uint32_t to = loupe_link_target(columns, link++);
        if (n->number[to] || !loupe_link_counts(columns, link - 1, n->kinds) || is_outside(n, to))
            continue;
        if (loupe_is_stopped(columns->stop))
            return;
        n->next[number] = link;
        number = enter(n, to, number);
        link = columns->first[to];
        end = columns->first[to + 1];
        fetch_links(n, link, end);
    }
}

static void number_all(struct numbering *n) {
    const struct loupe_columns *columns = n->columns;
    memset(n->number, 0, columns->nodes * sizeof(*n->number));
    n->parent[0] = 0;
    for (uint32_t i = 0; i < columns->root_count && !loupe_is_stopped(columns->stop); i++) {
        if (!n->number[columns->roots[i]] && !is_outside(n, columns->roots[i]))
            number_from(n, columns->roots[i]);
    }
}

/* ---- The tree ---- */

/* Steps upwards are not more than nodes: each leaves one behind for good. */
static size_t tree_size(uint32_t nodes) {
    return ((size_t)nodes / 32 + 1) * sizeof(uint64_t);
}

static void write_tree(const struct numbering *n, uint64_t *tree) {
    const uint32_t *parent = n->parent;
    uint64_t place = 0;
    memset(tree, 0, tree_size(n->order->nodes));
    for (uint32_t number = 1; number <= n->order->reached; number++, place++) {
        for (uint32_t up = number - 1; up != parent[number]; up = parent[up])
            place++;
        tree[place / 64] |= (uint64_t)1 << place % 64;
    }
}

void loupe_preorder_parents(const struct loupe_preorder *order, uint32_t *parent) {
    uint64_t place = 0;
    parent[0] = 0;
    for (uint32_t number = 1; number <= order->reached; number++, place++) {
        uint32_t up = number - 1;
        for (; !(order->tree[place / 64] >> place % 64 & 1); place++)
            up = parent[up];
        parent[number] = up;
    }
}

/* ---- Predecessors ---- */

/*
 * Counts what leads from higher numbers, and keeps the lowest of the others. What is outside has
 * the number 0; nobody asks what leads there. Nor what leads to roots: most links of a Java heap
 * to a class lead to one.
 */
static void count_predecessors(const struct numbering *n, uint32_t *count) {
    const struct loupe_columns *columns = n->columns;
    uint32_t *semi = n->order->semi, links = columns->first[columns->nodes];
    for (uint32_t node = 0; node < columns->nodes && !loupe_is_stopped(columns->stop); node++) {
        uint32_t from = n->number[node], end = columns->first[node + 1];
        for (uint32_t link = columns->first[node]; from && link < end; link++) {
            if (link + AHEAD < links) /* those of the nodes that follow too */
                loupe_prefetch(&n->number[loupe_link_target(columns, link + AHEAD)]);
            if (!loupe_link_counts(columns, link, n->kinds))
                continue;
            uint32_t to = n->number[loupe_link_target(columns, link)];
            if (from > to)
                count[to] += !loupe_is_marked(&n->is_root, to);
            else if (from < semi[to])
                semi[to] = from;
        }
    }
}

/* From counts to where each node's predecessors end; filling moves that back to where they begin.
 */
static uint32_t add_up(uint32_t *first, uint32_t reached) {
    uint32_t sum = 0;
    for (uint32_t number = 0; number <= reached; number++)
        first[number] = sum += first[number];
    first[reached + 1] = sum;
    return sum;
}

static void fill_predecessors(const struct numbering *n) {
    const struct loupe_columns *columns = n->columns;
    struct loupe_preorder *order = n->order;
    uint32_t links = columns->first[columns->nodes];
    for (uint32_t node = 0; node < columns->nodes && !loupe_is_stopped(columns->stop); node++) {
        uint32_t from = n->number[node], end = columns->first[node + 1];
        for (uint32_t link = columns->first[node]; from && link < end; link++) {
            if (link + AHEAD < links)
                loupe_prefetch(&n->number[loupe_link_target(columns, link + AHEAD)]);
            uint32_t to = n->number[loupe_link_target(columns, link)];
            if (from > to && loupe_link_counts(columns, link, n->kinds) &&
                !loupe_is_marked(&n->is_root, to))
                order->predecessors[--order->first[to]] = from;
        }
    }
}

/* From parents on. Roots are entered from nowhere, whatever else leads to them. */
static void begin_semi(struct numbering *n) {
    for (uint32_t i = 0; i < n->columns->root_count; i++) {
        uint32_t number = n->number[n->columns->roots[i]]; /* of one outside 0 */
        n->order->semi[number] = 0;
        loupe_mark(&n->is_root, number);
    }
}

static bool list_predecessors(struct numbering *n) {
    struct loupe_preorder *order = n->order;
    begin_semi(n);
    memset(order->first, 0, ((size_t)order->reached + 2) * sizeof(uint32_t));
    count_predecessors(n, order->first);
    order->predecessor_count = add_up(order->first, order->reached);
    order->predecessors = loupe_numbers_get(order->chunks, order->predecessor_count);
    if (order->predecessors)
        fill_predecessors(n);
    return order->predecessors;
}

/* ---- All together ---- */

enum loupe_status loupe_preorder_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                      const struct loupe_marks *outside,
                                      const struct loupe_chunk_ops *chunks,
                                      struct loupe_preorder *ret) {
    uint32_t room = columns->nodes + 1; /* for the number 0 */
    struct loupe_preorder order = {.chunks = chunks,
                                   .stop = columns->stop,
                                   .nodes = columns->nodes,
                                   .node = loupe_numbers_get(chunks, room),
                                   .semi = loupe_numbers_get(chunks, room),
                                   .first = loupe_numbers_get(chunks, room),
                                   .scratch = loupe_numbers_get(chunks, room),
                                   .tree = loupe_chunk_get(chunks, tree_size(columns->nodes))};
    struct numbering n = {.columns = columns,
                          .kinds = kinds,
                          .outside = outside,
                          .order = &order,
                          .number = order.scratch,
                          .parent = order.semi,
                          .next = order.first};
    bool has_room = !loupe_marks_init(&n.is_root, chunks, room) && order.node && order.semi &&
                    order.first && order.scratch && order.tree;
    if (has_room) {
        number_all(&n);
        write_tree(&n, order.tree);
        has_room = list_predecessors(&n);
    }
    loupe_marks_deinit(&n.is_root);
    enum loupe_status status = loupe_columns_status(columns, has_room);
    if (status)
        loupe_preorder_deinit(&order);
    else
        *ret = order;
    return status;
}

void loupe_preorder_forget_tree(struct loupe_preorder *order) {
    loupe_chunk_put(order->chunks, order->tree, tree_size(order->nodes));
    order->tree = NULL;
}

void loupe_preorder_deinit(struct loupe_preorder *order) {
    uint32_t room = order->nodes + 1;
    loupe_numbers_put(order->chunks, &order->node, room);
    loupe_numbers_put(order->chunks, &order->semi, room);
    loupe_numbers_put(order->chunks, &order->first, room);
    loupe_numbers_put(order->chunks, &order->scratch, room);
    loupe_numbers_put(order->chunks, &order->predecessors, order->predecessor_count);
    loupe_preorder_forget_tree(order);
}
