#include "knots.h"

#include <string.h>

/*
 * Tarjan's algorithm in Pearce's form, with one number per node and one stack for everything.
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

#define NOT_ROOT     0x80000000u
#define FIRST_MEMBER 0x80000000u

struct tarjan {
    const struct loupe_graph *graph;
    uint32_t *order;
    uint32_t *stack;
    uint32_t depth;     /* edges of the path, from stack[0] */
    uint32_t waiting;   /* the waiting nodes are stack[waiting] to the end */
    uint32_t size;      /* of stack */
    uint32_t position;  /* of the next node to be met */
    uint32_t component; /* of the next component to be finished */
};

static uint32_t lowest(const struct tarjan *t, uint32_t node) {
    return t->order[node] & ~NOT_ROOT;
}

static bool holds_itself(const struct loupe_graph *graph, uint32_t node) {
    uint32_t end = loupe_graph_edges_end(graph, node);
    for (uint32_t id = loupe_graph_node(graph, node)->first_edge; id < end; id++) {
        const struct loupe_edge *edge = loupe_graph_edge(graph, id);
        if (edge->to == node && !edge->hidden)
            return true;
    }
    return false;
}

/* node's edges are all seen: it either waits for the root of its component or is that root. */
static void finish(struct tarjan *t, uint32_t node) {
    if (t->order[node] & NOT_ROOT) {
        t->stack[--t->waiting] = node;
        return;
    }
    uint32_t position = t->order[node], top = t->waiting;
    while (top < t->size && lowest(t, t->stack[top]) >= position)
        t->order[t->stack[top++]] = t->component;
    t->position -= top - t->waiting + 1;
    bool alone = top == t->waiting;
    t->waiting = top;
    t->order[node] = alone && !holds_itself(t->graph, node) ? LOUPE_NO_KNOT : t->component--;
}

static void visit_from(struct tarjan *t, uint32_t root) {
    const struct loupe_graph *graph = t->graph;
    uint32_t node = root;
    t->order[node] = t->position++;
    uint32_t next = loupe_graph_node(graph, node)->first_edge;
    uint32_t end = loupe_graph_edges_end(graph, node);
    for (;;) {
        if (next == end) {
            finish(t, node);
            if (!t->depth)
                return;
            uint32_t low = lowest(t, node);
            next = t->stack[--t->depth] + 1;
            node = t->depth ? loupe_graph_edge(graph, t->stack[t->depth - 1])->to : root;
            end = loupe_graph_edges_end(graph, node);
            if (low < lowest(t, node))
                t->order[node] = low | NOT_ROOT;
            continue;
        }
        const struct loupe_edge *edge = loupe_graph_edge(graph, next);
        if (edge->hidden) {
            next++;
        } else if (!t->order[edge->to]) {
            t->stack[t->depth++] = next;
            node = edge->to;
            t->order[node] = t->position++;
            next = loupe_graph_node(graph, node)->first_edge;
            end = loupe_graph_edges_end(graph, node);
        } else {
            uint32_t low = lowest(t, edge->to);
            if (low < lowest(t, node))
                t->order[node] = low | NOT_ROOT;
            next++;
        }
    }
}

/* Component numbers become knot numbers by lowest node. names has room for all components. */
static void number_knots(struct loupe_knots *knots, uint32_t *names) {
    for (uint32_t node = 0; node < knots->capacity; node++) {
        if (knots->knot_of[node] == LOUPE_NO_KNOT)
            continue;
        uint32_t *name = &names[LOUPE_NO_KNOT - 1 - knots->knot_of[node]];
        if (!*name)
            *name = ++knots->count;
        knots->knot_of[node] = *name - 1;
        knots->member_count++;
    }
}

/* Counting sort of the nodes in knots by knot; starts has room for one number per knot. */
static void list_members(struct loupe_knots *knots, uint32_t *starts) {
    memset(starts, 0, knots->count * sizeof(*starts));
    for (uint32_t node = 0; node < knots->capacity; node++) {
        if (knots->knot_of[node] != LOUPE_NO_KNOT)
            starts[knots->knot_of[node]]++;
    }
    uint32_t start = 0;
    for (uint32_t number = 0; number < knots->count; number++) {
        uint32_t count = starts[number];
        starts[number] = start;
        start += count;
    }
    uint32_t met = 0; /* knots whose first member was placed: they come in the order of numbers */
    for (uint32_t node = 0; node < knots->capacity; node++) {
        uint32_t number = knots->knot_of[node];
        if (number == LOUPE_NO_KNOT)
            continue;
        bool first = number == met;
        met += first;
        knots->members[starts[number]++] = first ? node | FIRST_MEMBER : node;
    }
}

/* Behind the members there is usually room for the starts; else they get a chunk for a moment. */
enum loupe_status loupe_knots_list_members(struct loupe_knots *knots) {
    if (knots->capacity - knots->member_count >= knots->count) {
        list_members(knots, knots->members + knots->member_count);
        return LOUPE_OK;
    }
    size_t size = knots->count * sizeof(uint32_t);
    uint32_t *starts = loupe_chunk_get(knots->chunks, size);
    if (!starts)
        return LOUPE_ENOMEM;
    list_members(knots, starts);
    loupe_chunk_put(knots->chunks, starts, size);
    return LOUPE_OK;
}

static enum loupe_status find(struct loupe_knots *knots) {
    size_t size = knots->capacity * sizeof(uint32_t);
    knots->knot_of = loupe_chunk_get(knots->chunks, size);
    knots->members = loupe_chunk_get(knots->chunks, size);
    if (!knots->knot_of || !knots->members)
        return LOUPE_ENOMEM;
    memset(knots->knot_of, 0, size);
    struct tarjan tarjan = {.graph = knots->graph,
                            .order = knots->knot_of,
                            .stack = knots->members,
                            .waiting = knots->capacity,
                            .size = knots->capacity,
                            .position = 1,
                            .component = LOUPE_NO_KNOT - 1};
    for (uint32_t node = 0; node < knots->capacity; node++) {
        if (!knots->knot_of[node])
            visit_from(&tarjan, node);
    }
    memset(knots->members, 0, (LOUPE_NO_KNOT - 1 - tarjan.component) * sizeof(uint32_t));
    number_knots(knots, knots->members);
    return loupe_knots_list_members(knots);
}

enum loupe_status loupe_knots_find(const struct loupe_graph *graph,
                                   const struct loupe_chunk_ops *chunks, struct loupe_knots *ret) {
    struct loupe_knots knots = {
        .graph = graph, .chunks = chunks, .capacity = loupe_graph_node_count(graph)};
    enum loupe_status status = knots.capacity ? find(&knots) : LOUPE_OK;
    if (status)
        loupe_knots_deinit(&knots);
    else
        *ret = knots;
    return status;
}

void loupe_knots_deinit(struct loupe_knots *knots) {
    loupe_chunk_put(knots->chunks, knots->knot_of, knots->capacity * sizeof(uint32_t));
    loupe_chunk_put(knots->chunks, knots->members, knots->capacity * sizeof(uint32_t));
    *knots = (struct loupe_knots){.graph = knots->graph, .chunks = knots->chunks};
}

bool loupe_knots_next(const struct loupe_knots *knots, struct loupe_knot *knot) {
    uint32_t first = knot->first + knot->count;
    if (first == knots->member_count)
        return false;
    uint32_t end = first + 1;
    while (end < knots->member_count && !(knots->members[end] & FIRST_MEMBER))
        end++;
    *knot = (struct loupe_knot){.number = knots->knot_of[knots->members[first] & ~FIRST_MEMBER],
                                .first = first,
                                .count = end - first};
    return true;
}

struct loupe_knot_edges loupe_knot_count_edges(const struct loupe_knots *knots,
                                               const struct loupe_knot *knot) {
    struct loupe_knot_edges count = {0};
    for (uint32_t i = 0; i < knot->count; i++) {
        uint32_t node = loupe_knot_member(knots, knot, i);
        uint32_t end = loupe_graph_edges_end(knots->graph, node);
        for (uint32_t id = loupe_graph_node(knots->graph, node)->first_edge; id < end; id++) {
            const struct loupe_edge *edge = loupe_graph_edge(knots->graph, id);
            if (edge->hidden || knots->knot_of[edge->to] != knot->number)
                continue;
            count.inside++;
            count.assumed += edge->ownership == LOUPE_ASSUMED;
        }
    }
    return count;
}
