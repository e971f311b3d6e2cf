#include "cycles/disowned.h"

#include <string.h>

/* By node: how many references are known to own it, and whether others are assumed to. */
enum { IN_DOUBT = 1u << 31, ALL_KNOWN = 1u << 30, OWNERS = ALL_KNOWN - 1 };

struct disowning {
    struct loupe_graph *graph;
    const struct loupe_knots *knots;
    uint32_t *owners;
    uint64_t hidden;
};

typedef void visit_edge(struct disowning *d, uint32_t edge, uint32_t to);

static void visit_edges(struct disowning *d, visit_edge *visit) {
    for (uint32_t node = 0; node < d->graph->opened; node++) {
        uint32_t end = loupe_graph_edges_end(d->graph, node);
        for (uint32_t id = loupe_graph_first_edge(d->graph, node); id < end; id++) {
            uint32_t to = loupe_graph_target(d->graph, id);
            if (d->knots->knot_of[to] != LOUPE_NO_KNOT)
                visit(d, id, to);
        }
    }
}

static void count_owner(struct disowning *d, uint32_t edge, uint32_t to) {
    uint32_t *owners = &d->owners[to];
    const struct loupe_edge_facts *facts = loupe_graph_edge_facts(d->graph, edge);
    if (facts->ownership == LOUPE_ASSUMED)
        *owners |= IN_DOUBT;
    else if (facts->ownership != LOUPE_DISOWNED && !facts->shared && (*owners & OWNERS) < OWNERS)
        ++*owners;
}

static void hide(struct disowning *d, uint32_t edge, uint32_t to) {
    struct loupe_edge_facts *facts = loupe_graph_edge_facts(d->graph, edge);
    if (facts->ownership != LOUPE_ASSUMED || !(d->owners[to] & ALL_KNOWN))
        return;
    facts->ownership = LOUPE_DISOWNED;
    loupe_graph_hide(d->graph, edge);
    d->hidden++;
}

/* Whether the retains of a node with owners are just those of its owners. */
static bool counts_owners_alone(const struct disowning *d, const struct loupe_describer *describer,
                                uint32_t node) {
    uint64_t retains;
    return describer->retain_count(describer->ctx, d->graph, node, &retains) == LOUPE_COUNT_KNOWN &&
           retains == (d->owners[node] & OWNERS);
}

static bool has_assumed_edges(const struct loupe_knots *knots) {
    struct loupe_knot knot = {0};
    while (loupe_knots_next(knots, &knot)) {
        if (loupe_knot_count_edges(knots, &knot).assumed)
            return true;
    }
    return false;
}

enum loupe_status loupe_disowned_hide(struct loupe_graph *graph, const struct loupe_knots *knots,
                                      const struct loupe_describer *describer,
                                      uint64_t *count_ret) {
    struct disowning d = {.graph = graph, .knots = knots};
    *count_ret = 0;
    if (!has_assumed_edges(knots))
        return LOUPE_OK;
    size_t size = knots->capacity * sizeof(*d.owners);
    d.owners = loupe_chunk_get(knots->chunks, size);
    if (!d.owners)
        return LOUPE_ENOMEM;
    memset(d.owners, 0, size);
    visit_edges(&d, count_owner);
    for (uint32_t node = 0; node < knots->capacity; node++) {
        if ((d.owners[node] & IN_DOUBT) && (d.owners[node] & OWNERS) &&
            counts_owners_alone(&d, describer, node))
            d.owners[node] |= ALL_KNOWN;
    }
    visit_edges(&d, hide);
    *count_ret = d.hidden;
    loupe_chunk_put(knots->chunks, d.owners, size);
    return LOUPE_OK;
}
