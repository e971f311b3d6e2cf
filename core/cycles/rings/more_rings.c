#include "cycles/rings/more_rings.h"

#include "base/sort.h"
#include "cycles/knots/fingerprint.h"

#include <string.h>

/* ---- A small knot as arrays of its own ---- */

/*
 * Members are numbered by their place in the knot. Parallel references are one edge, named after
 * the one that comes first by fingerprint. All arrays are in the arena.
 */
struct small_knot {
    uint32_t nodes, edges;
    uint32_t *first; /* edges of a node: from first[node] to before first[node + 1] */
    uint32_t *to, *from;
    uint32_t *id;            /* the graph's edge */
    uint64_t *name;          /* its fingerprint */
    uint32_t *first_in, *in; /* edges to a node, as first[] does for those from it */
};

static uint32_t place_of(const struct loupe_knots *knots, const struct loupe_knot *knot,
                         uint32_t node) {
    uint32_t low = 0, high = knot->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (loupe_knot_member(knots, knot, middle) <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool allocate(struct small_knot *small, struct loupe_arena *arena, uint32_t nodes,
                     uint32_t edges) {
    *small = (struct small_knot){.nodes = nodes,
                                 .first = loupe_arena_alloc_array(arena, nodes + 1, 4),
                                 .to = loupe_arena_alloc_array(arena, edges, 4),
                                 .from = loupe_arena_alloc_array(arena, edges, 4),
                                 .id = loupe_arena_alloc_array(arena, edges, 4),
                                 .name = loupe_arena_alloc_array(arena, edges, 8),
                                 .first_in = loupe_arena_alloc_array(arena, nodes + 2, 4),
                                 .in = loupe_arena_alloc_array(arena, edges, 4)};
    return small->first && small->to && small->from && small->id && small->name &&
           small->first_in && small->in;
}

/* Whether edge a of the graph is to stand for its parallel b, given their names. */
static bool stands_before(const struct loupe_graph *graph, uint32_t a, uint64_t name_a, uint32_t b,
                          uint64_t name_b) {
    if (name_a != name_b)
        return name_a < name_b;
    uint32_t x = loupe_graph_edge_facts(graph, a)->offset,
             y = loupe_graph_edge_facts(graph, b)->offset;
    return x != y ? x < y : a < b;
}

static void add_edge(struct small_knot *small, const struct loupe_ring_finder *finder,
                     uint32_t from, uint32_t to, uint32_t node, uint32_t id) {
    uint64_t name = loupe_knot_namer_edge(&finder->namer, node, id);
    for (uint32_t e = small->first[from]; e < small->edges; e++) {
        if (small->to[e] != to)
            continue;
        if (stands_before(finder->graph, id, name, small->id[e], small->name[e])) {
            small->id[e] = id;
            small->name[e] = name;
        }
        return;
    }
    uint32_t e = small->edges++;
    small->from[e] = from;
    small->to[e] = to;
    small->id[e] = id;
    small->name[e] = name;
}

static void index_incoming(struct small_knot *small) {
    for (uint32_t e = 0; e < small->edges; e++)
        small->first_in[small->to[e] + 2]++;
    for (uint32_t node = 0; node < small->nodes; node++)
        small->first_in[node + 2] += small->first_in[node + 1];
    for (uint32_t e = 0; e < small->edges; e++)
        small->in[small->first_in[small->to[e] + 1]++] = e;
}

static bool copy_knot(struct small_knot *small, const struct loupe_ring_finder *finder,
                      const struct loupe_knot *knot, uint32_t edges, struct loupe_arena *arena) {
    const struct loupe_knots *knots = finder->search.knots;
    const struct loupe_graph *graph = finder->graph;
    if (!allocate(small, arena, knot->count, edges))
        return false;
    for (uint32_t from = 0; from < knot->count; from++) {
        uint32_t node = loupe_knot_member(knots, knot, from);
        uint32_t end = loupe_graph_edges_end(graph, node);
        small->first[from] = small->edges;
        for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
            uint32_t to = loupe_graph_target(graph, id);
            if (!loupe_graph_is_hidden(graph, id) && knots->knot_of[to] == knot->number)
                add_edge(small, finder, from, place_of(knots, knot, to), node, id);
        }
    }
    small->first[knot->count] = small->edges;
    index_incoming(small);
    return true;
}

/* ---- All rings of a length ---- */

enum { NOT_REACHED = UINT32_MAX, MAX_KEPT_EDGES = 1 << 18 };

/* A ring that was found, with its names from their start on. */
struct kept {
    struct loupe_ring ring;
    uint64_t *names;
};

struct enumeration {
    const struct small_knot *small;
    const struct loupe_graph *graph;
    struct loupe_arena *arena;
    uint64_t visits_left;
    uint32_t shorter;   /* rings up to this length are known */
    uint32_t length;    /* rings up to this one are looked for */
    uint32_t beyond;    /* the least length of a ring that may be there but is longer */
    uint32_t *distance; /* of each node to the start, over nodes not before it */
    uint32_t *queue;
    uint32_t *path; /* edges from the start */
    bool *on_path;
    struct kept *kept;
    uint32_t kept_count, kept_capacity, kept_edges;
    bool full; /* no room to keep another one, or no visits left */
    enum loupe_status status;
};

/* Distances to the start over nodes that are not before it: a ring is found from its first node. */
static void measure(struct enumeration *e, uint32_t start) {
    const struct small_knot *small = e->small;
    for (uint32_t node = 0; node < small->nodes; node++)
        e->distance[node] = NOT_REACHED;
    e->distance[start] = 0;
    e->queue[0] = start;
    for (uint32_t head = 0, tail = 1; head < tail; head++) {
        uint32_t node = e->queue[head];
        uint32_t first = small->first_in[node], end = small->first_in[node + 1];
        for (uint32_t i = first; i < end; i++) {
            uint32_t from = small->from[small->in[i]];
            if (from >= start && e->distance[from] == NOT_REACHED) {
                e->distance[from] = e->distance[node] + 1;
                e->queue[tail++] = from;
            }
        }
    }
}

/* Copies a path that closed into a ring, turned to its start. */
static bool copy_ring(struct enumeration *e, uint32_t length, struct kept *ret) {
    const struct small_knot *small = e->small;
    uint32_t *ids = loupe_arena_alloc_array(e->arena, length, sizeof(*ids));
    uint64_t *names = loupe_arena_alloc_array(e->arena, length, sizeof(*names));
    if (!ids || !names)
        return false;
    for (uint32_t i = 0; i < length; i++) {
        ids[i] = small->id[e->path[i]];
        names[i] = small->name[e->path[i]];
    }
    struct loupe_ring ring = {.edges = ids, .length = length, .shortest = true};
    uint32_t start = loupe_ring_start(e->graph, &ring, names);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t edge = e->path[(start + i) % length];
        ids[i] = small->id[edge];
        names[i] = small->name[edge];
    }
    *ret = (struct kept){.ring = ring, .names = names};
    return true;
}

/* Room for one more; most knots have a few rings. */
static bool make_room(struct enumeration *e) {
    struct kept *larger =
        loupe_arena_grow(e->arena, e->kept, e->kept_count, &e->kept_capacity, sizeof(*larger));
    if (larger)
        e->kept = larger;
    return larger != NULL;
}

static void keep(struct enumeration *e, uint32_t length) {
    if (length <= e->shorter)
        return;
    if (e->kept_count == LOUPE_MAX_RINGS || length > MAX_KEPT_EDGES - e->kept_edges) {
        e->full = true;
    } else if (!make_room(e) || !copy_ring(e, length, &e->kept[e->kept_count])) {
        e->full = true;
        e->status = LOUPE_ENOMEM;
    } else {
        e->kept_count++;
        e->kept_edges += length;
    }
}

/* What becomes of a path that takes the edge as its depth-th. True when it goes on from there. */
static bool take(struct enumeration *e, uint32_t start, uint32_t edge, uint32_t depth) {
    uint32_t to = e->small->to[edge];
    if (e->distance[to] == NOT_REACHED || (to != start && e->on_path[to]))
        return false;
    uint32_t least = depth + e->distance[to];
    if (least > e->length) {
        if (least < e->beyond)
            e->beyond = least;
        return false;
    }
    e->path[depth - 1] = edge;
    if (to != start)
        return true;
    keep(e, depth);
    return false;
}

/* All rings through start and nodes behind it, depth first, no deeper than the length allows. */
static void enumerate_from(struct enumeration *e, uint32_t start) {
    const struct small_knot *small = e->small;
    uint32_t depth = 0, node = start, next = small->first[start];
    for (;;) {
        if (!e->visits_left)
            e->full = true;
        if (e->full || next == small->first[node + 1]) {
            e->on_path[node] = false;
            if (!depth)
                return;
            uint32_t edge = e->path[--depth];
            node = small->from[edge];
            next = edge + 1;
            continue;
        }
        e->visits_left--;
        if (take(e, start, next, depth + 1)) {
            depth++;
            node = small->to[next];
            e->on_path[node] = true;
            next = small->first[node];
        } else {
            next++;
        }
    }
}

static void enumerate_length(struct enumeration *e) {
    uint64_t cost = (uint64_t)e->small->nodes + e->small->edges;
    e->beyond = NOT_REACHED;
    for (uint32_t start = 0; start < e->small->nodes && !e->full; start++) {
        if (e->visits_left < cost) {
            e->full = true;
            return;
        }
        e->visits_left -= cost;
        measure(e, start);
        enumerate_from(e, start);
    }
}

/* Longer and longer rings, until there are enough, or all, or no more time. */
static void enumerate(struct enumeration *e, uint32_t wanted, bool *all_ret) {
    *all_ret = false;
    e->length = 1;
    for (;;) {
        enumerate_length(e);
        *all_ret = !e->full && e->beyond == NOT_REACHED;
        if (e->full || *all_ret || e->kept_count >= wanted)
            return;
        e->shorter = e->length;
        e->length = e->beyond;
    }
}

/* ---- Order ---- */

static loupe_addr address_of(const struct enumeration *e, const struct kept *kept, uint32_t i) {
    return loupe_graph_address(e->graph, loupe_ring_from(e->graph, &kept->ring, i));
}

static bool comes_before(const void *ctx, const void *one, const void *other) {
    const struct enumeration *e = ctx;
    const struct kept *a = one, *b = other;
    uint32_t length = a->ring.length;
    if (length != b->ring.length)
        return length < b->ring.length;
    for (uint32_t i = 0; i < length; i++) {
        if (a->names[i] != b->names[i])
            return a->names[i] < b->names[i];
    }
    for (uint32_t i = 0; i < length; i++) {
        if (address_of(e, a, i) != address_of(e, b, i))
            return address_of(e, a, i) < address_of(e, b, i);
    }
    return false;
}

/* Whether both visit the same objects in the same order. */
static bool is_same_ring(const struct loupe_graph *graph, const struct loupe_ring *a,
                         const struct loupe_ring *b) {
    if (a->length != b->length)
        return false;
    uint32_t turn = 0, start = loupe_ring_from(graph, a, 0);
    while (turn < b->length && loupe_ring_from(graph, b, turn) != start)
        turn++;
    uint32_t same = 0;
    while (turn < b->length && same < a->length &&
           loupe_ring_from(graph, a, same) ==
               loupe_ring_from(graph, b, (uint32_t)(((uint64_t)turn + same) % b->length)))
        same++;
    return same == a->length;
}

/* ---- Rings through what is on no ring yet ---- */

static uint64_t hop_key(uint32_t from, uint32_t to) {
    return (uint64_t)from << 32 | to;
}

struct cover {
    struct loupe_ring_finder *finder;
    const struct loupe_knot *knot;
    struct loupe_map hops; /* those of the rings so far */
    struct loupe_rings *rings;
    uint32_t wanted;
    uint64_t visits_left;
};

static enum loupe_status cover_ring(struct cover *cover, const struct loupe_ring *ring) {
    const struct loupe_graph *graph = cover->finder->graph;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < ring->length; i++)
        status = loupe_map_put(
            &cover->hops,
            hop_key(loupe_ring_from(graph, ring, i), loupe_graph_target(graph, ring->edges[i])), 0);
    return status;
}

static enum loupe_status cover_edge(struct cover *cover, uint32_t from, uint32_t id) {
    uint32_t ignored;
    uint64_t key = hop_key(from, loupe_graph_target(cover->finder->graph, id));
    if (loupe_map_find(&cover->hops, key, &ignored))
        return LOUPE_OK;
    struct loupe_ring ring;
    enum loupe_status status =
        loupe_ring_through(cover->finder, cover->knot, from, id, &cover->visits_left, &ring);
    if (status || !ring.length)
        return status;
    cover->rings->items[cover->rings->count++] = ring;
    return cover_ring(cover, &ring);
}

static enum loupe_status cover_member(struct cover *cover, uint32_t node) {
    const struct loupe_knots *knots = cover->finder->search.knots;
    const struct loupe_graph *graph = cover->finder->graph;
    uint32_t end = loupe_graph_edges_end(graph, node);
    for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
        if (loupe_graph_is_hidden(graph, id) ||
            knots->knot_of[loupe_graph_target(graph, id)] != cover->knot->number)
            continue;
        if (cover->rings->count == cover->wanted || !cover->visits_left)
            return LOUPE_OK;
        enum loupe_status status = cover_edge(cover, node, id);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

static bool is_shorter(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct loupe_ring *)a)->length < ((const struct loupe_ring *)b)->length;
}

/* All but the first. */
static void sort_by_length(struct loupe_rings *rings) {
    if (rings->count > 1)
        loupe_sort_few(rings->items + 1, rings->count - 1, sizeof(*rings->items), is_shorter, NULL);
}

static enum loupe_status add_covering(struct loupe_ring_finder *finder,
                                      const struct loupe_knot *knot, uint32_t wanted,
                                      struct loupe_rings *rings) {
    struct cover cover = {.finder = finder,
                          .knot = knot,
                          .rings = rings,
                          .wanted = wanted,
                          .visits_left = LOUPE_KNOT_VISITS};
    loupe_map_init(&cover.hops, finder->search.knots->chunks);
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < rings->count; i++)
        status = cover_ring(&cover, &rings->items[i]);
    for (uint32_t i = 0; !status && i < knot->count && cover.visits_left; i++) {
        if (rings->count == wanted || loupe_search_is_late(&finder->search))
            break;
        status = cover_member(&cover, loupe_knot_member(finder->search.knots, knot, i));
    }
    loupe_map_deinit(&cover.hops);
    sort_by_length(rings);
    return status;
}

/* ---- All together ---- */

static bool allocate_enumeration(struct enumeration *e, const struct loupe_graph *graph,
                                 const struct small_knot *small, struct loupe_arena *arena) {
    *e = (struct enumeration){.small = small,
                              .graph = graph,
                              .arena = arena,
                              .distance = loupe_arena_alloc_array(arena, small->nodes, 4),
                              .queue = loupe_arena_alloc_array(arena, small->nodes, 4),
                              .path = loupe_arena_alloc_array(arena, small->nodes, 4),
                              .on_path = loupe_arena_alloc_array(arena, small->nodes, 1)};
    return e->distance && e->queue && e->path && e->on_path;
}

/* Completes the best of the rings that were kept, which copies them to the finder's arena. */
static enum loupe_status take_kept(struct loupe_ring_finder *finder, struct enumeration *e,
                                   uint32_t wanted, struct loupe_rings *rings) {
    loupe_sort(e->kept, e->kept_count, sizeof(*e->kept), comes_before, e);
    for (uint32_t i = 0; i < e->kept_count && rings->count < wanted; i++) {
        if (is_same_ring(finder->graph, &rings->items[0], &e->kept[i].ring))
            continue;
        struct loupe_ring *ring = &rings->items[rings->count++];
        *ring = e->kept[i].ring;
        enum loupe_status status = loupe_ring_complete(finder, ring);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

/* What the enumeration needs is given back before the next knot. */
static enum loupe_status add_enumerated(struct loupe_ring_finder *finder,
                                        const struct loupe_knot *knot, uint32_t edges,
                                        uint32_t wanted, struct loupe_rings *rings) {
    struct loupe_arena scratch;
    struct small_knot small;
    struct enumeration e;
    enum loupe_status status = LOUPE_ENOMEM;
    loupe_arena_init(&scratch, finder->search.knots->chunks);
    if (copy_knot(&small, finder, knot, edges, &scratch) &&
        allocate_enumeration(&e, finder->graph, &small, &scratch)) {
        bool all;
        e.visits_left = finder->enumeration_left;
        enumerate(&e, wanted, &all);
        finder->enumeration_left = e.visits_left;
        status = e.status ? e.status : take_kept(finder, &e, wanted, rings);
        rings->all = all && rings->count == e.kept_count;
    }
    loupe_arena_deinit(&scratch);
    return status;
}

enum loupe_status loupe_rings_find(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                   uint32_t max_rings, struct loupe_rings *ret) {
    uint32_t wanted = max_rings > LOUPE_MAX_RINGS ? LOUPE_MAX_RINGS : max_rings ? max_rings : 1;
    struct loupe_rings rings = {
        .items = loupe_arena_alloc_array(finder->arena, wanted, sizeof(*rings.items)), .count = 1};
    if (!rings.items)
        return LOUPE_ENOMEM;
    enum loupe_status status = loupe_rings_first(finder, knot, rings.items);
    uint64_t edges = loupe_ring_finder_edges(finder, knot).inside;
    rings.all = edges == rings.items->length;
    if (loupe_search_is_late(&finder->search))
        wanted = 1;
    if (!status && wanted > 1 && !rings.all && edges <= LOUPE_SMALL_KNOT)
        status = add_enumerated(finder, knot, (uint32_t)edges, wanted, &rings);
    if (!status && wanted > rings.count && !rings.all)
        status = add_covering(finder, knot, wanted, &rings);
    if (!status)
        *ret = rings;
    return status;
}
