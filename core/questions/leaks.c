/* leaks: what nothing in the whole heap keeps alive. */
#include "questions/answering.h"

#include "leaks/leaks.h"
#include "report/report_heap.h"
#include "report/report_leaks.h"
#include "report/report_unread.h"

static enum loupe_status report(struct loupe_answering *answering, struct loupe_leaks *leaks,
                                const struct loupe_leaks_options *options) {
    static const struct loupe_heap_shown all;
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    bool complete = !loupe_snapshot_is_incomplete(snapshot) && !leaks->cycles.cut_short &&
                    leaks->cycles.knots_found <= leaks->cycles.knot_count;
    struct loupe_envelope envelope = loupe_answering_envelope(answering);
    loupe_memory_begin_phase(answering->target.memory, LOUPE_PHASE_REPORT);
    loupe_report_begin(answering->json, &envelope, complete);
    loupe_report_heap(answering->json, snapshot);
    enum loupe_status status =
        loupe_report_leaks(answering->json, leaks, options, &all, &answering->target.arena);
    if (status)
        return status;
    loupe_report_unread(answering->json, &answering->walk.unread);
    loupe_report_heap_remarks(answering->json, snapshot);
    loupe_answering_end_costs(answering, snapshot->columns.nodes,
                              snapshot->columns.first[snapshot->columns.nodes]);
    return LOUPE_OK;
}

static enum loupe_status find(struct loupe_answering *answering,
                              const struct loupe_snapshot *snapshot) {
    struct loupe_filter *filters;
    uint32_t count;
    enum loupe_status status = loupe_answering_filters(answering, &filters, &count);
    if (status)
        return status;
    struct loupe_leaks_options options = {.filters = filters,
                                          .filter_count = count,
                                          .max_rings = answering->question->max_rings,
                                          .clock = answering->target.memory};
    struct loupe_leaks leaks;
    loupe_memory_begin_phase(answering->target.memory, LOUPE_PHASE_SEARCH);
    status = loupe_leaks_find(snapshot, &options, answering->target.chunks,
                              &answering->target.arena, &leaks);
    if (status)
        return loupe_answering_fail(answering, status);
    status = report(answering, &leaks, &options);
    loupe_leaks_deinit(&leaks);
    return status;
}

enum loupe_status loupe_answer_leaks(struct loupe_answering *answering) {
    struct loupe_snapshot snapshot;
    enum loupe_status status = loupe_answering_make_snapshot(answering, &snapshot);
    if (status)
        return status;
    status = find(answering, &snapshot);
    loupe_snapshot_deinit(&snapshot);
    return status;
}
