#include "cycles/components.h"

#include <string.h>

/*
 * Tarjan's algorithm in Pearce's form: one number per node and one stack for everything.
 *
 * order[v] is 0 until v is met, then the lowest position that v is known to reach (counted upwards
 * from 1), with NOT_ROOT set once that is below v's own; for a finished component it is the
 * component's number (counted downwards from below LOUPE_NO_KNOT), which is above all positions.
 *
 * The path from the root is a stack of the edges it took: an edge tells both the node it leads to
 * and, when that is done, where to go on in the node it came from. Nodes that wait for their
 * component's root stand on a second stack. A node is on one of the two at most, so both share one
 * array and grow towards each other.
 */

#define NOT_ROOT 0x80000000u

struct tarjan {
    const struct loupe_graph *graph;
    uint32_t nodes;
    uint32_t *order;    /* by node */
    uint32_t *stack;    /* of as many elements as there are nodes */
    uint32_t depth;     /* edges of the path, from stack[0] */
    uint32_t waiting;   /* the waiting nodes are stack[waiting] to the end */
    uint32_t position;  /* of the next node to be met */
    uint32_t component; /* of the next component to be finished */
};

static uint32_t lowest(const struct tarjan *t, uint32_t node) {
    return t->order[node] & ~NOT_ROOT;
}

static void reach(struct tarjan *t, uint32_t from, uint32_t to) {
    uint32_t low = lowest(t, to);
    if (low < lowest(t, from))
        t->order[from] = low | NOT_ROOT;
}

/* The node's edges are all seen, and it is the root of all that waits since it was met. */
static void finish_component(struct tarjan *t, uint32_t root) {
    uint32_t position = t->order[root], top = t->waiting;
    while (top < t->nodes && lowest(t, t->stack[top]) >= position)
        t->order[t->stack[top++]] = t->component;
    bool is_knot = top > t->waiting || loupe_graph_holds(t->graph, root, root);
    t->position -= top - t->waiting + 1;
    t->waiting = top;
    t->order[root] = is_knot ? t->component-- : LOUPE_NO_KNOT;
}

static void finish(struct tarjan *t, uint32_t node) {
    if (t->order[node] & NOT_ROOT)
        t->stack[--t->waiting] = node;
    else
        finish_component(t, node);
}

/* What the search will come to lies anywhere: it is fetched when its number is at hand. */
static inline void fetch_targets(const struct tarjan *t, uint32_t next, uint32_t end) {
    for (uint32_t id = next; id < end; id++) {
        uint32_t to = loupe_graph_target(t->graph, id);
        loupe_prefetch(&t->order[to]);
        loupe_prefetch(&t->graph->columns.first[to]);
    }
}

static void visit_from(struct tarjan *t, uint32_t root) {
    const struct loupe_graph *graph = t->graph;
    uint32_t node = root, next = loupe_graph_first_edge(graph, node);
    uint32_t end = loupe_graph_edges_end(graph, node);
    t->order[node] = t->position++;
    for (;;) {
        if (next == end) {
            uint32_t done = node;
            finish(t, done);
            if (!t->depth)
                return;
            next = t->stack[--t->depth] + 1;
            node = t->depth ? loupe_graph_target(graph, t->stack[t->depth - 1]) : root;
            end = loupe_graph_edges_end(graph, node);
            reach(t, node, done);
            continue;
        }
        uint32_t edge = next++, to = loupe_graph_target(graph, edge);
        if (loupe_graph_is_hidden(graph, edge))
            continue;
        if (t->order[to]) {
            reach(t, node, to);
            continue;
        }
        t->stack[t->depth++] = edge;
        node = to;
        next = loupe_graph_first_edge(graph, node);
        end = loupe_graph_edges_end(graph, node);
        t->order[node] = t->position++;
        fetch_targets(t, next, end);
    }
}

static void search(struct tarjan *t) {
    t->waiting = t->nodes;
    t->component = LOUPE_NO_KNOT - 1;
    t->position = 1;
    memset(t->order, 0, t->nodes * sizeof(*t->order));
    for (uint32_t node = 0; node < t->nodes; node++) {
        if (!t->order[node])
            visit_from(t, node);
    }
}

enum loupe_status loupe_components_find(const struct loupe_graph *graph,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_components *ret) {
    struct tarjan t = {.graph = graph, .nodes = loupe_graph_node_count(graph)};
    t.order = loupe_numbers_get(chunks, t.nodes);
    t.stack = loupe_numbers_get(chunks, t.nodes);
    bool has_room = t.order && t.stack;
    if (has_room)
        search(&t);
    else
        loupe_numbers_put(chunks, &t.order, t.nodes);
    loupe_numbers_put(chunks, &t.stack, t.nodes);
    if (has_room)
        *ret = (struct loupe_components){.of = t.order, .count = LOUPE_NO_KNOT - 1 - t.component};
    return has_room ? LOUPE_OK : LOUPE_ENOMEM;
}
