#include "leaks/heap_graph.h"

#include <string.h>

/* ---- Nodes ---- */

enum loupe_node_kind loupe_native_node_kind(const struct loupe_snapshot *snapshot, uint32_t node) {
    static const enum loupe_node_kind kinds[LOUPE_CLASS_KIND_COUNT] = {
        [LOUPE_CLASS_BLOCKS] = LOUPE_NODE_BLOCK,
        [LOUPE_CLASS_BYREFS] = LOUPE_NODE_BYREF,
        [LOUPE_CLASS_RAW] = LOUPE_NODE_RAW,
        [LOUPE_CLASS_STORAGE] = LOUPE_NODE_RAW,
        [LOUPE_CLASS_RUNTIME] = LOUPE_NODE_CLASS};
    return kinds[snapshot->class_table[snapshot->classes[node]].kind];
}

static enum loupe_status add_node(struct loupe_heap_graph *made, uint32_t *places, uint32_t node) {
    const struct loupe_snapshot *snapshot = made->snapshot;
    uint32_t tag = loupe_node_tag(loupe_native_node_kind(snapshot, node), snapshot->classes[node]);
    enum loupe_status status = loupe_graph_add_node(
        &made->graph, loupe_snapshot_address(snapshot, node), tag, &places[node]);
    if (status)
        return status;
    uint32_t *place = loupe_vector_add(&made->nodes);
    if (!place)
        return LOUPE_ENOMEM;
    *place = node;
    return LOUPE_OK;
}

/* ---- Edges ---- */

const struct loupe_label *loupe_native_label(const struct loupe_snapshot *snapshot, uint32_t link) {
    const struct loupe_native_heap *native = snapshot->native;
    uint32_t label = native->labels[link];
    return label < native->label_count ? &native->label_table[label] : NULL;
}

static enum loupe_ownership ownership_of(uint8_t kind, const struct loupe_label *label) {
    if (kind == LOUPE_LINK_WEAK)
        return LOUPE_NONOWNING_WEAK;
    if (kind == LOUPE_LINK_UNOWNED)
        return LOUPE_NONOWNING_UNRETAINED;
    if (kind != LOUPE_LINK_ASSUMED && kind != LOUPE_LINK_CONSERVATIVE)
        return LOUPE_STRONG;
    return label && (label->flags & LOUPE_LABEL_DECLARED) ? LOUPE_DECLARED : LOUPE_ASSUMED;
}

struct loupe_edge loupe_native_edge(const struct loupe_snapshot *snapshot, uint32_t link,
                                    uint32_t to) {
    const struct loupe_label *label = loupe_native_label(snapshot, link);
    uint8_t kind = snapshot->columns.kinds ? snapshot->columns.kinds[link] : LOUPE_LINK_STRONG;
    return (struct loupe_edge){.to = to,
                               .offset = snapshot->native->slots[link],
                               .detail = snapshot->native->labels[link],
                               .kind = label ? label->kind : LOUPE_EDGE_WORD,
                               .ownership = (uint8_t)ownership_of(kind, label),
                               .shared = label && (label->flags & LOUPE_LABEL_SHARED)};
}

/* The open node's references to objects that are in the graph; adds those too where it may grow. */
static enum loupe_status add_edges(struct loupe_heap_graph *made, uint32_t *places, uint32_t node,
                                   bool grows) {
    const struct loupe_columns *columns = &made->snapshot->columns;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        uint32_t to = columns->to[link];
        if (!loupe_link_counts(columns, link, made->kinds))
            continue;
        if (places[to] == LOUPE_NO_NODE && grows) {
            enum loupe_status status = add_node(made, places, to);
            if (status == LOUPE_ELIMIT) /* it was counted */
                continue;
            if (status)
                return status;
        }
        if (places[to] == LOUPE_NO_NODE)
            continue;
        struct loupe_edge edge = loupe_native_edge(made->snapshot, link, places[to]);
        if (loupe_graph_add_edge(&made->graph, &edge) == LOUPE_ENOMEM)
            return LOUPE_ENOMEM;
    }
    return LOUPE_OK;
}

/* The first so many nodes; LOUPE_MAX_NODES: all there are in the end. */
static enum loupe_status open_nodes(struct loupe_heap_graph *made, uint32_t *places, uint32_t most,
                                    bool grows) {
    enum loupe_status status = LOUPE_OK;
    while (!status && made->graph.opened < most &&
           made->graph.opened < loupe_graph_node_count(&made->graph)) {
        uint32_t node = loupe_heap_graph_node(made, loupe_graph_open_next(&made->graph));
        status = loupe_is_stopped(made->snapshot->columns.stop)
                     ? LOUPE_ETIMEOUT
                     : add_edges(made, places, node, grows);
    }
    return status ? status : loupe_graph_freeze(&made->graph);
}

/* ---- Which nodes ---- */

static bool holds_a_member(const struct loupe_columns *columns,
                           const struct loupe_heap_knots *knots, uint32_t node) {
    uint32_t link = columns->first[node], end = columns->first[node + 1];
    while (link < end && (knots->of[columns->to[link]] == LOUPE_NO_KNOT ||
                          !loupe_link_counts(columns, link, LOUPE_LINKS_OWNED)))
        link++;
    return link < end;
}

static enum loupe_status add_knots(struct loupe_heap_graph *made, uint32_t *places,
                                   const struct loupe_heap_knots *knots) {
    const struct loupe_columns *columns = &made->snapshot->columns;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t node = 0; !status && knots->count && node < columns->nodes; node++) {
        if (knots->of[node] != LOUPE_NO_KNOT || holds_a_member(columns, knots, node))
            status = add_node(made, places, node);
    }
    return status;
}

static uint32_t *begin(struct loupe_heap_graph *made, const struct loupe_snapshot *snapshot,
                       uint64_t limit, const struct loupe_chunk_ops *chunks,
                       struct loupe_arena *arena) {
    *made =
        (struct loupe_heap_graph){.snapshot = snapshot, .arena = arena, .kinds = LOUPE_LINKS_OWNED};
    made->labels =
        loupe_arena_alloc_array(arena, snapshot->native->label_count, sizeof(*made->labels));
    loupe_graph_init(&made->graph, chunks, limit, &made->findings);
    loupe_vector_init(&made->nodes, chunks, sizeof(uint32_t));
    uint32_t *places = made->labels ? loupe_numbers_get(chunks, snapshot->columns.nodes) : NULL;
    if (places)
        memset(places, 0xff, snapshot->columns.nodes * sizeof(*places));
    return places;
}

static enum loupe_status end(struct loupe_heap_graph *made, uint32_t *places,
                             enum loupe_status status) {
    const struct loupe_chunk_ops *chunks = made->nodes.chunks;
    loupe_numbers_put(chunks, &places, made->snapshot->columns.nodes);
    if (status) {
        loupe_heap_graph_deinit(made);
        *made = (struct loupe_heap_graph){0};
    }
    return status;
}

enum loupe_status loupe_heap_graph_of_knots(const struct loupe_snapshot *snapshot,
                                            const struct loupe_heap_knots *knots,
                                            const struct loupe_chunk_ops *chunks,
                                            struct loupe_arena *arena,
                                            struct loupe_heap_graph *ret) {
    uint32_t *places = begin(ret, snapshot, 0, chunks, arena);
    enum loupe_status status = places ? add_knots(ret, places, knots) : LOUPE_ENOMEM;
    if (!status)
        status = open_nodes(ret, places, LOUPE_MAX_NODES, false);
    return end(ret, places, status);
}

enum loupe_status loupe_heap_graph_from(const struct loupe_snapshot *snapshot, uint32_t node,
                                        uint64_t limit, const struct loupe_chunk_ops *chunks,
                                        struct loupe_arena *arena, struct loupe_heap_graph *ret) {
    uint32_t *places = begin(ret, snapshot, limit, chunks, arena);
    enum loupe_status status = places ? add_node(ret, places, node) : LOUPE_ENOMEM;
    if (!status)
        status = open_nodes(ret, places, LOUPE_MAX_NODES, true);
    return end(ret, places, status);
}

enum loupe_status loupe_heap_graph_of(const struct loupe_snapshot *snapshot,
                                      const struct loupe_heap_choice *choice,
                                      const struct loupe_chunk_ops *chunks,
                                      struct loupe_arena *arena, struct loupe_heap_graph *ret) {
    uint32_t *places = begin(ret, snapshot, 0, chunks, arena);
    enum loupe_status status = places ? LOUPE_OK : LOUPE_ENOMEM;
    ret->kinds = choice->kinds;
    for (uint32_t i = 0; !status && i < choice->count; i++)
        status = add_node(ret, places, choice->nodes[i]);
    if (!status)
        status = open_nodes(ret, places, choice->count, choice->with_targets);
    return end(ret, places, status);
}

void loupe_heap_graph_deinit(struct loupe_heap_graph *graph) {
    loupe_graph_deinit(&graph->graph);
    loupe_vector_deinit(&graph->nodes);
}

/* ---- Links and edges ---- */

static bool is_made_of(const struct loupe_heap_graph *heap, const struct loupe_edge *edge,
                       uint32_t link) {
    const struct loupe_snapshot *snapshot = heap->snapshot;
    loupe_link_kinds kinds = loupe_owns_nothing(edge) ? LOUPE_LINKS_UNOWNED : heap->kinds;
    return snapshot->columns.to[link] == loupe_heap_graph_node(heap, edge->to) &&
           snapshot->native->slots[link] == edge->offset &&
           snapshot->native->labels[link] == edge->detail &&
           loupe_link_counts(&snapshot->columns, link, kinds);
}

uint32_t loupe_heap_graph_link(const struct loupe_heap_graph *heap, uint32_t from,
                               const struct loupe_edge *edge) {
    const struct loupe_columns *columns = &heap->snapshot->columns;
    uint32_t node = loupe_heap_graph_node(heap, from);
    uint32_t link = columns->first[node], end = columns->first[node + 1];
    while (link < end && !is_made_of(heap, edge, link))
        link++;
    return link < end ? link : LOUPE_NO_EDGE;
}

uint32_t loupe_heap_graph_edge(const struct loupe_heap_graph *heap, uint32_t from, uint32_t link) {
    uint32_t end = loupe_graph_edges_end(&heap->graph, from);
    for (uint32_t id = loupe_graph_first_edge(&heap->graph, from); id < end; id++) {
        struct loupe_edge edge = loupe_graph_edge(&heap->graph, id);
        if (is_made_of(heap, &edge, link))
            return id;
    }
    return LOUPE_NO_EDGE;
}

/* Edges of a node have the order of its links; not all links are edges. */
static void rule_out_links_of(const struct loupe_heap_graph *heap, uint32_t from, uint8_t *kinds) {
    uint32_t node = loupe_heap_graph_node(heap, from);
    uint32_t link = heap->snapshot->columns.first[node];
    uint32_t end = heap->snapshot->columns.first[node + 1];
    uint32_t edge_end = loupe_graph_edges_end(&heap->graph, from);
    for (uint32_t id = loupe_graph_first_edge(&heap->graph, from); id < edge_end; id++) {
        struct loupe_edge edge = loupe_graph_edge(&heap->graph, id);
        if (edge.ownership != LOUPE_DISOWNED)
            continue;
        while (link < end && !is_made_of(heap, &edge, link))
            link++;
        if (link < end)
            kinds[link++] = LOUPE_LINK_UNOWNED;
    }
}

void loupe_heap_graph_rule_out(const struct loupe_heap_graph *heap, uint8_t *kinds) {
    for (uint32_t i = 0; i < heap->graph.opened; i++)
        rule_out_links_of(heap, i, kinds);
}

/* ---- Kinds of links that may be changed ---- */

static size_t kinds_bytes(const struct loupe_snapshot *snapshot) {
    return (size_t)snapshot->columns.first[snapshot->columns.nodes] + 1;
}

enum loupe_status loupe_kinds_copy(const struct loupe_snapshot *snapshot,
                                   const struct loupe_chunk_ops *chunks,
                                   struct loupe_columns *columns_ret, uint8_t **kinds_ret) {
    size_t bytes = kinds_bytes(snapshot);
    uint8_t *kinds = loupe_chunk_get(chunks, bytes);
    if (!kinds)
        return LOUPE_ENOMEM;
    if (snapshot->columns.kinds)
        memcpy(kinds, snapshot->columns.kinds, bytes - 1);
    else
        memset(kinds, LOUPE_LINK_STRONG, bytes - 1);
    *columns_ret = snapshot->columns;
    columns_ret->kinds = kinds;
    *kinds_ret = kinds;
    return LOUPE_OK;
}

void loupe_kinds_put(const struct loupe_snapshot *snapshot, const struct loupe_chunk_ops *chunks,
                     uint8_t **kinds) {
    if (*kinds)
        loupe_chunk_put(chunks, *kinds, kinds_bytes(snapshot));
    *kinds = NULL;
}
