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

struct edge_set {
    const struct loupe_knots *knots;
    const struct loupe_describer *describer;
    struct loupe_map slots; /* edges that were hashed before: no need to name them again */
    struct loupe_map seen;  /* fingerprints of edges */
    uint64_t sum;
};

/*
 * The path of an ivar, a captured or a __block variable follows from the class and the place, so it
 * is named once for all instances.
 */
static bool path_is_by_slot(enum loupe_edge_kind kind) {
    return kind == LOUPE_EDGE_IVAR || kind == LOUPE_EDGE_CAPTURE || kind == LOUPE_EDGE_BYREF;
}

static uint64_t slot_key(const struct loupe_graph *graph, uint32_t from,
                         const struct loupe_edge *edge) {
    uint64_t tags = (uint64_t)loupe_graph_tag(graph, from) << 32 | loupe_graph_tag(graph, edge->to);
    uint64_t key = loupe_hash(loupe_hash(tags) ^ ((uint64_t)edge->offset << 32 | edge->detail));
    return key ^ ((uint64_t)edge->kind << 8 | edge->source);
}

static enum loupe_status add_edge(struct edge_set *set, uint32_t from, uint32_t edge_id) {
    const struct loupe_graph *graph = set->knots->graph;
    struct loupe_edge edge = loupe_graph_edge(graph, edge_id);
    uint32_t ignored;
    if (path_is_by_slot((enum loupe_edge_kind)edge.kind)) {
        uint64_t key = slot_key(graph, from, &edge);
        if (loupe_map_find(&set->slots, key, &ignored))
            return LOUPE_OK;
        enum loupe_status status = loupe_map_put(&set->slots, key, 0);
        if (status)
            return status;
    }
    uint64_t fingerprint = loupe_fingerprint_edge(graph, set->describer, from, edge_id);
    if (loupe_map_find(&set->seen, fingerprint, &ignored))
        return LOUPE_OK;
    set->sum += loupe_hash(fingerprint); /* a sum, because a set has no order */
    return loupe_map_put(&set->seen, fingerprint, 0);
}

static enum loupe_status add_member(struct edge_set *set, uint32_t number, uint32_t node) {
    const struct loupe_graph *graph = set->knots->graph;
    uint32_t end = loupe_graph_edges_end(graph, node);
    for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
        if (loupe_graph_is_hidden(graph, id) ||
            set->knots->knot_of[loupe_graph_target(graph, id)] != number)
            continue;
        enum loupe_status status = add_edge(set, node, id);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

enum loupe_status loupe_fingerprint_knot(const struct loupe_knots *knots,
                                         const struct loupe_knot *knot,
                                         const struct loupe_describer *describer, uint64_t *ret) {
    struct edge_set set = {.knots = knots, .describer = describer};
    loupe_map_init(&set.slots, knots->chunks);
    loupe_map_init(&set.seen, knots->chunks);
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < knot->count; i++)
        status = add_member(&set, knot->number, loupe_knot_member(knots, knot, i));
    loupe_map_deinit(&set.slots);
    loupe_map_deinit(&set.seen);
    if (!status)
        *ret = loupe_fnv_number(LOUPE_FNV_BASIS, set.sum);
    return status;
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
