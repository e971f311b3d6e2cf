/* References that own nothing, as is known of the target's libraries: in the whole heap, where
 * cycles/filters.h looks at knots alone. */
#include "leaks/leaks.h"

#include <string.h>

enum { NOT_LOOKED_FOR = UINT32_MAX };

struct knowledge {
    struct loupe_leaks *leaks;
    const struct loupe_filter *filters;
    uint32_t filter_count;
    struct loupe_arena *arena;
    uint32_t *rows;    /* by class: where its filters begin in `numbers`, or NOT_LOOKED_FOR */
    uint32_t *numbers; /* of filters; each row ends with filter_count */
    uint32_t count, capacity;
};

static bool add_number(struct knowledge *known, uint32_t number) {
    known->numbers = loupe_arena_grow(known->arena, known->numbers, known->count, &known->capacity,
                                      sizeof(*known->numbers));
    if (known->numbers)
        known->numbers[known->count++] = number;
    return known->numbers != NULL;
}

/* The filters for references from instances of a node's class, in their order. */
static bool find_row(struct knowledge *known, uint32_t node) {
    const struct loupe_snapshot *snapshot = known->leaks->snapshot;
    uint32_t class_number = snapshot->classes[node];
    if (known->rows[class_number] != NOT_LOOKED_FOR)
        return true;
    known->rows[class_number] = known->count;
    for (uint32_t i = 0; i < known->filter_count; i++) {
        const struct loupe_filter *filter = &known->filters[i];
        if (filter->owns_nothing &&
            (!filter->source || loupe_native_is_kind_of(snapshot, node, filter->source)) &&
            !add_number(known, i))
            return false;
    }
    return add_number(known, known->filter_count);
}

static const struct loupe_filter *filter_of(const struct knowledge *known, uint32_t row,
                                            uint32_t link) {
    const struct loupe_snapshot *snapshot = known->leaks->snapshot;
    uint32_t target = snapshot->columns.to[link];
    char path[LOUPE_MAX_PATH];
    loupe_native_path(snapshot, link, path);
    for (; known->numbers[row] < known->filter_count; row++) {
        const struct loupe_filter *filter = &known->filters[known->numbers[row]];
        if ((!filter->path || strcmp(filter->path, path) == 0) &&
            (!filter->target || loupe_native_is_kind_of(snapshot, target, filter->target)))
            return filter;
    }
    return NULL;
}

/* Of what is unowned by itself may be known that it leads back. */
static bool may_be_known(uint8_t kind) {
    return kind == LOUPE_LINK_ASSUMED || kind == LOUPE_LINK_UNOWNED;
}

static void rule_out_links_of(const struct knowledge *known, uint32_t node) {
    const struct loupe_snapshot *snapshot = known->leaks->snapshot;
    uint32_t row = known->rows[snapshot->classes[node]];
    uint8_t *kinds = known->leaks->kinds;
    for (uint32_t link = snapshot->columns.first[node]; link < snapshot->columns.first[node + 1];
         link++) {
        if (!may_be_known(snapshot->columns.kinds[link]))
            continue;
        const struct loupe_filter *filter = filter_of(known, row, link);
        if (filter)
            kinds[link] = filter->leads_back ? LOUPE_LINK_WEAK : LOUPE_LINK_UNOWNED;
    }
}

static bool has_any(const struct loupe_columns *columns, uint32_t node) {
    uint32_t link = columns->first[node], end = columns->first[node + 1];
    while (link < end && !may_be_known(columns->kinds[link]))
        link++;
    return link < end;
}

enum loupe_status loupe_leaks_rule_out_known(struct loupe_leaks *leaks,
                                             const struct loupe_leaks_options *options,
                                             struct loupe_arena *arena) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    struct knowledge known = {.leaks = leaks,
                              .filters = options->filters,
                              .filter_count = options->filter_count,
                              .arena = arena};
    if (!options->filter_count || !snapshot->columns.kinds)
        return LOUPE_OK;
    known.rows = loupe_arena_alloc_array(arena, snapshot->class_count, sizeof(*known.rows));
    if (!known.rows)
        return LOUPE_ENOMEM;
    memset(known.rows, 0xff, snapshot->class_count * sizeof(*known.rows));
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++) {
        if (!has_any(&snapshot->columns, node))
            continue;
        if (!find_row(&known, node))
            return LOUPE_ENOMEM;
        if (known.numbers[known.rows[snapshot->classes[node]]] < known.filter_count)
            rule_out_links_of(&known, node);
    }
    return loupe_columns_status(&snapshot->columns, true);
}
