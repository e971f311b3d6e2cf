#include "cycles/knots/knots.h"

#include <string.h>

#define FIRST_MEMBER 0x80000000u

static uint32_t *get(const struct loupe_knots *knots, uint32_t count) {
    return loupe_numbers_get(knots->chunks, count);
}

static void put(const struct loupe_knots *knots, uint32_t **array, uint32_t count) {
    loupe_numbers_put(knots->chunks, array, count);
}

/* ---- Members ---- */

/* Counting sort of the nodes in knots by knot; starts has room for one number per knot. */
static void list_members(struct loupe_knots *knots, uint32_t *starts) {
    memset(starts, 0, knots->count * sizeof(*starts));
    for (uint32_t node = 0; node < knots->capacity; node++) {
        if (knots->knot_of[node] != LOUPE_NO_KNOT)
            starts[knots->knot_of[node]]++;
    }
    uint32_t start = 0;
    for (uint32_t number = 0; number < knots->count; number++) {
        uint32_t count = starts[number];
        starts[number] = start;
        start += count;
    }
    uint32_t met = 0; /* knots whose first member was placed: they come in the order of numbers */
    for (uint32_t node = 0; node < knots->capacity; node++) {
        uint32_t number = knots->knot_of[node];
        if (number == LOUPE_NO_KNOT)
            continue;
        bool first = number == met;
        met += first;
        knots->members[starts[number]++] = first ? node | FIRST_MEMBER : node;
    }
}

/* ---- All together ---- */

enum loupe_status loupe_knots_list_members(struct loupe_knots *knots) {
    if (!knots->count)
        return LOUPE_OK;
    uint32_t *starts = get(knots, knots->count);
    knots->members = get(knots, knots->member_count);
    if (starts && knots->members)
        list_members(knots, starts);
    enum loupe_status status = starts && knots->members ? LOUPE_OK : LOUPE_ENOMEM;
    put(knots, &starts, knots->count);
    return status;
}

void loupe_knots_drop_members(struct loupe_knots *knots) {
    put(knots, &knots->members, knots->member_count);
}

enum loupe_status loupe_knots_find(const struct loupe_graph *graph,
                                   const struct loupe_chunk_ops *chunks, struct loupe_knots *ret) {
    struct loupe_knots knots = {
        .graph = graph, .chunks = chunks, .capacity = loupe_graph_node_count(graph)};
    struct loupe_components components;
    enum loupe_status status =
        loupe_components_find(&graph->columns, LOUPE_EDGES_OWNED, NULL, chunks, &components);
    if (!status) {
        knots.knot_of = components.of;
        knots.count = components.count;
        knots.member_count = components.members;
    }
    if (!status)
        status = loupe_knots_list_members(&knots);
    if (status)
        loupe_knots_deinit(&knots);
    else
        *ret = knots;
    return status;
}

void loupe_knots_deinit(struct loupe_knots *knots) {
    put(knots, &knots->knot_of, knots->capacity);
    loupe_knots_drop_members(knots);
    *knots = (struct loupe_knots){.graph = knots->graph, .chunks = knots->chunks};
}

bool loupe_knots_next(const struct loupe_knots *knots, struct loupe_knot *knot) {
    uint32_t first = knot->first + knot->count;
    if (first == knots->member_count)
        return false;
    uint32_t end = first + 1;
    while (end < knots->member_count && !(knots->members[end] & FIRST_MEMBER))
        end++;
    *knot = (struct loupe_knot){.number = knots->knot_of[knots->members[first] & ~FIRST_MEMBER],
                                .first = first,
                                .count = end - first};
    return true;
}

struct loupe_knot_edges loupe_knot_count_edges(const struct loupe_knots *knots,
                                               const struct loupe_knot *knot) {
    struct loupe_knot_edges count = {0};
    for (uint32_t i = 0; i < knot->count; i++) {
        uint32_t node = loupe_knot_member(knots, knot, i);
        uint32_t end = loupe_graph_edges_end(knots->graph, node);
        for (uint32_t id = loupe_graph_first_edge(knots->graph, node); id < end; id++) {
            if (loupe_graph_is_hidden(knots->graph, id) ||
                knots->knot_of[loupe_graph_target(knots->graph, id)] != knot->number)
                continue;
            count.inside++;
            count.assumed += !loupe_graph_is_strong(knots->graph, id);
        }
    }
    return count;
}
