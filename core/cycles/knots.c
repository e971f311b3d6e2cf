/* The knots of a graph, numbered and with lists of their members, by its components. */
#include "cycles/components.h"

#include <string.h>

#define FIRST_MEMBER 0x80000000u

static uint32_t *get(const struct loupe_knots *knots, uint32_t count) {
    return loupe_numbers_get(knots->chunks, count);
}

static void put(const struct loupe_knots *knots, uint32_t **array, uint32_t count) {
    loupe_numbers_put(knots->chunks, array, count);
}

/* ---- Numbers ---- */

static uint32_t name_of(struct loupe_knots *knots, uint32_t *names, uint32_t component) {
    if (component == LOUPE_NO_KNOT)
        return LOUPE_NO_KNOT;
    uint32_t *name = &names[LOUPE_NO_KNOT - 1 - component];
    if (!*name)
        *name = ++knots->count;
    return *name - 1;
}

/*
 * Turns components into knots, numbered by lowest node, in place. names has room for a number per
 * component.
 */
static void number_knots(struct loupe_knots *knots, uint32_t components, uint32_t *names) {
    uint32_t last = LOUPE_NO_KNOT, last_name = LOUPE_NO_KNOT;
    memset(names, 0, components * sizeof(*names));
    for (uint32_t node = 0; node < knots->capacity; node++) {
        uint32_t component = knots->knot_of[node];
        if (component != last) {
            last = component;
            last_name = name_of(knots, names, component);
        }
        knots->knot_of[node] = last_name;
        knots->member_count += last_name != LOUPE_NO_KNOT;
    }
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

static enum loupe_status find(struct loupe_knots *knots) {
    struct loupe_components components;
    enum loupe_status status = loupe_components_find(knots->graph, knots->chunks, &components);
    if (status)
        return status;
    knots->knot_of = components.of;
    uint32_t *names = get(knots, components.count);
    if (names)
        number_knots(knots, components.count, names);
    else
        status = LOUPE_ENOMEM;
    put(knots, &names, components.count);
    return status;
}

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
    enum loupe_status status = knots.capacity ? find(&knots) : LOUPE_OK;
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
            uint32_t link = loupe_graph_link(knots->graph, id);
            if ((link & LOUPE_HIDDEN) || knots->knot_of[link] != knot->number)
                continue;
            count.inside++;
            count.assumed += loupe_graph_edge_facts(knots->graph, id)->ownership != LOUPE_STRONG;
        }
    }
    return count;
}
