#include "graph/incoming.h"

#include "graph/likely_owners.h"

#include <string.h>

static const struct loupe_root *root_at(const struct loupe_vector *roots, uint32_t index) {
    return loupe_vector_at(roots, index, sizeof(struct loupe_root));
}

static unsigned rank_of(const struct loupe_root_path *path, const struct loupe_vector *roots) {
    return path->root == LOUPE_NO_ROOT ? LOUPE_ROOT_KIND_COUNT
                                       : loupe_root_rank(root_at(roots, path->root)->kind);
}

static bool is_certain(const struct loupe_graph *graph, const struct loupe_incoming_edge *held) {
    return loupe_graph_edge_facts(graph, held->edge)->ownership == LOUPE_STRONG;
}

static bool is_better(const struct loupe_graph *graph, const struct loupe_incoming_edge *a,
                      const struct loupe_incoming_edge *b, const struct loupe_vector *roots) {
    unsigned rank_of_a = rank_of(&a->path, roots), rank_of_b = rank_of(&b->path, roots);
    if (rank_of_a != rank_of_b)
        return rank_of_a < rank_of_b;
    if (is_certain(graph, a) != is_certain(graph, b))
        return is_certain(graph, a);
    return a->path.length < b->path.length;
}

/* Keeps the best ones sorted; of equal ones the first. */
static void add_edge(const struct loupe_graph *graph, struct loupe_incoming *incoming,
                     const struct loupe_incoming_edge *added, const struct loupe_vector *roots) {
    uint32_t place = incoming->edge_count;
    while (place > 0 && is_better(graph, added, &incoming->edges[place - 1], roots))
        place--;
    if (place == LOUPE_MAX_INCOMING)
        return;
    uint32_t last =
        incoming->edge_count < LOUPE_MAX_INCOMING ? incoming->edge_count++ : LOUPE_MAX_INCOMING - 1;
    memmove(&incoming->edges[place + 1], &incoming->edges[place],
            (last - place) * sizeof(incoming->edges[0]));
    incoming->edges[place] = *added;
}

static void add_ruled_out(struct loupe_incoming *incoming,
                          const struct loupe_incoming_edge *found) {
    incoming->ruled_out_found++;
    if (incoming->ruled_out_count < LOUPE_MAX_INCOMING)
        incoming->ruled_out[incoming->ruled_out_count++] = *found;
}

static void add_root(struct loupe_incoming *incoming, uint32_t index,
                     const struct loupe_root *root) {
    incoming->words[root->kind]++;
    incoming->owned_by_roots += root->retains;
    if (incoming->root_count < LOUPE_MAX_INCOMING)
        incoming->roots[incoming->root_count++] = index;
}

/* ---- Which of all that leads there owns nothing ---- */

static enum loupe_doubt doubt_of(const struct loupe_describer *describer,
                                 const struct loupe_graph *graph, uint32_t from, uint32_t edge) {
    if (!describer || !describer->doubt ||
        loupe_graph_edge_facts(graph, edge)->ownership != LOUPE_ASSUMED)
        return LOUPE_NO_DOUBT;
    return describer->doubt(describer->ctx, graph, from, edge);
}

static struct loupe_owner_counts count_owners(const struct loupe_graph *graph, uint32_t node,
                                              const struct loupe_describer *describer,
                                              const struct loupe_incoming *incoming) {
    struct loupe_owner_counts counts = {.known = LOUPE_COUNT_UNKNOWN,
                                        .certain = incoming->owned_by_roots,
                                        .words = loupe_lasting_words(incoming)};
    if (describer && describer->retain_count)
        counts.known = describer->retain_count(describer->ctx, graph, node, &counts.retains);
    for (uint32_t from = 0; from < graph->opened; from++) {
        uint32_t end = loupe_graph_edges_end(graph, from);
        for (uint32_t id = loupe_graph_first_edge(graph, from); id < end; id++) {
            const struct loupe_edge_facts *facts = loupe_graph_edge_facts(graph, id);
            if (loupe_graph_target(graph, id) == node && !loupe_graph_is_hidden(graph, id))
                loupe_owner_counts_add(&counts, facts->ownership != LOUPE_STRONG, facts->shared,
                                       doubt_of(describer, graph, from, id));
        }
    }
    return counts;
}

static void take_edge(const struct loupe_graph *graph, const struct loupe_incoming_edge *found,
                      const struct loupe_vector *roots, struct loupe_incoming *ret) {
    const struct loupe_edge_facts *facts = loupe_graph_edge_facts(graph, found->edge);
    if (loupe_graph_is_hidden(graph, found->edge) || found->owns_nothing_since) {
        add_ruled_out(ret, found);
        return;
    }
    ret->edges_found++;
    ret->shared += facts->shared;
    ret->assumed += facts->ownership != LOUPE_STRONG;
    add_edge(graph, ret, found, roots);
}

uint64_t loupe_lasting_words(const struct loupe_incoming *incoming) {
    return incoming->words[LOUPE_ROOT_GIVEN] + incoming->words[LOUPE_ROOT_DATA] +
           incoming->words[LOUPE_ROOT_THREAD_LOCAL] + incoming->words[LOUPE_ROOT_KERNEL];
}

void loupe_incoming_find(const struct loupe_graph *graph, uint32_t node,
                         const struct loupe_describer *describer,
                         const struct loupe_paths_from_roots *paths,
                         const struct loupe_vector *roots, struct loupe_incoming *ret) {
    memset(ret, 0, sizeof(*ret));
    for (uint32_t i = 0; i < roots->count; i++) {
        if (root_at(roots, i)->node == node)
            add_root(ret, i, root_at(roots, i));
    }
    struct loupe_owner_counts counts = count_owners(graph, node, describer, ret);
    for (uint32_t from = 0; from < graph->opened; from++) {
        uint32_t end = loupe_graph_edges_end(graph, from);
        for (uint32_t id = loupe_graph_first_edge(graph, from); id < end; id++) {
            if (loupe_graph_target(graph, id) != node)
                continue;
            struct loupe_incoming_edge found = {.from = from, .edge = id, .path = paths->to[from]};
            if (loupe_graph_edge_facts(graph, id)->ownership == LOUPE_ASSUMED)
                found.owns_nothing_since =
                    loupe_owns_nothing_since(&counts, doubt_of(describer, graph, from, id));
            take_edge(graph, &found, roots, ret);
        }
    }
}

/* ---- Holders without a path ---- */

enum { REACHED = 1, REACHED_FOR_SURE = 2 };

struct examination {
    const struct loupe_graph *graph;
    uint32_t *words; /* by node: the queue of a search, then the references found */
    uint8_t *marks;  /* by node */
    uint32_t capacity;
};

/* Marks what the node leads to, by strong references alone or by all that may own. */
static void mark_reached(struct examination *e, uint32_t node, uint8_t mark) {
    uint32_t head = 0, tail = 0;
    e->words[tail++] = node;
    e->marks[node] |= mark;
    while (head < tail) {
        uint32_t from = e->words[head++], end = loupe_graph_edges_end(e->graph, from);
        for (uint32_t id = loupe_graph_first_edge(e->graph, from); id < end; id++) {
            uint32_t to = loupe_graph_target(e->graph, id);
            bool strong = loupe_graph_edge_facts(e->graph, id)->ownership == LOUPE_STRONG;
            if ((e->marks[to] & mark) || loupe_graph_is_hidden(e->graph, id) ||
                (mark == REACHED_FOR_SURE && !strong))
                continue;
            e->marks[to] |= mark;
            e->words[tail++] = to;
        }
    }
}

static void count_references(struct examination *e, const struct loupe_vector *roots) {
    memset(e->words, 0, e->capacity * sizeof(*e->words));
    for (uint32_t id = 0; id < loupe_graph_edge_count(e->graph); id++) {
        if (!loupe_graph_is_hidden(e->graph, id))
            e->words[loupe_graph_target(e->graph, id)] +=
                !loupe_graph_edge_facts(e->graph, id)->shared;
    }
    for (uint32_t i = 0; i < roots->count; i++)
        e->words[root_at(roots, i)->node] += root_at(roots, i)->retains;
}

static void examine(struct examination *e, uint32_t node, const struct loupe_vector *roots,
                    struct loupe_incoming *incoming) {
    memset(e->marks, 0, e->capacity);
    mark_reached(e, node, REACHED);
    mark_reached(e, node, REACHED_FOR_SURE);
    count_references(e, roots);
    for (uint32_t i = 0; i < incoming->edge_count; i++) {
        struct loupe_incoming_edge *held = &incoming->edges[i];
        if (held->path.root != LOUPE_NO_ROOT)
            continue;
        bool strong = loupe_graph_edge_facts(e->graph, held->edge)->ownership == LOUPE_STRONG;
        held->references = e->words[held->from];
        if (e->marks[held->from] & REACHED)
            held->closing = strong && (e->marks[held->from] & REACHED_FOR_SURE)
                                ? LOUPE_CLOSES_A_RING
                                : LOUPE_MAY_CLOSE_A_RING;
    }
}

enum loupe_status loupe_incoming_examine(const struct loupe_graph *graph, uint32_t node,
                                         const struct loupe_vector *roots,
                                         const struct loupe_chunk_ops *chunks,
                                         struct loupe_incoming *incoming) {
    uint32_t last = incoming->edge_count; /* those without a path come last */
    if (!last || incoming->edges[last - 1].path.root != LOUPE_NO_ROOT)
        return LOUPE_OK;
    struct examination e = {.graph = graph, .capacity = loupe_graph_node_count(graph)};
    size_t size = e.capacity * sizeof(*e.words);
    e.words = loupe_chunk_get(chunks, size);
    e.marks = e.words ? loupe_chunk_get(chunks, e.capacity) : NULL;
    if (e.marks)
        examine(&e, node, roots, incoming);
    enum loupe_status status = e.marks ? LOUPE_OK : LOUPE_ENOMEM;
    loupe_chunk_put(chunks, e.marks, e.capacity);
    loupe_chunk_put(chunks, e.words, size);
    return status;
}
