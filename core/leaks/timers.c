/* Knots that live by a timer of theirs alone. */
#include "cycles/knots/timers.h"
#include "leaks/leaks.h"

static bool is_timer(const struct loupe_leaks *leaks, uint32_t node) {
    return loupe_is_timer(&leaks->graph.graph, &leaks->describer, node);
}

/* By knot: whether a timer is in it, and whether something holds it by another member. */
enum { HAS_TIMER = 1, IS_HELD = 2 };

static bool is_retained_otherwise(const struct loupe_leaks *leaks, uint32_t node) {
    uint32_t place = loupe_heap_graph_node(&leaks->graph, node);
    uint64_t count;
    return loupe_native_retain_count(leaks->snapshot, place, &count) != LOUPE_COUNT_KNOWN ||
           count > loupe_retains_owners(&leaks->retains, place).possible;
}

static void look_at_members(const struct loupe_leaks *leaks, const struct loupe_knots *knots,
                            uint8_t *states) {
    for (uint32_t node = 0; node < knots->capacity; node++) {
        uint32_t knot = knots->knot_of[node];
        if (knot >= leaks->cycles.knot_count)
            continue;
        if (is_timer(leaks, node))
            states[knot] |= HAS_TIMER;
        else if (is_retained_otherwise(leaks, node))
            states[knot] |= IS_HELD;
    }
}

/* What is lost holds nothing any longer: once it is mended, the timer is all that is left. */
static bool is_alive(const struct loupe_leaks *leaks, uint32_t node) {
    return loupe_is_marked(&leaks->alive, loupe_heap_graph_node(&leaks->graph, node));
}

static void look_at_holders(const struct loupe_leaks *leaks, const struct loupe_knots *knots,
                            uint8_t *states) {
    const struct loupe_graph *graph = &leaks->graph.graph;
    for (uint32_t node = 0; node < graph->opened; node++) {
        uint32_t end = loupe_graph_edges_end(graph, node);
        for (uint32_t edge = loupe_graph_first_edge(graph, node); edge < end; edge++) {
            uint32_t to = loupe_graph_target(graph, edge), knot = knots->knot_of[to];
            if (knot < leaks->cycles.knot_count && knots->knot_of[node] != knot &&
                !loupe_graph_is_hidden(graph, edge) && !is_timer(leaks, to) &&
                is_alive(leaks, node))
                states[knot] |= IS_HELD;
        }
    }
}

enum loupe_status loupe_leaks_find_timed(struct loupe_leaks *leaks, struct loupe_arena *arena,
                                         uint8_t **ret) {
    struct loupe_knots knots;
    uint8_t *states = loupe_arena_alloc_array(arena, leaks->cycles.knot_count, sizeof(*states));
    if (!states)
        return LOUPE_ENOMEM;
    *ret = states;
    if (!leaks->cycles.knot_count)
        return LOUPE_OK;
    enum loupe_status status = loupe_knots_find(&leaks->graph.graph, leaks->chunks, &knots);
    if (status)
        return status;
    look_at_members(leaks, &knots, states);
    look_at_holders(leaks, &knots, states);
    loupe_knots_deinit(&knots);
    for (uint32_t i = 0; i < leaks->cycles.knot_count; i++)
        states[i] = states[i] == HAS_TIMER;
    return LOUPE_OK;
}

enum loupe_status loupe_leaks_mark_knots(const struct loupe_leaks *leaks,
                                         bool (*is_wanted)(const struct loupe_knot_facts *knot),
                                         struct loupe_marks *ret) {
    const struct loupe_graph *graph = &leaks->graph.graph;
    struct loupe_knots knots;
    enum loupe_status status = loupe_knots_find(graph, leaks->chunks, &knots);
    if (status)
        return status;
    for (uint32_t node = 0; node < knots.capacity; node++) {
        uint32_t knot = knots.knot_of[node];
        if (knot < leaks->cycles.knot_count && is_wanted(&leaks->cycles.knots[knot]))
            loupe_mark(ret, loupe_heap_graph_node(&leaks->graph, node));
    }
    loupe_knots_deinit(&knots);
    return LOUPE_OK;
}
