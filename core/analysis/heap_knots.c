#include "analysis/heap_knots.h"

#include <string.h>

/*
 * Tarjan's algorithm in Pearce's form: one number per node and one stack for everything, as in
 * cycles/components.c, which says more.
 *
 * order[v] is 0 until v is met, then the lowest position that v is known to reach, with NOT_ROOT
 * set once that is below v's own; for a finished knot its number, counted downwards from NO_KNOT,
 * which is above all positions. The path from the root is a stack of the links it took. Nodes that
 * wait for their knot's root stand on a second stack that grows towards it in the same array.
 */
#define NOT_ROOT 0x80000000u
#define NO_KNOT  0x7fffffffu

_Static_assert(LOUPE_MAX_NODES < NO_KNOT / 2, "positions stay below numbers of components");

struct search {
    const struct loupe_columns *columns;
    loupe_link_kinds kinds;
    const struct loupe_marks *outside;
    uint32_t *order, *stack;
    uint32_t depth, waiting, position, knot;
};

static bool counts(const struct search *s, uint32_t link) {
    return loupe_link_counts(s->columns, link, s->kinds) &&
           !(s->outside && loupe_is_marked(s->outside, s->columns->to[link]));
}

static uint32_t lowest(const struct search *s, uint32_t node) {
    return s->order[node] & ~NOT_ROOT;
}

static void reach(struct search *s, uint32_t from, uint32_t to) {
    uint32_t low = lowest(s, to);
    if (low < lowest(s, from))
        s->order[from] = low | NOT_ROOT;
}

static bool holds_itself(const struct search *s, uint32_t node) {
    uint32_t link = s->columns->first[node], end = s->columns->first[node + 1];
    while (link < end && (s->columns->to[link] != node || !counts(s, link)))
        link++;
    return link < end;
}

/* The node's links are all seen, and it is the root of all that waits since it was met. */
static void finish_knot(struct search *s, uint32_t root) {
    uint32_t position = s->order[root], top = s->waiting;
    while (top < s->columns->nodes && lowest(s, s->stack[top]) >= position)
        s->order[s->stack[top++]] = s->knot;
    bool is_knot = top > s->waiting || holds_itself(s, root);
    s->position -= top - s->waiting + 1;
    s->waiting = top;
    s->order[root] = is_knot ? s->knot-- : NO_KNOT;
}

static void finish(struct search *s, uint32_t node) {
    if (s->order[node] & NOT_ROOT)
        s->stack[--s->waiting] = node;
    else
        finish_knot(s, node);
}

static void search_from(struct search *s, uint32_t root) {
    const struct loupe_columns *columns = s->columns;
    uint32_t node = root, link = columns->first[node], end = columns->first[node + 1];
    s->order[node] = s->position++;
    for (;;) {
        if (link == end) {
            uint32_t done = node;
            finish(s, done);
            if (!s->depth)
                return;
            link = s->stack[--s->depth] + 1;
            node = s->depth ? columns->to[s->stack[s->depth - 1]] : root;
            end = columns->first[node + 1];
            reach(s, node, done);
            continue;
        }
        uint32_t to = columns->to[link];
        if (!counts(s, link)) {
            link++;
        } else if (s->order[to]) {
            reach(s, node, to);
            link++;
        } else {
            if (loupe_is_stopped(columns->stop))
                return;
            s->stack[s->depth++] = link;
            node = to;
            link = columns->first[node];
            end = columns->first[node + 1];
            s->order[node] = s->position++;
        }
    }
}

static void search_all(struct search *s) {
    s->waiting = s->columns->nodes;
    s->knot = NO_KNOT - 1;
    s->position = 1;
    memset(s->order, 0, s->columns->nodes * sizeof(*s->order));
    for (uint32_t node = 0; node < s->columns->nodes && !loupe_is_stopped(s->columns->stop);
         node++) {
        if (s->outside && loupe_is_marked(s->outside, node))
            s->order[node] = NO_KNOT;
        else if (!s->order[node])
            search_from(s, node);
    }
}

/* From the order in which they were finished to that of their lowest nodes. */
static bool number_knots(const struct search *s, struct loupe_heap_knots *found) {
    const struct loupe_chunk_ops *chunks = found->chunks;
    uint32_t count = NO_KNOT - 1 - s->knot, numbered = 0;
    uint32_t *number = loupe_numbers_get(chunks, count);
    found->first = loupe_numbers_get(chunks, count);
    found->count = count;
    if (number)
        memset(number, 0xff, count * sizeof(*number));
    for (uint32_t node = 0; number && found->first && node < found->nodes; node++) {
        uint32_t old = NO_KNOT - 1 - found->of[node];
        if (found->of[node] == NO_KNOT) {
            found->of[node] = LOUPE_NO_NODE;
            continue;
        }
        if (number[old] == LOUPE_NO_NODE) {
            found->first[numbered] = node;
            number[old] = numbered++;
        }
        found->of[node] = number[old];
    }
    bool has_room = number && found->first;
    loupe_numbers_put(chunks, &number, count);
    return has_room;
}

enum loupe_status loupe_heap_knots_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_marks *outside,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_heap_knots *ret) {
    uint32_t nodes = columns->nodes;
    struct search s = {.columns = columns, .kinds = kinds, .outside = outside};
    s.order = loupe_numbers_get(chunks, nodes);
    s.stack = loupe_numbers_get(chunks, nodes);
    bool has_room = s.order && s.stack;
    if (has_room)
        search_all(&s);
    loupe_numbers_put(chunks, &s.stack, nodes);
    struct loupe_heap_knots found = {.chunks = chunks, .nodes = nodes, .of = s.order};
    enum loupe_status status = loupe_columns_status(columns, has_room);
    if (!status && !number_knots(&s, &found))
        status = LOUPE_ENOMEM;
    if (status)
        loupe_heap_knots_deinit(&found);
    else
        *ret = found;
    return status;
}

void loupe_heap_knots_deinit(struct loupe_heap_knots *knots) {
    loupe_numbers_put(knots->chunks, &knots->of, knots->nodes);
    loupe_numbers_put(knots->chunks, &knots->first, knots->count);
}

/* ---- Heads of what is not alive ---- */

struct heads {
    const struct loupe_columns *columns;
    const struct loupe_marks *alive;
    const struct loupe_heap_knots *knots;
    struct loupe_marks held; /* by others: nodes; of knots their first ones */
};

static uint32_t stands_for(const struct heads *heads, uint32_t node) {
    uint32_t knot = heads->knots->of[node];
    return knot == LOUPE_NO_NODE ? node : heads->knots->first[knot];
}

static void mark_held(struct heads *heads, loupe_link_kinds kinds) {
    const struct loupe_columns *columns = heads->columns;
    for (uint32_t node = 0; node < columns->nodes; node++) {
        if (loupe_is_marked(heads->alive, node))
            continue;
        uint32_t from = stands_for(heads, node);
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            if (!loupe_link_counts(columns, link, kinds))
                continue;
            uint32_t to = stands_for(heads, columns->to[link]);
            if (to != from)
                loupe_mark(&heads->held, to);
        }
    }
}

static bool is_head(const struct heads *heads, uint32_t node) {
    return !loupe_is_marked(heads->alive, node) && stands_for(heads, node) == node &&
           !loupe_is_marked(&heads->held, node);
}

static enum loupe_status list_heads(const struct heads *heads, struct loupe_leak_heads *found) {
    uint32_t nodes = heads->columns->nodes, listed = 0;
    for (uint32_t node = 0; node < nodes; node++)
        found->count += is_head(heads, node);
    found->nodes = loupe_numbers_get(found->knots.chunks, found->count);
    if (!found->nodes)
        return LOUPE_ENOMEM;
    for (uint32_t node = 0; node < nodes; node++) {
        if (is_head(heads, node))
            found->nodes[listed++] = node;
    }
    return LOUPE_OK;
}

enum loupe_status loupe_leak_heads_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_marks *alive,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_leak_heads *ret) {
    struct loupe_leak_heads found = {0};
    enum loupe_status status = loupe_heap_knots_find(columns, kinds, alive, chunks, &found.knots);
    if (status)
        return status;
    struct heads heads = {.columns = columns, .alive = alive, .knots = &found.knots};
    status = loupe_marks_init(&heads.held, chunks, columns->nodes);
    if (!status) {
        mark_held(&heads, kinds);
        status = list_heads(&heads, &found);
        loupe_marks_deinit(&heads.held);
    }
    if (status)
        loupe_leak_heads_deinit(&found);
    else
        *ret = found;
    return status;
}

void loupe_leak_heads_deinit(struct loupe_leak_heads *heads) {
    loupe_numbers_put(heads->knots.chunks, &heads->nodes, heads->count);
    loupe_heap_knots_deinit(&heads->knots);
}
