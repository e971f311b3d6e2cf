#include "cycles/components.h"

#include <string.h>

/*
 * Tarjan's algorithm in Pearce's form over the nodes that settle.h leaves open: one number per node
 * and one stack for everything.
 *
 * order[v] is 0 until v is met, then the lowest position that v is known to reach (counted upwards
 * from 1), with NOT_ROOT set once that is below v's own; for a finished component it is the
 * component's number (counted downwards from below LOUPE_NO_KNOT), which is above all positions.
 * The nodes that the anchor leads to are searched first, with the anchor itself at position 1: it
 * is met before them and finished after them. Nodes that are settled as being in its knot are TIED
 * until then.
 *
 * The path from the root is a stack of the edges it took: an edge tells both the node it leads to
 * and, when that is done, where to go on in the node it came from. Nodes that wait for their
 * component's root stand on a second stack. A node is on one of the two at most, so both share one
 * array and grow towards each other.
 *
 * Where few nodes of a large graph are open, they and the edges between them are copied first: the
 * copy is a fraction of the graph and stays near the processor, where a depth-first search through
 * the graph itself waits for memory at every step. The copy has node numbers of its own; the anchor
 * and all that is settled as being in its knot is the one behind the open nodes.
 */

#define NOT_ROOT 0x80000000u
#define TIED     (1u | NOT_ROOT)

struct tarjan {
    const struct loupe_graph *graph;
    struct loupe_settled settled;
    uint32_t *first; /* the copy: edges of a node from first[node] to before first[node + 1] */
    uint32_t *targets;
    bool is_copy;       /* else the search goes through the graph itself */
    uint32_t *order;    /* by node, of the copy or of the graph */
    uint32_t anchor;    /* the node, of the copy or of the graph */
    uint32_t *stack;    /* of as many elements as there are open nodes */
    uint32_t depth;     /* edges of the path, from stack[0] */
    uint32_t waiting;   /* the waiting nodes are stack[waiting] to the end */
    uint32_t position;  /* of the next node to be met */
    uint32_t component; /* of the next component to be finished */
};

/* ---- What is searched ---- */

/* The number in the copy: that of the anchor for what is tied to it. */
static uint32_t number_of(const struct loupe_settled *settled, uint32_t node) {
    return loupe_settled_state(settled, node) == LOUPE_NODE_TIED
               ? settled->open
               : loupe_settled_number(settled, node);
}

/*
 * The edges of an open node that knots may lead along. Nothing predicts which ones these are, so
 * all are written and only those kept are counted: one more than fits the array is room for.
 */
static uint32_t copy_edges(struct tarjan *t, uint32_t node, uint32_t count) {
    const struct loupe_settled *settled = &t->settled;
    enum loupe_node_state own = loupe_settled_state(settled, node);
    uint32_t kept = count, end = loupe_graph_edges_end(t->graph, node);
    for (uint32_t id = loupe_graph_first_edge(t->graph, node); id < end; id++) {
        uint32_t to = loupe_graph_target(t->graph, id);
        t->targets[count] = to;
        bool may_tie = loupe_states_may_tie(own, loupe_settled_state(settled, to));
        count += (uint32_t)may_tie & (uint32_t)!loupe_graph_is_hidden(t->graph, id);
    }
    for (; kept < count; kept++)
        t->targets[kept] = number_of(settled, t->targets[kept]);
    return count;
}

static void copy_open(struct tarjan *t) {
    uint32_t number = 0, count = 0;
    for (uint32_t node = 0; number < t->settled.open; node++) {
        if (!loupe_state_is_open(loupe_settled_state(&t->settled, node)))
            continue;
        t->first[number++] = count;
        count = copy_edges(t, node, count);
    }
    t->first[number] = count;
    t->anchor = t->settled.open;
    memset(t->order, 0, (t->settled.open + 1) * sizeof(*t->order));
}

/* The graph itself is searched, with what is settled in the results beforehand. */
static void begin_with_settled(struct tarjan *t) {
    static const uint32_t orders[] = {[LOUPE_NODE_OPEN] = 0,
                                      [LOUPE_NODE_LOOSE] = LOUPE_NO_KNOT,
                                      [LOUPE_NODE_TIED] = TIED,
                                      [LOUPE_NODE_LED] = 0};
    t->anchor = t->settled.anchor;
    for (uint32_t node = 0; node < t->settled.nodes; node++)
        t->order[node] = orders[loupe_settled_state(&t->settled, node)];
}

static uint32_t first_of(const struct tarjan *t, uint32_t node) {
    return t->is_copy ? t->first[node] : loupe_graph_first_edge(t->graph, node);
}

static uint32_t end_of(const struct tarjan *t, uint32_t node) {
    return t->is_copy ? t->first[node + 1] : loupe_graph_edges_end(t->graph, node);
}

static uint32_t target_of(const struct tarjan *t, uint32_t edge) {
    return t->is_copy ? t->targets[edge] : loupe_graph_target(t->graph, edge);
}

static bool is_hidden(const struct tarjan *t, uint32_t edge) {
    return !t->is_copy && loupe_graph_is_hidden(t->graph, edge);
}

/* ---- Search ---- */

static uint32_t lowest(const struct tarjan *t, uint32_t node) {
    return t->order[node] & ~NOT_ROOT;
}

static void reach(struct tarjan *t, uint32_t from, uint32_t to) {
    uint32_t low = lowest(t, to);
    if (low < lowest(t, from))
        t->order[from] = low | NOT_ROOT;
}

static bool holds_itself(const struct tarjan *t, uint32_t node) {
    uint32_t edge = first_of(t, node), end = end_of(t, node);
    while (edge < end && (target_of(t, edge) != node || is_hidden(t, edge)))
        edge++;
    return edge < end;
}

/* Finishes the component of a root and of the nodes that wait for it. False when none did. */
static bool finish_component(struct tarjan *t, uint32_t root) {
    uint32_t position = t->order[root], top = t->waiting;
    while (top < t->settled.open && lowest(t, t->stack[top]) >= position)
        t->order[t->stack[top++]] = t->component;
    bool any = top > t->waiting;
    t->position -= top - t->waiting + 1;
    t->waiting = top;
    t->order[root] = t->component--;
    return any;
}

/* Takes back a component that turned out to be a single node without a ring. */
static void loosen(struct tarjan *t, uint32_t node) {
    t->component++;
    t->order[node] = LOUPE_NO_KNOT;
}

/* The node's edges are all seen: it either waits for the root of its component or is that root. */
static void finish(struct tarjan *t, uint32_t node) {
    if (t->order[node] & NOT_ROOT)
        t->stack[--t->waiting] = node;
    else if (!finish_component(t, node) && !holds_itself(t, node))
        loosen(t, node);
}

/* What the search will come to lies anywhere: it is fetched when its number is at hand. */
static inline void fetch_targets(const struct tarjan *t, uint32_t next, uint32_t end) {
    if (t->is_copy)
        return;
    for (uint32_t id = next; id < end; id++) {
        uint32_t to = loupe_graph_target(t->graph, id);
        loupe_prefetch(&t->order[to]);
        loupe_prefetch(loupe_graph_first_edge_place(t->graph, to));
    }
}

static void visit_from(struct tarjan *t, uint32_t root) {
    uint32_t node = root, next = first_of(t, node), end = end_of(t, node);
    t->order[node] = t->position++;
    for (;;) {
        if (next == end) {
            uint32_t done = node;
            finish(t, done);
            if (!t->depth)
                return;
            next = t->stack[--t->depth] + 1;
            node = t->depth ? target_of(t, t->stack[t->depth - 1]) : root;
            end = end_of(t, node);
            reach(t, node, done);
            continue;
        }
        uint32_t edge = next++, to = target_of(t, edge);
        if (is_hidden(t, edge))
            continue;
        if (t->order[to]) {
            reach(t, node, to);
            continue;
        }
        t->stack[t->depth++] = edge;
        node = to;
        next = first_of(t, node);
        end = end_of(t, node);
        t->order[node] = t->position++;
        fetch_targets(t, next, end);
    }
}

/* The anchor's own edges need not be followed: what it leads to is visited anyway. */
static void begin_anchor(struct tarjan *t) {
    t->order[t->anchor] = t->position++;
}

/* Whether the anchor is in a knot is known only when all that it leads to is finished. */
static void finish_anchor(struct tarjan *t) {
    uint32_t anchor = t->settled.anchor;
    bool ties = finish_component(t, t->anchor) || t->settled.tied;
    if (!ties && !loupe_graph_holds(t->graph, anchor, anchor))
        loosen(t, t->anchor);
    for (uint32_t node = 0; t->settled.tied && !t->is_copy && node < t->settled.nodes; node++) {
        if (t->order[node] == TIED)
            t->order[node] = t->order[t->anchor];
    }
}

/* Visits all nodes that are settled as being in one of the two open states. */
static void visit_all(struct tarjan *t, enum loupe_node_state wanted) {
    const struct loupe_settled *settled = &t->settled;
    for (uint32_t first = 0; first < settled->nodes; first += LOUPE_NODES_PER_WORD) {
        uint64_t bits = loupe_settled_in_state(settled, first, wanted);
        for (; bits; bits &= bits - 1) {
            uint32_t node = first + (uint32_t)__builtin_ctzll(bits) / 2;
            uint32_t root = t->is_copy ? loupe_settled_number(settled, node) : node;
            if (!t->order[root])
                visit_from(t, root);
        }
    }
}

static void search(struct tarjan *t) {
    t->waiting = t->settled.open;
    t->component = LOUPE_NO_KNOT - 1;
    t->position = 1;
    if (t->settled.anchor != LOUPE_NO_NODE) {
        begin_anchor(t);
        visit_all(t, LOUPE_NODE_LED);
        finish_anchor(t);
    }
    visit_all(t, LOUPE_NODE_OPEN);
}

/* ---- All together ---- */

static uint32_t *get(const struct tarjan *t, uint32_t count) {
    return loupe_numbers_get(t->settled.chunks, count);
}

static void put(const struct tarjan *t, uint32_t **array, uint32_t count) {
    loupe_numbers_put(t->settled.chunks, array, count);
}

static bool search_copy(struct tarjan *t) {
    uint32_t open = t->settled.open, edges = (uint32_t)t->settled.open_edges;
    t->order = get(t, open);
    t->first = get(t, open);
    t->targets = get(t, edges);
    bool has_room = t->stack && t->order && t->first && t->targets;
    if (has_room) {
        copy_open(t);
        search(t);
    }
    put(t, &t->first, open);
    put(t, &t->targets, edges);
    return has_room;
}

static bool search_graph(struct tarjan *t) {
    t->order = get(t, t->settled.nodes);
    bool has_room = t->stack && t->order;
    if (has_room) {
        begin_with_settled(t);
        search(t);
    }
    return has_room;
}

static bool search_open(struct tarjan *t) {
    t->is_copy = t->settled.is_settled && loupe_settled_copy_fits(&t->settled);
    t->stack = get(t, t->settled.open);
    bool done = t->is_copy ? search_copy(t) : search_graph(t);
    put(t, &t->stack, t->settled.open);
    return done;
}

enum loupe_status loupe_components_find(const struct loupe_graph *graph, bool settle,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_components *ret) {
    struct tarjan t = {.graph = graph};
    enum loupe_status status = loupe_settle(graph, settle, chunks, &t.settled);
    if (status)
        return status;
    bool done = search_open(&t);
    struct loupe_components components = {.settled = t.settled,
                                          .of = t.order,
                                          .is_copy = t.is_copy,
                                          .count = LOUPE_NO_KNOT - 1 - t.component};
    if (!done) {
        loupe_components_deinit(&components);
        return LOUPE_ENOMEM;
    }
    *ret = components;
    return LOUPE_OK;
}

uint32_t *loupe_components_take(struct loupe_components *components) {
    uint32_t *taken = components->is_copy ? NULL : components->of;
    if (taken)
        components->of = NULL;
    return taken;
}

void loupe_components_deinit(struct loupe_components *components) {
    const struct loupe_settled *settled = &components->settled;
    loupe_numbers_put(settled->chunks, &components->of,
                      components->is_copy ? settled->open : settled->nodes);
    loupe_settled_deinit(&components->settled);
}
