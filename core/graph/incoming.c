#include "graph/incoming.h"

#include <string.h>

static const struct loupe_root *root_at(const struct loupe_vector *roots, uint32_t index) {
    return loupe_vector_at(roots, index, sizeof(struct loupe_root));
}

static unsigned rank_of(const struct loupe_way *way, const struct loupe_vector *roots) {
    return way->root == LOUPE_NO_ROOT ? LOUPE_ROOT_KIND_COUNT
                                      : loupe_root_rank(root_at(roots, way->root)->kind);
}

static bool is_better(const struct loupe_way *a, const struct loupe_way *b,
                      const struct loupe_vector *roots) {
    unsigned rank_of_a = rank_of(a, roots), rank_of_b = rank_of(b, roots);
    return rank_of_a != rank_of_b ? rank_of_a < rank_of_b : a->length < b->length;
}

/* Keeps the best ones sorted; of equal ones the first. */
static void add_edge(struct loupe_incoming *incoming, const struct loupe_incoming_edge *added,
                     const struct loupe_vector *roots) {
    uint32_t place = incoming->edge_count;
    while (place > 0 && is_better(&added->way, &incoming->edges[place - 1].way, roots))
        place--;
    if (place == LOUPE_MAX_INCOMING)
        return;
    uint32_t last =
        incoming->edge_count < LOUPE_MAX_INCOMING ? incoming->edge_count++ : LOUPE_MAX_INCOMING - 1;
    memmove(&incoming->edges[place + 1], &incoming->edges[place],
            (last - place) * sizeof(incoming->edges[0]));
    incoming->edges[place] = *added;
}

static void add_root(struct loupe_incoming *incoming, uint32_t index,
                     const struct loupe_root *root) {
    incoming->words[root->kind]++;
    incoming->owned_by_roots += root->retains;
    if (incoming->root_count < LOUPE_MAX_INCOMING)
        incoming->roots[incoming->root_count++] = index;
}

void loupe_incoming_find(const struct loupe_graph *graph, uint32_t node,
                         const struct loupe_ways *ways, const struct loupe_vector *roots,
                         struct loupe_incoming *ret) {
    memset(ret, 0, sizeof(*ret));
    for (uint32_t from = 0; from < graph->opened; from++) {
        uint32_t end = loupe_graph_edges_end(graph, from);
        for (uint32_t id = loupe_graph_first_edge(graph, from); id < end; id++) {
            if (loupe_graph_target(graph, id) != node)
                continue;
            struct loupe_incoming_edge found = {.from = from, .edge = id, .way = ways->to[from]};
            ret->edges_found++;
            const struct loupe_edge_facts *facts = loupe_graph_edge_facts(graph, id);
            ret->shared += facts->shared;
            ret->assumed += facts->ownership != LOUPE_STRONG;
            add_edge(ret, &found, roots);
        }
    }
    for (uint32_t i = 0; i < roots->count; i++) {
        if (root_at(roots, i)->node == node)
            add_root(ret, i, root_at(roots, i));
    }
}
