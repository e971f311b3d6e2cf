#include "analysis/heap_rings.h"

#include "base/map.h"

#include <string.h>

struct search {
    const struct loupe_columns *columns;
    loupe_link_kinds kinds;
    const struct loupe_heap_knots *knots;
    struct loupe_heap_rings *rings;
    uint32_t *queue;
    struct loupe_heap_likeness likeness;
};

static size_t ring_bytes(uint32_t count) {
    return ((size_t)count + 1) * sizeof(struct loupe_heap_ring);
}

static bool is_inside(const struct search *s, uint32_t from, uint32_t link) {
    return loupe_link_counts(s->columns, link, s->kinds) &&
           s->knots->of[loupe_link_target(s->columns, link)] == s->knots->of[from];
}

/* ---- What a ring begins with ---- */

/* How many steps far nodes are told apart, if need be; in large knots a step takes its time. */
enum { MOST_STEPS = 16, LARGE_KNOT = 4096, STEPS_OF_LARGE = 4 };

/* All nodes of a knot, with their places in the queue as what is before them. */
static uint32_t gather(struct search *s, uint32_t first) {
    uint32_t *before = s->rings->before, tail = 0;
    before[first] = tail;
    s->queue[tail++] = first;
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t node = s->queue[head];
        for (uint32_t link = s->columns->first[node]; link < s->columns->first[node + 1]; link++) {
            uint32_t to = loupe_link_target(s->columns, link);
            if (before[to] != LOUPE_NO_NODE || !is_inside(s, node, link))
                continue;
            before[to] = tail;
            s->queue[tail++] = to;
        }
    }
    return tail;
}

/* One step further: what each node is like, and what those are that it leads to, in order. */
static void look_further(const struct search *s, uint32_t count, const uint64_t *alike,
                         uint64_t *ret) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = s->queue[i];
        uint64_t hash = loupe_hash(alike[i]);
        for (uint32_t link = s->columns->first[node]; link < s->columns->first[node + 1]; link++)
            if (is_inside(s, node, link))
                hash =
                    loupe_hash(hash + alike[s->rings->before[loupe_link_target(s->columns, link)]]);
        ret[i] = hash;
    }
}

/* Of nodes that are alike the lowest. True: there is one alone. */
static bool find_least(const struct search *s, uint32_t count, const uint64_t *alike,
                       uint32_t *ret) {
    uint32_t best = 0, as_good = 1;
    for (uint32_t i = 1; i < count; i++) {
        as_good = alike[i] < alike[best] ? 1 : as_good + (alike[i] == alike[best]);
        if (alike[i] < alike[best] || (alike[i] == alike[best] && s->queue[i] < s->queue[best]))
            best = i;
    }
    *ret = s->queue[best];
    return as_good == 1;
}

/* alike has room for twice as many. */
static uint32_t find_first(const struct search *s, uint32_t count, uint64_t *alike) {
    uint64_t *further = alike + count;
    uint32_t first, steps = count > LARGE_KNOT ? STEPS_OF_LARGE : MOST_STEPS;
    for (uint32_t i = 0; i < count; i++)
        alike[i] = s->likeness.of(s->likeness.ctx, s->queue[i]);
    for (uint32_t step = 0; !find_least(s, count, alike, &first) && step < steps; step++) {
        uint64_t *nearer = alike;
        look_further(s, count, nearer, further);
        alike = further;
        further = nearer;
    }
    return first;
}

/* LOUPE_NO_NODE: there is no memory. */
static uint32_t choose_first(struct search *s, uint32_t knot) {
    uint32_t count = gather(s, s->knots->first[knot]), first = LOUPE_NO_NODE;
    size_t bytes = 2 * (size_t)count * sizeof(uint64_t);
    uint64_t *alike = loupe_chunk_get(s->rings->chunks, bytes);
    if (alike)
        first = find_first(s, count, alike);
    for (uint32_t i = 0; i < count; i++)
        s->rings->before[s->queue[i]] = LOUPE_NO_NODE;
    loupe_chunk_put(s->rings->chunks, alike, bytes);
    return first;
}

/* ---- Rings ---- */

/* Counts the whole knot as it goes; the first way back is a shortest one. */
static void visit(struct search *s, uint32_t node, uint32_t first, struct loupe_heap_ring *ring,
                  uint32_t *tail) {
    const struct loupe_columns *columns = s->columns;
    uint32_t *before = s->rings->before;
    ring->objects++;
    ring->bytes += loupe_columns_size(columns, node);
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        uint32_t to = loupe_link_target(columns, link);
        if (!is_inside(s, node, link))
            continue;
        ring->links++;
        if (to == first) {
            ring->last = ring->last == LOUPE_NO_NODE ? node : ring->last;
        } else if (before[to] == LOUPE_NO_NODE) {
            before[to] = node;
            s->queue[(*tail)++] = to;
        }
    }
}

/* False: there is no memory. */
static bool search_knot(struct search *s, uint32_t knot) {
    struct loupe_heap_ring *ring = &s->rings->of[knot];
    uint32_t first = s->likeness.of ? choose_first(s, knot) : s->knots->first[knot], tail = 0;
    if (first == LOUPE_NO_NODE)
        return false;
    *ring = (struct loupe_heap_ring){.last = LOUPE_NO_NODE, .length = 1};
    s->queue[tail++] = first;
    for (uint32_t head = 0; head < tail; head++)
        visit(s, s->queue[head], first, ring, &tail);
    for (uint32_t node = ring->last; node != first; node = s->rings->before[node])
        ring->length++;
    return true;
}

enum loupe_status loupe_heap_rings_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_heap_knots *knots,
                                        struct loupe_heap_likeness likeness,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_heap_rings *ret) {
    struct loupe_heap_rings rings = {.chunks = chunks,
                                     .nodes = columns->nodes,
                                     .count = knots->count,
                                     .of = loupe_chunk_get(chunks, ring_bytes(knots->count)),
                                     .before = loupe_numbers_get(chunks, columns->nodes)};
    struct search s = {columns, kinds, knots, &rings, loupe_numbers_get(chunks, columns->nodes),
                       likeness};
    bool has_room = rings.of && rings.before && s.queue;
    if (has_room) {
        memset(rings.before, 0xff, columns->nodes * sizeof(*rings.before));
        for (uint32_t knot = 0; has_room && knot < knots->count && !loupe_is_stopped(columns->stop);
             knot++)
            has_room = search_knot(&s, knot);
    }
    loupe_numbers_put(chunks, &s.queue, columns->nodes);
    enum loupe_status status = loupe_columns_status(columns, has_room);
    if (status)
        loupe_heap_rings_deinit(&rings);
    else
        *ret = rings;
    return status;
}

void loupe_heap_rings_deinit(struct loupe_heap_rings *rings) {
    loupe_chunk_put(rings->chunks, rings->of, ring_bytes(rings->count));
    loupe_numbers_put(rings->chunks, &rings->before, rings->nodes);
    rings->of = NULL;
}

void loupe_heap_ring_nodes(const struct loupe_heap_rings *rings, uint32_t knot, uint32_t *nodes) {
    uint32_t node = rings->of[knot].last;
    for (uint32_t i = rings->of[knot].length; i-- > 0; node = rings->before[node])
        nodes[i] = node;
}
