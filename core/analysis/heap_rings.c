#include "analysis/heap_rings.h"

#include <string.h>

struct search {
    const struct loupe_columns *columns;
    loupe_link_kinds kinds;
    const struct loupe_heap_knots *knots;
    struct loupe_heap_rings *rings;
    uint32_t *queue;
};

static size_t ring_bytes(uint32_t count) {
    return ((size_t)count + 1) * sizeof(struct loupe_heap_ring);
}

/* Counts the whole knot as it goes; the first way back is a shortest one. */
static void visit(struct search *s, uint32_t node, uint32_t first, struct loupe_heap_ring *ring,
                  uint32_t *tail) {
    const struct loupe_columns *columns = s->columns;
    uint32_t *before = s->rings->before;
    ring->objects++;
    ring->bytes += loupe_columns_size(columns, node);
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        uint32_t to = columns->to[link];
        if (!loupe_link_counts(columns, link, s->kinds) || s->knots->of[to] != s->knots->of[node])
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

static void search_knot(struct search *s, uint32_t knot) {
    struct loupe_heap_ring *ring = &s->rings->of[knot];
    uint32_t first = s->knots->first[knot], tail = 0;
    *ring = (struct loupe_heap_ring){.last = LOUPE_NO_NODE, .length = 1};
    s->queue[tail++] = first;
    for (uint32_t head = 0; head < tail; head++)
        visit(s, s->queue[head], first, ring, &tail);
    for (uint32_t node = ring->last; node != first; node = s->rings->before[node])
        ring->length++;
}

enum loupe_status loupe_heap_rings_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_heap_knots *knots,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_heap_rings *ret) {
    struct loupe_heap_rings rings = {.chunks = chunks,
                                     .nodes = columns->nodes,
                                     .count = knots->count,
                                     .of = loupe_chunk_get(chunks, ring_bytes(knots->count)),
                                     .before = loupe_numbers_get(chunks, columns->nodes)};
    struct search s = {columns, kinds, knots, &rings, loupe_numbers_get(chunks, columns->nodes)};
    bool has_room = rings.of && rings.before && s.queue;
    if (has_room) {
        memset(rings.before, 0xff, columns->nodes * sizeof(*rings.before));
        for (uint32_t knot = 0; knot < knots->count && !loupe_is_stopped(columns->stop); knot++)
            search_knot(&s, knot);
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
