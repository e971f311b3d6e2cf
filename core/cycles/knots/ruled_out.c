#include "cycles/knots/ruled_out.h"

#include "base/map.h"

#include <string.h>

/* By node: how many references are known to own it, and whether others are assumed to. */
enum { IN_DOUBT = 1u << 31, ALL_KNOWN = 1u << 30, ALL_LIKELY = 1u << 29, OWNERS = ALL_LIKELY - 1 };

struct owner_check {
    struct loupe_graph *graph;
    const struct loupe_knots *knots;
    const struct loupe_describer *describer;
    uint32_t *owners;
    uint32_t *likely; /* by node: assumed references of which there is no doubt */
    uint32_t *rest;   /* by node, in their place: retains that known owners leave; ANY: not known */
    struct loupe_map alike; /* doubted references of one ivar to one node: how many */
    enum loupe_status status;
    struct loupe_ruled_out hidden;
};

enum { ANY = UINT32_MAX };

typedef void visit_edge(struct owner_check *d, uint32_t from, uint32_t edge, uint32_t to);

static void visit_edges(struct owner_check *d, visit_edge *visit) {
    for (uint32_t node = 0; node < d->graph->opened; node++) {
        uint32_t end = loupe_graph_edges_end(d->graph, node);
        for (uint32_t id = loupe_graph_first_edge(d->graph, node); id < end; id++) {
            uint32_t to = loupe_graph_target(d->graph, id);
            if (d->knots->knot_of[to] != LOUPE_NO_KNOT)
                visit(d, node, id, to);
        }
    }
}

static enum loupe_doubt doubt_of(const struct owner_check *d, uint32_t from, uint32_t edge) {
    return d->describer->doubt ? d->describer->doubt(d->describer->ctx, d->graph, from, edge)
                               : LOUPE_NO_DOUBT;
}

static void rule_out(struct loupe_graph *graph, uint32_t edge) {
    loupe_graph_edge_facts(graph, edge)->ownership = LOUPE_DISOWNED;
    loupe_graph_hide(graph, edge);
}

/* Code that sets an ivar retains for all of them or for none. */
static uint64_t key_of(const struct owner_check *d, uint32_t from, uint32_t edge, uint32_t to) {
    uint64_t ivar = (uint64_t)loupe_graph_node(d->graph, from).tag << 32 |
                    loupe_graph_edge_facts(d->graph, edge)->offset;
    return loupe_hash(ivar) ^ to;
}

static void count_alike(struct owner_check *d, uint32_t from, uint32_t edge, uint32_t to) {
    uint64_t key = key_of(d, from, edge, to);
    uint32_t count = 0;
    loupe_map_find(&d->alike, key, &count);
    if (!d->status)
        d->status = loupe_map_put(&d->alike, key, count + 1);
}

static bool are_too_many(const struct owner_check *d, uint32_t from, uint32_t edge, uint32_t to) {
    uint32_t count = 0;
    loupe_map_find(&d->alike, key_of(d, from, edge, to), &count);
    return count > d->rest[to];
}

static void count_owner(struct owner_check *d, uint32_t from, uint32_t edge, uint32_t to) {
    uint32_t *owners = &d->owners[to];
    const struct loupe_edge_facts *facts = loupe_graph_edge_facts(d->graph, edge);
    if (facts->ownership == LOUPE_ASSUMED) {
        *owners |= IN_DOUBT;
        enum loupe_doubt doubt = doubt_of(d, from, edge);
        d->likely[to] += doubt == LOUPE_NO_DOUBT;
        if (doubt == LOUPE_SOME_DOUBT)
            count_alike(d, from, edge, to);
    } else if (facts->ownership != LOUPE_DISOWNED && !facts->shared &&
               (*owners & OWNERS) < OWNERS) {
        ++*owners;
    }
}

static void hide(struct owner_check *d, uint32_t from, uint32_t edge, uint32_t to) {
    if (loupe_graph_edge_facts(d->graph, edge)->ownership != LOUPE_ASSUMED)
        return;
    bool by_counts = (d->owners[to] & ALL_KNOWN) != 0;
    enum loupe_doubt doubt = by_counts ? LOUPE_NO_DOUBT : doubt_of(d, from, edge);
    bool by_dealloc = doubt == LOUPE_MUCH_DOUBT ||
                      (doubt == LOUPE_SOME_DOUBT &&
                       ((d->owners[to] & ALL_LIKELY) || are_too_many(d, from, edge, to)));
    if (!by_counts && !by_dealloc)
        return;
    rule_out(d->graph, edge);
    d->hidden.by_counts += by_counts;
    d->hidden.by_dealloc += by_dealloc;
}

/* Whether the retains of a node are just those of its owners, or no more than those of likely ones,
 * too; and what the owners leave of them. */
static uint32_t compare_with_count(struct owner_check *d, uint32_t node) {
    const struct loupe_describer *describer = d->describer;
    uint64_t retains, owners = d->owners[node] & OWNERS;
    uint32_t likely = d->likely[node];
    d->rest[node] = ANY;
    if (describer->retain_count(describer->ctx, d->graph, node, &retains) != LOUPE_COUNT_KNOWN ||
        retains < owners)
        return 0;
    d->rest[node] = retains - owners < ANY ? (uint32_t)(retains - owners) : ANY;
    if (retains == owners)
        return owners ? ALL_KNOWN : 0;
    return retains - owners <= likely ? ALL_LIKELY : 0;
}

static bool has_assumed_edges(const struct loupe_knots *knots) {
    struct loupe_knot knot = {0};
    while (loupe_knots_next(knots, &knot)) {
        if (loupe_knot_count_edges(knots, &knot).assumed)
            return true;
    }
    return false;
}

enum loupe_status loupe_ruled_out_hide(struct loupe_graph *graph, const struct loupe_knots *knots,
                                       const struct loupe_describer *describer,
                                       struct loupe_ruled_out *ret) {
    struct owner_check d = {.graph = graph, .knots = knots, .describer = describer};
    *ret = (struct loupe_ruled_out){0};
    if (!has_assumed_edges(knots))
        return LOUPE_OK;
    size_t size = 2 * knots->capacity * sizeof(*d.owners);
    d.owners = loupe_chunk_get(knots->chunks, size);
    if (!d.owners)
        return LOUPE_ENOMEM;
    d.likely = d.rest = d.owners + knots->capacity;
    loupe_map_init(&d.alike, knots->chunks);
    memset(d.owners, 0, size);
    visit_edges(&d, count_owner);
    for (uint32_t node = 0; node < knots->capacity; node++) {
        if (d.owners[node] & IN_DOUBT)
            d.owners[node] |= compare_with_count(&d, node);
    }
    if (!d.status)
        visit_edges(&d, hide);
    *ret = d.hidden;
    loupe_map_deinit(&d.alike);
    loupe_chunk_put(knots->chunks, d.owners, size);
    return d.status;
}
