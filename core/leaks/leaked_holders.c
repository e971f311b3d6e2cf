/*
 * What leaks.h says of what holds an object. Words on stacks lead to a retain cycle that leaked as
 * well as to one in use, and of assumed references counts alone decide: that is known of cycles,
 * not of one object's holders.
 */
#include "leaks/holder_search.h"
#include "leaks/leaks.h"

static bool is_leaked(const struct loupe_knot_facts *knot) {
    return knot->verdict.kind == LOUPE_LEAKED && !knot->is_timed;
}

static enum loupe_status is_in_leaked_knot(const struct loupe_leaks *leaks, uint32_t node,
                                           bool *ret) {
    struct loupe_marks marks;
    enum loupe_status status =
        loupe_marks_init(&marks, leaks->chunks, leaks->snapshot->columns.nodes);
    if (status)
        return status;
    status = loupe_leaks_mark_knots(leaks, is_leaked, &marks);
    *ret = !status && loupe_is_marked(&marks, node);
    loupe_marks_deinit(&marks);
    return status;
}

/* The node of the leak that alone keeps another one; LOUPE_NO_NODE: none alone does. */
static uint32_t keeper_of(const struct loupe_leaks *leaks, uint32_t node) {
    const struct loupe_dominators *kept = &leaks->kept;
    if (!leaks->has_kept || !loupe_heap_part_has(&leaks->part, node))
        return LOUPE_NO_NODE;
    uint32_t at = loupe_heap_part_node(&leaks->part, node);
    while (kept->immediate[at] < kept->nodes)
        at = kept->immediate[at];
    return kept->immediate[at] == kept->nodes ? at : LOUPE_NO_NODE;
}

/* Whether it goes once a leak is mended that is no timer's. */
static bool is_kept_by_leak(const struct loupe_leaks *leaks, uint32_t node) {
    uint32_t keeper = keeper_of(leaks, node);
    for (uint32_t i = 0; keeper != LOUPE_NO_NODE && i < leaks->count; i++) {
        const struct loupe_leak *leak = &leaks->items[i];
        if (leak->degree != LOUPE_DEGREE_TIMER && loupe_heap_part_has(&leaks->part, leak->node) &&
            loupe_heap_part_node(&leaks->part, leak->node) == keeper)
            return true;
    }
    return false;
}

static enum loupe_status ask(const struct loupe_leaks *leaks, uint32_t node,
                             enum loupe_held_by_leak *ret) {
    bool is_in_knot;
    enum loupe_status status = is_in_leaked_knot(leaks, node, &is_in_knot);
    if (!status)
        *ret = is_in_knot                     ? LOUPE_IN_LEAKED_KNOT
               : is_kept_by_leak(leaks, node) ? LOUPE_BELOW_LEAK
                                              : LOUPE_HELD_BY_NO_LEAK;
    return status;
}

enum loupe_status loupe_holders_ask_leaks(const struct loupe_holder_search *search,
                                          enum loupe_held_by_leak *ret) {
    struct loupe_leaks *leaks = loupe_arena_alloc(search->arena, sizeof(*leaks));
    struct loupe_leaks_options options = {.filters = search->known.items,
                                          .filter_count = search->known.count};
    enum loupe_status status = leaks ? loupe_leaks_find(search->snapshot, &options,
                                                        search->links.chunks, search->arena, leaks)
                                     : LOUPE_ENOMEM;
    if (status)
        return status;
    status = ask(leaks, search->links.node, ret);
    loupe_leaks_deinit(leaks);
    return status;
}
