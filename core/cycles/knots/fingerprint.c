#include "cycles/knots/fingerprint.h"

#include "base/fnv.h"

#include <string.h>

static uint64_t hash_string(uint64_t hash, const char *string) {
    return loupe_fnv_span(hash, loupe_span_of(string));
}

static bool path_is_stable(enum loupe_edge_kind kind) {
    return kind != LOUPE_EDGE_ELEMENT && kind != LOUPE_EDGE_KEY && kind != LOUPE_EDGE_VALUE;
}

/* A captured variable is known by its place in the block: only debug information tells what it or a
 * member of it is called, and not every reader has that. */
static void put_path(enum loupe_edge_kind kind, struct loupe_edge_label *label) {
    if (kind == LOUPE_EDGE_CAPTURE && label->has_offset)
        loupe_format(label->path, sizeof(label->path), "+0x%x", label->offset);
}

uint64_t loupe_fingerprint_edge(const struct loupe_graph *graph,
                                const struct loupe_describer *describer, uint32_t from,
                                uint32_t edge_id) {
    struct loupe_edge edge = loupe_graph_edge(graph, edge_id);
    enum loupe_edge_kind kind = (enum loupe_edge_kind)edge.kind;
    uint64_t hash =
        loupe_fnv_span(LOUPE_FNV_BASIS, describer->class_name(describer->ctx, graph, from));
    hash = hash_string(hash, loupe_edge_kind_name(kind));
    if (path_is_stable(kind)) {
        struct loupe_edge_label label;
        describer->label(describer->ctx, graph, from, edge_id, &label);
        put_path(kind, &label);
        hash = hash_string(hash, label.path);
    }
    return loupe_fnv_span(hash, describer->class_name(describer->ctx, graph, edge.to));
}

/* Two candidates race along the cycle; the one that loses after k steps takes k + 1 starts along.
 */
uint32_t loupe_least_rotation(const uint64_t *numbers, uint32_t count) {
    uint64_t a = 0, b = 1, same = 0;
    while (a < count && b < count && same < count) {
        uint64_t x = numbers[(a + same) % count], y = numbers[(b + same) % count];
        if (x == y) {
            same++;
            continue;
        }
        if (x > y)
            a += same + 1;
        else
            b += same + 1;
        if (a == b)
            b++;
        same = 0;
    }
    return (uint32_t)(a < b ? a : b);
}

uint64_t loupe_fingerprint_ring(const uint64_t *edges, uint32_t count) {
    uint32_t start = loupe_least_rotation(edges, count);
    uint64_t hash = LOUPE_FNV_BASIS;
    for (uint32_t i = 0; i < count; i++)
        hash = loupe_fnv_number(hash, edges[((uint64_t)start + i) % count]);
    return hash;
}

/* ---- Knots ---- */

/* Of all edges alike. */
struct loupe_named_edge {
    uint64_t fingerprint;
    uint32_t knot; /* the last one that it was met in */
};

enum { MOST_NAMED = 1 << 14 };

void loupe_knot_namer_init(struct loupe_knot_namer *namer, const struct loupe_knots *knots,
                           const struct loupe_describer *describer) {
    *namer = (struct loupe_knot_namer){.knots = knots, .describer = describer};
    loupe_map_init(&namer->slots, knots->chunks);
    loupe_map_init(&namer->by_name, knots->chunks);
    loupe_vector_init(&namer->edges, knots->chunks, sizeof(struct loupe_named_edge));
}

void loupe_knot_namer_deinit(struct loupe_knot_namer *namer) {
    loupe_map_deinit(&namer->slots);
    loupe_map_deinit(&namer->by_name);
    loupe_vector_deinit(&namer->edges);
}

static struct loupe_named_edge *named_at(const struct loupe_knot_namer *namer, uint32_t index) {
    return loupe_vector_at(&namer->edges, index, sizeof(struct loupe_named_edge));
}

/* The path of an ivar, a captured or a __block variable follows from the class and the place. */
static bool path_is_by_slot(enum loupe_edge_kind kind) {
    return kind == LOUPE_EDGE_IVAR || kind == LOUPE_EDGE_CAPTURE || kind == LOUPE_EDGE_BYREF;
}

/* Blocks of all sorts have the same few classes: in one knot they are alike, in others not. */
static uint64_t slot_key(const struct loupe_graph *graph, uint32_t from,
                         const struct loupe_edge *edge, uint32_t knot) {
    uint64_t tags = (uint64_t)loupe_graph_tag(graph, from) << 32 | loupe_graph_tag(graph, edge->to);
    uint64_t key = loupe_hash(loupe_hash(tags) ^ ((uint64_t)edge->offset << 32 | edge->detail));
    if (edge->kind != LOUPE_EDGE_IVAR)
        key = loupe_hash(key ^ ((uint64_t)knot << 32));
    return key ^ ((uint64_t)edge->kind << 8 | edge->source);
}

static enum loupe_status add_named(struct loupe_knot_namer *namer, uint64_t fingerprint,
                                   uint32_t *ret) {
    struct loupe_named_edge *named = loupe_vector_add(&namer->edges);
    if (!named)
        return LOUPE_ENOMEM;
    *named = (struct loupe_named_edge){.fingerprint = fingerprint, .knot = LOUPE_NO_KNOT};
    *ret = namer->edges.count - 1;
    return loupe_map_put(&namer->by_name, fingerprint, *ret);
}

/* Which of the edges that were named it is. */
static enum loupe_status name_edge(struct loupe_knot_namer *namer, uint32_t knot, uint32_t from,
                                   uint32_t edge_id, uint32_t *ret) {
    const struct loupe_graph *graph = namer->knots->graph;
    struct loupe_edge edge = loupe_graph_edge(graph, edge_id);
    bool by_slot = path_is_by_slot((enum loupe_edge_kind)edge.kind);
    uint64_t key = by_slot ? slot_key(graph, from, &edge, knot) : 0;
    if (by_slot && loupe_map_find(&namer->slots, key, ret))
        return LOUPE_OK;
    uint64_t fingerprint = loupe_fingerprint_edge(graph, namer->describer, from, edge_id);
    enum loupe_status status = loupe_map_find(&namer->by_name, fingerprint, ret)
                                   ? LOUPE_OK
                                   : add_named(namer, fingerprint, ret);
    return !status && by_slot ? loupe_map_put(&namer->slots, key, *ret) : status;
}

/* The sum of those that are met for the first time, because a set has no order. */
static enum loupe_status add_member(struct loupe_knot_namer *namer, uint32_t number, uint32_t node,
                                    uint64_t *sum) {
    const struct loupe_graph *graph = namer->knots->graph;
    uint32_t end = loupe_graph_edges_end(graph, node), index;
    for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
        if (loupe_graph_is_hidden(graph, id) ||
            namer->knots->knot_of[loupe_graph_target(graph, id)] != number)
            continue;
        enum loupe_status status = name_edge(namer, number, node, id, &index);
        if (status)
            return status;
        struct loupe_named_edge *named = named_at(namer, index);
        if (named->knot != number)
            *sum += loupe_hash(named->fingerprint);
        named->knot = number;
    }
    return LOUPE_OK;
}

enum loupe_status loupe_fingerprint_knot(struct loupe_knot_namer *namer,
                                         const struct loupe_knot *knot, uint64_t *ret) {
    uint64_t sum = 0;
    enum loupe_status status = LOUPE_OK;
    if (namer->slots.count > MOST_NAMED || namer->edges.count > MOST_NAMED)
        loupe_knot_namer_deinit(namer);
    for (uint32_t i = 0; !status && i < knot->count; i++)
        status = add_member(namer, knot->number, loupe_knot_member(namer->knots, knot, i), &sum);
    if (!status)
        *ret = loupe_fnv_number(LOUPE_FNV_BASIS, sum);
    return status;
}

uint64_t loupe_knot_namer_edge(const struct loupe_knot_namer *namer, uint32_t from, uint32_t edge) {
    const struct loupe_graph *graph = namer->knots->graph;
    struct loupe_edge facts = loupe_graph_edge(graph, edge);
    uint32_t index;
    return facts.kind == LOUPE_EDGE_IVAR &&
                   loupe_map_find(&namer->slots, slot_key(graph, from, &facts, 0), &index)
               ? named_at(namer, index)->fingerprint
               : loupe_fingerprint_edge(graph, namer->describer, from, edge);
}

/* ---- Blocks ---- */

void loupe_block_functions_init(struct loupe_block_functions *functions,
                                const struct loupe_graph *graph,
                                const struct loupe_describer *describer,
                                const struct loupe_chunk_ops *chunks) {
    *functions = (struct loupe_block_functions){.graph = graph, .describer = describer};
    loupe_map_init(&functions->seen, chunks);
}

void loupe_block_functions_deinit(struct loupe_block_functions *functions) {
    loupe_map_deinit(&functions->seen);
}

enum loupe_status loupe_block_functions_add(struct loupe_block_functions *functions,
                                            uint32_t node) {
    const struct loupe_describer *describer = functions->describer;
    char name[LOUPE_MAX_PATH];
    uint64_t id;
    uint32_t ignored;
    if (!describer->block_function ||
        loupe_node_kind(loupe_graph_node(functions->graph, node)) != LOUPE_NODE_BLOCK ||
        !describer->block_function(describer->ctx, functions->graph, node, &id, name,
                                   sizeof(name)) ||
        loupe_map_find(&functions->seen, id, &ignored))
        return LOUPE_OK;
    functions->sum += loupe_hash(hash_string(LOUPE_FNV_BASIS, name));
    return loupe_map_put(&functions->seen, id, 0);
}

uint64_t loupe_block_functions_hash(const struct loupe_block_functions *functions,
                                    uint64_t fingerprint) {
    return functions->sum ? loupe_fnv_number(fingerprint, functions->sum) : fingerprint;
}

void loupe_fingerprint_text(uint64_t fingerprint, char *dst) {
    /* Cap: all digits of a number. */
    for (unsigned i = 0; i < LOUPE_FINGERPRINT_TEXT - 1; i++)
        dst[i] = "0123456789abcdef"[fingerprint >> (60 - 4 * i) & 15];
    dst[LOUPE_FINGERPRINT_TEXT - 1] = '\0';
}
