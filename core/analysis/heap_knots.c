#include "analysis/heap_knots.h"

/* Knots are numbered by their lowest nodes: the first one that is met of each. */
static void list_first(struct loupe_heap_knots *knots) {
    uint32_t met = 0;
    for (uint32_t node = 0; node < knots->nodes && met < knots->count; node++) {
        if (knots->of[node] == met)
            knots->first[met++] = node;
    }
}

enum loupe_status loupe_heap_knots_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_marks *outside,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_heap_knots *ret) {
    struct loupe_components components;
    enum loupe_status status = loupe_components_find(columns, kinds, outside, chunks, &components);
    if (status)
        return status;
    struct loupe_heap_knots found = {.chunks = chunks,
                                     .nodes = columns->nodes,
                                     .of = components.of,
                                     .first = loupe_numbers_get(chunks, components.count),
                                     .count = components.count};
    if (!found.first) {
        loupe_heap_knots_deinit(&found);
        return LOUPE_ENOMEM;
    }
    list_first(&found);
    *ret = found;
    return LOUPE_OK;
}

void loupe_heap_knots_deinit(struct loupe_heap_knots *knots) {
    loupe_numbers_put(knots->chunks, &knots->of, knots->nodes);
    loupe_numbers_put(knots->chunks, &knots->first, knots->count);
}

/* ---- Heads of what is not alive ---- */

struct leak_roots {
    const struct loupe_columns *columns;
    const struct loupe_marks *alive;
    const struct loupe_heap_knots *knots;
    struct loupe_marks held; /* by others: nodes; of knots their first ones */
};

static uint32_t stands_for(const struct leak_roots *leak_roots, uint32_t node) {
    uint32_t knot = leak_roots->knots->of[node];
    return knot == LOUPE_NO_KNOT ? node : leak_roots->knots->first[knot];
}

static void mark_held(struct leak_roots *leak_roots, loupe_link_kinds kinds) {
    const struct loupe_columns *columns = leak_roots->columns;
    for (uint32_t node = 0; node < columns->nodes; node++) {
        if (loupe_is_marked(leak_roots->alive, node))
            continue;
        uint32_t from = stands_for(leak_roots, node);
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            if (!loupe_link_counts(columns, link, kinds))
                continue;
            uint32_t to = stands_for(leak_roots, loupe_link_target(columns, link));
            if (to != from)
                loupe_mark(&leak_roots->held, to);
        }
    }
}

static bool is_leak_root(const struct leak_roots *leak_roots, uint32_t node) {
    return !loupe_is_marked(leak_roots->alive, node) && stands_for(leak_roots, node) == node &&
           !loupe_is_marked(&leak_roots->held, node);
}

static enum loupe_status list_leak_roots(const struct leak_roots *leak_roots,
                                         struct loupe_leak_roots *found) {
    uint32_t nodes = leak_roots->columns->nodes, listed = 0;
    for (uint32_t node = 0; node < nodes; node++)
        found->count += is_leak_root(leak_roots, node);
    found->nodes = loupe_numbers_get(found->knots.chunks, found->count);
    if (!found->nodes)
        return LOUPE_ENOMEM;
    for (uint32_t node = 0; node < nodes; node++) {
        if (is_leak_root(leak_roots, node))
            found->nodes[listed++] = node;
    }
    return LOUPE_OK;
}

enum loupe_status loupe_leak_roots_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_marks *alive,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_leak_roots *ret) {
    struct loupe_leak_roots found = {0};
    enum loupe_status status = loupe_heap_knots_find(columns, kinds, alive, chunks, &found.knots);
    if (status)
        return status;
    struct leak_roots leak_roots = {.columns = columns, .alive = alive, .knots = &found.knots};
    status = loupe_marks_init(&leak_roots.held, chunks, columns->nodes);
    if (!status) {
        mark_held(&leak_roots, kinds);
        status = list_leak_roots(&leak_roots, &found);
        loupe_marks_deinit(&leak_roots.held);
    }
    if (status)
        loupe_leak_roots_deinit(&found);
    else
        *ret = found;
    return status;
}

void loupe_leak_roots_deinit(struct loupe_leak_roots *leak_roots) {
    loupe_numbers_put(leak_roots->knots.chunks, &leak_roots->nodes, leak_roots->count);
    loupe_heap_knots_deinit(&leak_roots->knots);
}
