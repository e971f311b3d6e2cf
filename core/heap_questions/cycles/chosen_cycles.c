#include "heap_questions/cycles/chosen_cycles.h"

#include "mistakes/known_mistakes.h"
#include "report/heaps/report_leaks.h"

/* ---- Knots ---- */

/* By knot, of those that are alike at the first one. */
struct tally {
    uint32_t *all, *leaked, *unclear;
};

static void add_up(const struct loupe_cycles *cycles, struct tally *tally) {
    for (uint32_t i = 0; i < cycles->knot_count; i++) {
        const struct loupe_knot_facts *knot = &cycles->knots[i];
        tally->all[knot->alike]++;
        tally->leaked[knot->alike] += knot->verdict.kind == LOUPE_LEAKED;
        tally->unclear[knot->alike] += knot->verdict.kind == LOUPE_UNCLEAR;
    }
}

/* The gravest verdict of those that are alike. */
static enum loupe_verdict_kind gravest(const struct tally *tally, uint32_t knot) {
    return tally->leaked[knot] ? LOUPE_LEAKED : tally->unclear[knot] ? LOUPE_UNCLEAR : LOUPE_HELD;
}

static void add_kind(const struct loupe_heap_cycles *found, const struct loupe_known_cycles *known,
                     enum loupe_verdict_kind kind, const struct tally *tally,
                     struct loupe_chosen_cycles *ret) {
    for (uint32_t i = 0; i < found->cycles.knot_count; i++) {
        const struct loupe_knot_facts *knot = &found->cycles.knots[i];
        if (knot->alike != i || gravest(tally, i) != kind)
            continue;
        if (known->knot(known->ctx, found, knot)) {
            ret->hidden++;
            continue;
        }
        ret->knots[ret->count++] = i;
        ret->found += tally->all[i];
        ret->possible += knot->certain ? 0 : tally->all[i];
        if (!knot->certain)
            continue;
        ret->leaked += tally->leaked[i];
        ret->held += tally->all[i] - tally->leaked[i] - tally->unclear[i];
    }
}

static enum loupe_status choose_knots(struct loupe_heap_cycles *found,
                                      const struct loupe_known_cycles *known,
                                      struct loupe_chosen_cycles *ret) {
    uint32_t knots = found->cycles.knot_count;
    struct tally tally;
    uint32_t **const columns[] = {&ret->knots, &tally.all, &tally.leaked, &tally.unclear};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        *columns[i] = loupe_arena_alloc_array(&found->arena, knots, sizeof(**columns[i]));
        if (!*columns[i])
            return LOUPE_ENOMEM;
    }
    add_up(&found->cycles, &tally);
    add_kind(found, known, LOUPE_LEAKED, &tally, ret);
    add_kind(found, known, LOUPE_UNCLEAR, &tally, ret);
    add_kind(found, known, LOUPE_HELD, &tally, ret);
    return LOUPE_OK;
}

/* ---- Circles through memory: they are not in the graph, since nobody knows what owns there ----
 */

static void count_circles(const struct loupe_leaks *leaks, const struct loupe_known_cycles *known,
                          struct loupe_chosen_cycles *ret) {
    for (uint32_t i = 0; i < leaks->group_count; i++) {
        const struct loupe_leak *leak = &leaks->items[leaks->groups[i].first];
        if (!leak->is_cycle || leak->knot != LOUPE_NONE)
            continue;
        if (known->circle(known->ctx, leak))
            ret->hidden++;
        else
            ret->circles += leaks->groups[i].count;
    }
}

/* ---- What leaks has found of the same heap ---- */

static bool is_timed(const struct loupe_knot_facts *knot) {
    return knot->is_timed;
}

static bool is_leaked(const struct loupe_knot_facts *knot) {
    return knot->verdict.kind == LOUPE_LEAKED;
}

static void set_leaked(struct loupe_knot_facts *knot) {
    if (knot->verdict.kind == LOUPE_UNCLEAR)
        loupe_verdict_set_leaked(&knot->verdict);
}

/* Sets what leaks found of a knot. */
static enum loupe_status heed(struct loupe_heap_cycles *found, const struct loupe_leaks *leaks,
                              bool (*is_wanted)(const struct loupe_knot_facts *knot),
                              void (*set)(struct loupe_knot_facts *knot),
                              const struct loupe_chunk_ops *chunks) {
    struct loupe_marks wanted;
    enum loupe_status status = loupe_marks_init(&wanted, chunks, leaks->snapshot->columns.nodes);
    if (status)
        return status;
    status = loupe_leaks_mark_knots(leaks, is_wanted, &wanted);
    for (uint32_t i = 0; !status && i < found->cycles.knot_count; i++) {
        struct loupe_knot_facts *knot = &found->cycles.knots[i];
        if (!is_leaked(knot) &&
            loupe_is_marked(&wanted, loupe_heap_graph_node(&found->graph, knot->lowest)))
            set(knot);
    }
    loupe_marks_deinit(&wanted);
    return status;
}

/* Whether all knots are leaked, of which leaks has nothing else to say. */
static bool are_clear(const struct loupe_cycles *cycles) {
    for (uint32_t i = 0; i < cycles->knot_count; i++) {
        if (cycles->knots[i].verdict.kind != LOUPE_LEAKED)
            return false;
    }
    return true;
}

/* Which knots only a timer keeps, and which nothing but stacks leads to; of the whole heap also the
 * circles, which are leaks. */
static enum loupe_status heed_leaks(struct loupe_heap_cycles *found,
                                    const struct loupe_known_cycles *known,
                                    const struct loupe_chunk_ops *chunks,
                                    struct loupe_chosen_cycles *ret) {
    const struct loupe_leaks_options options = {.filters = found->options.filters,
                                                .filter_count = found->options.filter_count};
    bool is_of_all = found->options.seed == LOUPE_NO_NODE;
    struct loupe_leaks leaks;
    if (!is_of_all && are_clear(&found->cycles))
        return LOUPE_OK;
    enum loupe_status status =
        loupe_leaks_find(found->graph.snapshot, &options, chunks, &found->arena, &leaks);
    if (status)
        return status;
    status = heed(found, &leaks, is_timed, loupe_knot_set_timed, chunks);
    if (!status)
        status = heed(found, &leaks, is_leaked, set_leaked, chunks);
    if (!status && is_of_all)
        count_circles(&leaks, known, ret);
    loupe_leaks_deinit(&leaks);
    return status;
}

enum loupe_status loupe_heap_cycles_choose(struct loupe_heap_cycles *found,
                                           const struct loupe_known_cycles *known,
                                           const struct loupe_chunk_ops *chunks,
                                           struct loupe_chosen_cycles *ret) {
    *ret = (struct loupe_chosen_cycles){.is_complete =
                                            found->cycles.knots_found <= found->cycles.knot_count};
    enum loupe_status status = heed_leaks(found, known, chunks, ret);
    return status ? status : choose_knots(found, known, ret);
}

/* ---- The answer ---- */

static void report_counts(struct loupe_json *json, const struct loupe_heap_cycles *found,
                          const struct loupe_chosen_cycles *chosen) {
    loupe_json_key(json, "counts");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "cycles", chosen->found);
    loupe_json_put_uint(json, "possible", chosen->possible);
    loupe_json_put_uint(json, "leaked", chosen->leaked);
    loupe_json_put_uint(json, "held", chosen->held);
    loupe_json_put_uint(json, "entries", chosen->count);
    loupe_json_put_uint(json, "not_searched", found->cycles.knots_found - found->cycles.knot_count);
    loupe_json_end_object(json);
}

static void report_seed(struct loupe_json *json, const struct loupe_heap_cycles *found) {
    loupe_json_key(json, "seed");
    if (found->options.seed == LOUPE_NO_NODE)
        loupe_json_null(json);
    else
        loupe_json_address(json, loupe_graph_address(&found->graph.graph, 0));
}

enum loupe_status loupe_report_heap_cycles(struct loupe_json *json, struct loupe_heap_cycles *found,
                                           const struct loupe_chosen_cycles *chosen,
                                           const struct loupe_cycles_shown *shown) {
    struct loupe_cycles_answer answer = {.heap = &found->graph,
                                         .graph = &found->graph.graph,
                                         .describer = &found->describer,
                                         .options = &found->options,
                                         .cycles = &found->cycles,
                                         .arena = &found->arena};
    struct loupe_mistakes_of_knots mistakes = {.patterns = shown->patterns, .graph = &found->graph};
    struct loupe_heap_shown written = {.most = shown->most,
                                       .order = chosen->knots,
                                       .order_count = chosen->count,
                                       .mistake = loupe_name_mistake_of_knot,
                                       .ctx = &mistakes};
    report_seed(json, found);
    report_counts(json, found, chosen);
    enum loupe_status status = loupe_report_heap_knots(json, &found->graph, &answer, &written);
    loupe_json_put_uint(json, "memory_circles", chosen->circles);
    if (shown->has_baseline)
        loupe_json_put_uint(json, "hidden_by_baseline", chosen->hidden);
    loupe_report_hidden(json, &answer);
    return status;
}
