#include "cycles/cycles.h"

#include "base/fnv.h"
#include "cycles/dissolve.h"
#include "cycles/knots/fingerprint.h"
#include "cycles/knots/timers.h"

/* Whether a ring is left without assumed references. */
static bool has_certain_ring(struct loupe_ring_finder *finder, const struct loupe_knot *knot) {
    finder->search.strong_only = true;
    bool certain =
        !loupe_knot_is_acyclic_without(&finder->search, knot, LOUPE_NO_NODE, LOUPE_NO_NODE);
    finder->search.strong_only = false;
    return certain;
}

static enum loupe_status name_knot(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                   struct loupe_knot_facts *facts) {
    struct loupe_knots *knots = finder->search.knots;
    struct loupe_block_functions functions;
    enum loupe_status status =
        loupe_fingerprint_knot(&finder->namer, knot, &facts->older_fingerprint);
    loupe_block_functions_init(&functions, finder->graph, finder->describer, knots->chunks);
    for (uint32_t i = 0; !status && i < knot->count; i++)
        status = loupe_block_functions_add(&functions, loupe_knot_member(knots, knot, i));
    facts->fingerprint = loupe_block_functions_hash(&functions, facts->older_fingerprint);
    loupe_block_functions_deinit(&functions);
    return status;
}

/* All but rings and fixes. */
static enum loupe_status describe_whole(struct loupe_ring_finder *finder,
                                        const struct loupe_knot *knot,
                                        struct loupe_knot_facts *facts) {
    struct loupe_knots *knots = finder->search.knots;
    struct loupe_knot_edges edges = loupe_ring_finder_edges(finder, knot);
    facts->lowest = loupe_knot_member(knots, knot, 0);
    facts->objects = knot->count;
    facts->edges = edges.inside;
    facts->contains_seed = loupe_knot_has(knots, knot, finder->seed);
    return name_knot(finder, knot, facts);
}

static enum loupe_status find_rings(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                    uint32_t most, struct loupe_knot_facts *facts) {
    enum loupe_status status = loupe_rings_find(finder, knot, most, &facts->rings);
    return status ? status
                  : loupe_fixes_find(finder, knot, &facts->verdict, facts->rings.items,
                                     facts->rings.count, &facts->fixes);
}

/* Of a knot with more rings than are shown: many of them are broken by one change, and what is
 * needed together is the same however many are shown. */
enum { RINGS_TRIED = 64 };

static bool leaves_rings(const struct loupe_fixes *fixes) {
    return fixes->count && !fixes->items->breaks_knot && !fixes->items->breaks_everywhere;
}

static enum loupe_status describe_rings(struct loupe_ring_finder *finder,
                                        const struct loupe_knot *knot,
                                        const struct loupe_cycles_options *options,
                                        struct loupe_knot_facts *facts) {
    enum loupe_status status = find_rings(finder, knot, options->max_rings, facts);
    bool keeps_left = options->max_rings_left > options->max_rings;
    bool tries_more = keeps_left || (options->max_rings > 1 && options->max_rings < RINGS_TRIED);
    if (!status && tries_more && leaves_rings(&facts->fixes)) {
        struct loupe_rings shown = facts->rings;
        status = find_rings(finder, knot, RINGS_TRIED, facts);
        if (!status && keeps_left)
            loupe_fixes_keep_rings(finder->graph, &facts->fixes, options->max_rings_left,
                                   &facts->rings);
        else
            facts->rings = shown;
    }
    if (!status)
        facts->certain = facts->rings.items->certain || has_certain_ring(finder, knot);
    return status;
}

/* Equal for knots that are shown alike. */
static uint64_t key_of(const struct loupe_knot_facts *facts) {
    return loupe_fnv_number(facts->fingerprint, (uint64_t)facts->verdict.kind);
}

/* first: the number of the first knot of each key. NULL: all knots get rings. */
static enum loupe_status describe_knot(struct loupe_ring_finder *finder,
                                       const struct loupe_knot *knot,
                                       const struct loupe_cycles_options *options,
                                       struct loupe_map *first, struct loupe_knot_facts *knots) {
    struct loupe_knot_facts *facts = &knots[knot->number];
    enum loupe_status status = describe_whole(finder, knot, facts);
    facts->alike = knot->number;
    if (!status && first && loupe_map_find(first, key_of(facts), &facts->alike)) {
        facts->certain = has_certain_ring(finder, knot);
        return LOUPE_OK;
    }
    if (!status && first)
        status = loupe_map_put(first, key_of(facts), knot->number);
    return status ? status : describe_rings(finder, knot, options, facts);
}

/*
 * At least the first knot gets a ring, and as many further ones as there is time for; the rest is
 * found, and counted: as no more than possible.
 */
static enum loupe_status describe_in_time(struct loupe_ring_finder *finder,
                                          const struct loupe_cycles_options *options,
                                          struct loupe_map *first, struct loupe_cycles *ret) {
    struct loupe_knots *knots = finder->search.knots;
    struct loupe_knot knot = {0};
    enum loupe_status status = LOUPE_OK;
    uint32_t described = 0;
    for (uint32_t i = 0; !status && loupe_knots_next(knots, &knot); i++) {
        bool certain = false, late = i && loupe_search_is_late(&finder->search);
        if (i < ret->knot_count && !late) {
            status = describe_knot(finder, &knot, options, options->alike_once ? first : NULL,
                                   ret->knots);
            certain = ret->knots[i].certain;
            late = loupe_search_is_late(&finder->search);
            described++;
        } else if (!late) {
            certain = has_certain_ring(finder, &knot);
        }
        ret->cut_short += late;
        ret->possible_found += !certain;
    }
    ret->knot_count = described;
    return status;
}

static enum loupe_status describe_verdicts(struct loupe_knots *knots,
                                           const struct loupe_describer *describer, uint32_t seed,
                                           struct loupe_arena *arena, struct loupe_cycles *ret) {
    struct loupe_verdict *verdicts =
        loupe_arena_alloc_array(arena, ret->knot_count, sizeof(*verdicts));
    if (!verdicts)
        return LOUPE_ENOMEM;
    enum loupe_status status =
        loupe_verdicts_find(knots, describer, seed, arena, verdicts, ret->knot_count);
    for (uint32_t i = 0; !status && i < ret->knot_count; i++)
        ret->knots[i].verdict = verdicts[i];
    return status;
}

static void heed_timers(const struct loupe_graph *graph, const struct loupe_describer *describer,
                        uint32_t seed, struct loupe_cycles *cycles) {
    for (uint32_t i = 0; i < cycles->knot_count; i++) {
        struct loupe_knot_facts *knot = &cycles->knots[i];
        if (loupe_is_held_by_timers(graph, describer, &knot->verdict, seed))
            loupe_knot_set_timed(knot);
    }
}

static enum loupe_status describe_knots(struct loupe_knots *knots,
                                        const struct loupe_describer *describer,
                                        const struct loupe_cycles_options *options,
                                        struct loupe_arena *arena, struct loupe_cycles *ret) {
    uint32_t most = options->max_knots ? options->max_knots : LOUPE_MAX_SHOWN_KNOTS;
    uint32_t described = options->only_counts ? 0 : most;
    ret->knots_found = knots->count;
    ret->knot_count = knots->count < described ? knots->count : described;
    ret->knots = loupe_arena_alloc_array(arena, ret->knot_count, sizeof(*ret->knots));
    if (!ret->knots)
        return LOUPE_ENOMEM;
    enum loupe_status status =
        ret->knot_count ? describe_verdicts(knots, describer, options->seed, arena, ret) : LOUPE_OK;
    if (status || !knots->count)
        return status;
    struct loupe_ring_finder finder;
    struct loupe_map first;
    status = loupe_ring_finder_init(&finder, knots, describer, arena);
    if (status)
        return status;
    finder.search.clock = options->clock;
    finder.seed = options->seed;
    loupe_map_init(&first, knots->chunks);
    status = describe_in_time(&finder, options, &first, ret);
    if (options->judges_timers)
        heed_timers(knots->graph, describer, options->seed, ret);
    loupe_map_deinit(&first);
    loupe_ring_finder_deinit(&finder);
    return status;
}

/* The knots of what is left when references that own nothing are hidden. */
static enum loupe_status find_knots(struct loupe_graph *graph,
                                    const struct loupe_describer *describer,
                                    struct loupe_knots *ret,
                                    struct loupe_ruled_out *ruled_out_ret) {
    enum loupe_status status = loupe_knots_find(graph, graph->nodes.chunks, ret);
    if (status)
        return status;
    status = loupe_ruled_out_hide(graph, ret, describer, ruled_out_ret);
    if (!status && !ruled_out_ret->by_counts && !ruled_out_ret->by_dealloc)
        return LOUPE_OK;
    loupe_knots_deinit(ret);
    return status ? status : loupe_knots_find(graph, graph->nodes.chunks, ret);
}

enum loupe_status loupe_cycles_find(struct loupe_graph *graph,
                                    const struct loupe_describer *describer,
                                    const struct loupe_cycles_options *options,
                                    struct loupe_arena *arena, struct loupe_cycles *ret) {
    struct loupe_cycles cycles = {0};
    cycles.hidden = loupe_arena_alloc_array(arena, options->filter_count, sizeof(*cycles.hidden));
    if (!cycles.hidden)
        return LOUPE_ENOMEM;
    enum loupe_status status = loupe_filters_apply(graph, describer, options->filters,
                                                   options->filter_count, cycles.hidden);
    struct loupe_knots knots;
    if (!status)
        status = find_knots(graph, describer, &knots, &cycles.ruled_out);
    if (status)
        return status;
    status = describe_knots(&knots, describer, options, arena, &cycles);
    loupe_knots_deinit(&knots);
    if (!status)
        *ret = cycles;
    return status;
}
