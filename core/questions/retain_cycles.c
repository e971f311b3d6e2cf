/* retain-cycles: the knots among all that an object keeps alive, and what would undo them. */
#include "questions/answering.h"

#include "edges/details/describe.h"
#include "edges/details/freed_targets.h"
#include "edges/details/resolve_nonowning.h"
#include "report/objects/report_cycles.h"

static void count(const struct loupe_answering *answering, const struct loupe_cycles *cycles) {
    *answering->question->tally =
        (struct loupe_tally){.certain_knots = cycles->knots_found - cycles->possible_found,
                             .complete = loupe_report_is_complete(&answering->target.findings)};
}

static enum loupe_status find_weak_rings(struct loupe_walk *walk, const struct loupe_graph *graph,
                                         struct loupe_weak_rings *ret) {
    enum loupe_status status = loupe_nonowning_resolve(walk, graph);
    return status ? status
                  : loupe_weak_rings_find(graph, &walk->nonowning.items, &walk->target->arena, ret);
}

/* Of the object asked about, and in the rings that are shown. */
static void keep_freed_slots(struct loupe_answering *answering, const struct loupe_cycles *cycles) {
    const struct loupe_graph *graph = &answering->graph;
    loupe_freed_targets_keep(&answering->walk, graph, answering->seed);
    for (uint32_t i = 0; i < cycles->knot_count; i++) {
        for (uint32_t j = 0; j < cycles->knots[i].rings.count; j++) {
            const struct loupe_ring *ring = &cycles->knots[i].rings.items[j];
            for (uint32_t k = 0; k < ring->length; k++)
                loupe_freed_target_keep(&answering->walk, graph, loupe_ring_from(graph, ring, k),
                                        ring->edges[k]);
        }
    }
}

enum loupe_status loupe_answer_retain_cycles(struct loupe_answering *answering) {
    struct loupe_target *target = &answering->target;
    struct loupe_graph *graph = &answering->graph;
    struct loupe_walk *walk = &answering->walk;
    struct loupe_expander expander = loupe_walk_expander(walk);
    struct loupe_describer describer = loupe_describe(walk);
    struct loupe_cycles_options options = {.seed = answering->seed,
                                           .max_rings = answering->question->max_rings,
                                           .only_counts = answering->question->tally != NULL,
                                           .judges_timers = true,
                                           .clock = target->memory};
    struct loupe_weak_rings weak_rings;
    struct loupe_cycles cycles;
    struct loupe_filter *filters;
    enum loupe_status status = loupe_answering_filters(answering, &filters, &options.filter_count);
    if (status)
        return status;
    options.filters = filters;
    status = loupe_graph_build(graph, target->memory, &expander);
    uint64_t walked = loupe_report_clock(target->memory);
    if (!status)
        status = loupe_cycles_find(graph, &describer, &options, &target->arena, &cycles);
    if (!status && walk->explains)
        status = find_weak_rings(walk, graph, &weak_rings);
    if (status)
        return loupe_answering_fail(answering, status);
    for (uint32_t i = 0; i < cycles.cut_short; i++)
        loupe_findings_add(&target->findings, LOUPE_FINDING_SEARCH, answering->question->address);
    if (options.only_counts) {
        count(answering, &cycles);
        return LOUPE_OK;
    }
    loupe_memory_begin_phase(target->memory, LOUPE_PHASE_REPORT);
    keep_freed_slots(answering, &cycles);
    struct loupe_envelope envelope = loupe_answering_envelope(answering);
    struct loupe_cycles_answer report = {.envelope = &envelope,
                                         .graph = graph,
                                         .describer = &describer,
                                         .options = &options,
                                         .cycles = &cycles,
                                         .memory = target->memory,
                                         .findings = &target->findings,
                                         .unread = &walk->unread,
                                         .without_weak_references =
                                             target->abi->without_weak_references,
                                         .started = answering->started,
                                         .walked = walked,
                                         .arena = &target->arena,
                                         .freed = &walk->freed,
                                         .nonowning = walk->explains ? &walk->nonowning : NULL,
                                         .weak_rings = walk->explains ? &weak_rings : NULL};
    status = loupe_report_cycles(answering->json, &report);
    return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
}
