/* Timers, and knots that live by them. */
#include "cycles/knots/timers.h"

/* To add one, add a line. */
static const char *const timers[] = {"NSTimer", "CADisplayLink", "CFRunLoopTimer"};

bool loupe_is_timer(const struct loupe_graph *graph, const struct loupe_describer *describer,
                    uint32_t node) {
    for (size_t i = 0; i < sizeof(timers) / sizeof(timers[0]); i++) {
        if (describer->is_kind_of(describer->ctx, graph, node, timers[i]))
            return true;
    }
    return false;
}

static bool are_anchors_timers(const struct loupe_graph *graph,
                               const struct loupe_describer *describer,
                               const struct loupe_release *release) {
    for (uint32_t i = 0; i < release->anchor_count; i++) {
        if (!loupe_is_timer(graph, describer, release->anchors[i]))
            return false;
    }
    return true;
}

/* What known references from outside lead to; of many only some are kept. */
static bool are_entries_timers(const struct loupe_graph *graph,
                               const struct loupe_describer *describer,
                               const struct loupe_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->holder_count; i++) {
        if (!loupe_is_timer(graph, describer, loupe_graph_target(graph, verdict->holders[i].edge)))
            return false;
    }
    return verdict->outside == verdict->holder_count;
}

bool loupe_is_held_by_timers(const struct loupe_graph *graph,
                             const struct loupe_describer *describer,
                             const struct loupe_verdict *verdict, uint32_t seed) {
    bool is_held = verdict->release.anchor_count || verdict->outside || verdict->keeps_seed;
    return is_held && !verdict->not_counted &&
           (!verdict->keeps_seed || loupe_is_timer(graph, describer, seed)) &&
           are_anchors_timers(graph, describer, &verdict->release) &&
           are_entries_timers(graph, describer, verdict);
}
