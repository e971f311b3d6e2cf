#include "analysis/components.h"

#include <string.h>

/*
 * Tarjan's algorithm in Pearce's form: one number per node and one stack for everything.
 *
 * order[v] is 0 until v is met, then the lowest position that v is known to reach (counted upwards
 * from 1), with NOT_ROOT set once that is below v's own; for a finished component it is the
 * component's number (counted downwards from below LOUPE_NO_KNOT), which is above all positions.
 *
 * The path from the root is a stack of the links it took: a link tells both the node it leads to
 * and, when that is done, where to go on in the node it came from. Nodes that wait for their
 * component's root stand on a second stack. A node is on one of the two at most, so both share one
 * array and grow towards each other.
 */

#define NOT_ROOT 0x80000000u

_Static_assert(LOUPE_MAX_NODES < LOUPE_NO_KNOT, "positions stay below numbers of components");

struct tarjan {
    const struct loupe_columns *columns;
    loupe_link_kinds kinds;
    uint32_t left_out; /* marks of links of other kinds: a walk is asked as fast as it can be */
    const struct loupe_marks *outside;
    uint32_t *order;    /* by node */
    uint32_t *stack;    /* of as many elements as there are nodes */
    uint32_t depth;     /* links of the path, from stack[0] */
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

static bool holds_itself(const struct tarjan *t, uint32_t node) {
    uint32_t link = t->columns->first[node], end = t->columns->first[node + 1];
    while (link < end && (loupe_link_target(t->columns, link) != node ||
                          !loupe_link_counts(t->columns, link, t->kinds)))
        link++;
    return link < end;
}

/* The node's links are all seen, and it is the root of all that waits since it was met. */
static void finish_component(struct tarjan *t, uint32_t root) {
    uint32_t position = t->order[root], top = t->waiting;
    while (top < t->columns->nodes && lowest(t, t->stack[top]) >= position)
        t->order[t->stack[top++]] = t->component;
    bool is_knot = top > t->waiting || holds_itself(t, root);
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
    for (uint32_t link = next; link < end; link++) {
        uint32_t to = loupe_link_target(t->columns, link);
        loupe_prefetch(&t->order[to]);
        loupe_prefetch(&t->columns->first[to]);
    }
}

/* The columns are at hand, because nothing that is written can change them. */
static void visit_from(struct tarjan *t, uint32_t root) {
    const struct loupe_columns copy = *t->columns, *columns = &copy;
    const loupe_link_kinds kinds = t->kinds;
    const uint32_t left_out = t->left_out;
    const uint8_t *const kind = columns->kinds;
    uint32_t node = root, next = columns->first[node], end = columns->first[node + 1];
    t->order[node] = t->position++;
    for (;;) {
        if (next == end) {
            uint32_t done = node;
            finish(t, done);
            if (!t->depth)
                return;
            next = t->stack[--t->depth] + 1;
            node = t->depth ? loupe_link_target(columns, t->stack[t->depth - 1]) : root;
            end = columns->first[node + 1];
            reach(t, node, done);
            continue;
        }
        uint32_t link = next++, to = loupe_link_target(columns, link);
        if ((columns->to[link] & left_out) || (kind && !(kinds >> kind[link] & 1)))
            continue;
        if (t->order[to]) {
            reach(t, node, to);
            continue;
        }
        if (loupe_is_stopped(columns->stop))
            return;
        t->stack[t->depth++] = link;
        node = to;
        next = columns->first[node];
        end = columns->first[node + 1];
        t->order[node] = t->position++;
        fetch_targets(t, next, end);
    }
}

/* What is outside is finished before anything is met, so that the search does not enter it. */
static void leave_out(struct tarjan *t) {
    for (uint32_t node = 0; node < t->columns->nodes; node++) {
        if (loupe_is_marked(t->outside, node))
            t->order[node] = LOUPE_NO_KNOT;
    }
}

static void search(struct tarjan *t) {
    t->waiting = t->columns->nodes;
    t->component = LOUPE_NO_KNOT - 1;
    t->position = 1;
    memset(t->order, 0, t->columns->nodes * sizeof(*t->order));
    if (t->outside)
        leave_out(t);
    for (uint32_t node = 0; node < t->columns->nodes && !loupe_is_stopped(t->columns->stop);
         node++) {
        if (!t->order[node])
            visit_from(t, node);
    }
}

/* ---- Numbers ---- */

static uint32_t name_of(struct loupe_components *found, uint32_t *names, uint32_t component) {
    if (component == LOUPE_NO_KNOT)
        return LOUPE_NO_KNOT;
    uint32_t *name = &names[LOUPE_NO_KNOT - 1 - component];
    if (!*name)
        *name = ++found->count;
    return *name - 1;
}

/* From the order in which they were finished to that of their lowest nodes, in place. names has
 * room for a number per component. */
static void number_components(struct loupe_components *found, uint32_t nodes, uint32_t *names) {
    uint32_t last = LOUPE_NO_KNOT, last_name = LOUPE_NO_KNOT;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t component = found->of[node];
        if (component != last) {
            last = component;
            last_name = name_of(found, names, component);
        }
        found->of[node] = last_name;
        found->members += last_name != LOUPE_NO_KNOT;
    }
}

enum loupe_status loupe_components_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_marks *outside,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_components *ret) {
    uint32_t nodes = columns->nodes, *names = NULL;
    bool takes_assumed = kinds >> LOUPE_LINK_ASSUMED & 1;
    struct tarjan t = {.columns = columns,
                       .kinds = kinds,
                       .left_out = takes_assumed ? LOUPE_HIDDEN : LOUPE_HIDDEN | LOUPE_MAY_OWN,
                       .outside = outside};
    t.order = loupe_numbers_get(chunks, nodes);
    t.stack = loupe_numbers_get(chunks, nodes);
    bool has_room = t.order && t.stack;
    if (has_room)
        search(&t);
    loupe_numbers_put(chunks, &t.stack, nodes);
    struct loupe_components found = {.of = t.order};
    enum loupe_status status = loupe_columns_status(columns, has_room);
    uint32_t count = LOUPE_NO_KNOT - 1 - t.component;
    if (!status && !(names = loupe_numbers_get(chunks, count)))
        status = LOUPE_ENOMEM;
    if (!status) {
        memset(names, 0, count * sizeof(*names));
        number_components(&found, nodes, names);
        loupe_numbers_put(chunks, &names, count);
        *ret = found;
    } else {
        loupe_numbers_put(chunks, &t.order, nodes);
    }
    return status;
}
