/* leaks: what nothing in the whole heap keeps alive. */
#include "questions/answering.h"

#include "leaks/leaks.h"
#include "report/heaps/report_heap.h"
#include "report/heaps/report_leaks.h"
#include "report/report_unread.h"

/* By group, whether a library leaked it, in the arena. NULL: no memory. */
static bool *find_known(const struct loupe_leaks *leaks, struct loupe_arena *arena,
                        struct loupe_known_totals *ret) {
    bool *is_known = loupe_arena_alloc_array(arena, leaks->group_count + 1, sizeof(*is_known));
    *ret = (struct loupe_known_totals){.count = 0};
    for (uint32_t i = 0; is_known && i < leaks->group_count; i++) {
        const struct loupe_known_leak *known = loupe_leaks_known(leaks, &leaks->groups[i]);
        is_known[i] = known != NULL;
        if (known)
            loupe_leaks_add_known(ret, known, &leaks->groups[i]);
    }
    loupe_leaks_add_known_miscounts(ret, leaks);
    return is_known;
}

static enum loupe_status report(struct loupe_answering *answering, struct loupe_leaks *leaks,
                                const struct loupe_leaks_options *options) {
    struct loupe_known_totals known;
    struct loupe_heap_shown shown = {
        .is_hidden = find_known(leaks, &answering->target.arena, &known), .known = &known};
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    bool complete = !loupe_snapshot_is_incomplete(snapshot) && !leaks->cycles.cut_short &&
                    leaks->cycles.knots_found <= leaks->cycles.knot_count;
    if (!shown.is_hidden)
        return LOUPE_ENOMEM;
    struct loupe_envelope envelope = loupe_answering_envelope(answering);
    loupe_memory_begin_phase(answering->target.memory, LOUPE_PHASE_REPORT);
    loupe_report_begin(answering->json, &envelope, complete);
    loupe_report_heap(answering->json, snapshot);
    enum loupe_status status =
        loupe_report_leaks(answering->json, leaks, options, &shown, &answering->target.arena);
    if (status)
        return status;
    loupe_report_unread(answering->json, &answering->walk.unread);
    loupe_report_heap_notes(answering->json, snapshot);
    loupe_answering_end_heap(answering, snapshot);
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
