#include "cycles/rings/weak_rings.h"

#include "base/map.h"

#include <string.h>

struct finder {
    const struct loupe_graph *graph;
    const struct loupe_vector *nonowning;
    struct loupe_arena *arena;
    struct loupe_weak_rings *rings;
    struct loupe_map first_by_target; /* node -> index of the first reference to it */
    struct loupe_map sorts;           /* hash of a sort -> its place in rings->items, or beyond */
    uint32_t *next;                   /* by reference: the next one to the same target */
    uint32_t *edge;                   /* by node: by which it was reached, in this search */
    uint32_t *search;                 /* by node: number of the search that reached it */
    uint32_t *queue;
    uint32_t node_count, number;
    uint64_t visits_left;
};

static const struct loupe_nonowning_ref *at(const struct finder *f, uint32_t index) {
    return loupe_vector_at(f->nonowning, index, sizeof(struct loupe_nonowning_ref));
}

/* ---- Tables ---- */

static size_t table_size(const struct finder *f) {
    return ((size_t)f->node_count + 1) * sizeof(uint32_t);
}

static size_t next_size(const struct finder *f) {
    return ((size_t)f->nonowning->count + 1) * sizeof(uint32_t);
}

static void deinit(struct finder *f) {
    const struct loupe_chunk_ops *chunks = f->graph->nodes.chunks;
    loupe_chunk_put(chunks, f->next, next_size(f));
    loupe_chunk_put(chunks, f->edge, table_size(f));
    loupe_chunk_put(chunks, f->search, table_size(f));
    loupe_chunk_put(chunks, f->queue, table_size(f));
    loupe_map_deinit(&f->first_by_target);
    loupe_map_deinit(&f->sorts);
}

static enum loupe_status init(struct finder *f) {
    const struct loupe_chunk_ops *chunks = f->graph->nodes.chunks;
    loupe_map_init(&f->first_by_target, chunks);
    loupe_map_init(&f->sorts, chunks);
    f->next = loupe_chunk_get(chunks, next_size(f));
    f->edge = loupe_chunk_get(chunks, table_size(f));
    f->search = loupe_chunk_get(chunks, table_size(f));
    f->queue = loupe_chunk_get(chunks, table_size(f));
    if (!f->next || !f->edge || !f->search || !f->queue)
        return LOUPE_ENOMEM;
    memset(f->search, 0, table_size(f));
    return LOUPE_OK;
}

/* Chains the references to each target, in their order: from the last to the first. */
static enum loupe_status chain(struct finder *f) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = f->nonowning->count; !status && i-- > 0;) {
        uint32_t target = at(f, i)->edge.to;
        f->next[i] = UINT32_MAX;
        if (target == LOUPE_NO_NODE)
            continue;
        loupe_map_find(&f->first_by_target, target, &f->next[i]);
        status = loupe_map_put(&f->first_by_target, target, i);
    }
    return status;
}

/* ---- Searching ---- */

/* Everything that the target keeps alive. False when the budget is used up. */
static bool search_from(struct finder *f, uint32_t target) {
    uint32_t head = 0, tail = 0;
    f->number++;
    f->search[target] = f->number;
    f->edge[target] = LOUPE_NO_EDGE;
    f->queue[tail++] = target;
    while (head < tail) {
        uint32_t node = f->queue[head++], end = loupe_graph_edges_end(f->graph, node);
        uint32_t id = loupe_graph_first_edge(f->graph, node);
        if (end - id > f->visits_left)
            return false;
        f->visits_left -= end - id;
        for (; id < end; id++) {
            uint32_t to = loupe_graph_target(f->graph, id);
            if (loupe_graph_is_hidden(f->graph, id) || f->search[to] == f->number)
                continue;
            f->search[to] = f->number;
            f->edge[to] = id;
            f->queue[tail++] = to;
        }
    }
    return true;
}

static uint32_t way_length(const struct finder *f, uint32_t node) {
    uint32_t length = 0;
    for (; f->edge[node] != LOUPE_NO_EDGE; length++)
        node = loupe_graph_source(f->graph, f->edge[node]);
    return length;
}

static enum loupe_status keep_way(struct finder *f, struct loupe_weak_ring *ring, uint32_t node) {
    ring->length = way_length(f, node);
    ring->edges = loupe_arena_alloc_array(f->arena, ring->length, sizeof(*ring->edges));
    if (!ring->edges)
        return LOUPE_ENOMEM;
    for (uint32_t place = ring->length; place-- > 0;) {
        ring->edges[place] = f->edge[node];
        node = loupe_graph_source(f->graph, f->edge[node]);
    }
    return LOUPE_OK;
}

/* The places of a collection are of one sort, as are associations. */
static bool has_place(enum loupe_edge_kind kind) {
    return kind == LOUPE_EDGE_IVAR || kind == LOUPE_EDGE_CAPTURE || kind == LOUPE_EDGE_BYREF;
}

static uint64_t sort_of(const struct finder *f, const struct loupe_nonowning_ref *nonowning) {
    enum loupe_edge_kind kind = (enum loupe_edge_kind)nonowning->edge.kind;
    uint64_t place = (uint64_t)(has_place(kind) ? nonowning->edge.offset : 0) << 8 | (uint64_t)kind;
    return loupe_hash(loupe_graph_tag(f->graph, nonowning->from)) ^ loupe_hash(~place);
}

static enum loupe_status add_ring(struct finder *f, uint32_t index) {
    struct loupe_weak_rings *rings = f->rings;
    uint64_t sort = sort_of(f, at(f, index));
    uint32_t place;
    rings->found++;
    if (loupe_map_find(&f->sorts, sort, &place)) {
        if (place < rings->count)
            rings->items[place].count++;
        return LOUPE_OK;
    }
    place = rings->sorts_found++;
    enum loupe_status status = loupe_map_put(&f->sorts, sort, place);
    if (status || place >= LOUPE_MAX_WEAK_RINGS)
        return status;
    rings->items[place] = (struct loupe_weak_ring){.nonowning = index, .count = 1};
    rings->count++;
    return keep_way(f, &rings->items[place], at(f, index)->from);
}

/* All references to the target of one. */
static enum loupe_status look_at(struct finder *f, uint32_t first) {
    enum loupe_status status = LOUPE_OK;
    if (!search_from(f, at(f, first)->edge.to)) {
        f->rings->all = false;
        return LOUPE_OK;
    }
    for (uint32_t i = first; !status && i != UINT32_MAX; i = f->next[i]) {
        if (f->search[at(f, i)->from] == f->number)
            status = add_ring(f, i);
    }
    return status;
}

enum loupe_status loupe_weak_rings_find(const struct loupe_graph *graph,
                                        const struct loupe_vector *nonowning,
                                        struct loupe_arena *arena, struct loupe_weak_rings *ret) {
    struct finder f = {.graph = graph,
                       .nonowning = nonowning,
                       .arena = arena,
                       .rings = ret,
                       .node_count = loupe_graph_node_count(graph),
                       .visits_left = LOUPE_WEAK_RING_VISITS};
    *ret = (struct loupe_weak_rings){.all = true};
    enum loupe_status status = init(&f);
    if (!status)
        status = chain(&f);
    for (uint32_t i = 0; !status && ret->all && i < nonowning->count; i++) {
        uint32_t first;
        bool resolved = loupe_map_find(&f.first_by_target, at(&f, i)->edge.to, &first);
        if (resolved && first == i)
            status = look_at(&f, i);
    }
    deinit(&f);
    return status;
}
