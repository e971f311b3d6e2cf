#include "snapshot/rules/trace.h"

#include "base/fnv.h"

/* ---- Levels of roots ---- */

static uint8_t level_of(const struct loupe_tracer *tracer, uint32_t root) {
    if (loupe_rule_of_root(tracer->ruled, root))
        return LOUPE_LEVEL_LATE;
    switch (tracer->snapshot->roots[root].kind) {
    case LOUPE_ROOT_JAVA_FRAME:
    case LOUPE_ROOT_JNI_LOCAL:
    case LOUPE_ROOT_NATIVE_STACK:
    case LOUPE_ROOT_STACK:
    case LOUPE_ROOT_REGISTER:
        return LOUPE_LEVEL_STACK;
    case LOUPE_ROOT_FINALIZING:
    case LOUPE_ROOT_REFERENCE_CLEANUP:
    case LOUPE_ROOT_DEBUGGER:
        return LOUPE_LEVEL_LATE;
    default:
        return LOUPE_LEVEL_NORMAL;
    }
}

uint8_t *loupe_root_levels(const struct loupe_tracer *tracer) {
    uint32_t count = tracer->columns.root_count;
    uint8_t *levels = loupe_arena_alloc(tracer->arena, count);
    for (uint32_t root = 0; levels && root < count; root++)
        levels[root] = level_of(tracer, root);
    return levels;
}

/* ---- What is said about the steps ---- */

static void judge(const struct loupe_tracer *tracer, struct loupe_trace *trace,
                  const struct loupe_rule *suspected_by) {
    for (uint32_t i = 0; i < trace->count; i++) {
        struct loupe_trace_step *step = &trace->steps[i];
        step->expectation = loupe_expectation_of(tracer->ruled, step->node, &step->rule);
        step->link = LOUPE_NO_EDGE;
        if (i + 1 == trace->count)
            break;
        step->link = loupe_path_link(&tracer->columns, tracer->policy->paths, tracer->policy->late,
                                     step->node, step[1].node);
        step->link_rule = loupe_rule_of_link(tracer->ruled, step->node, step->link);
    }
    struct loupe_trace_step *last = &trace->steps[trace->count - 1];
    if (suspected_by) {
        last->expectation = LOUPE_EXPECTED_LEAKING;
        last->rule = suspected_by;
    }
}

/* Whether a step leads to a soft reference: that lets go when memory is short, so it is not where
 * to look first. */
static bool leads_to_soft(const struct loupe_tracer *tracer, const struct loupe_trace *trace,
                          uint32_t i) {
    const uint8_t *kinds = tracer->columns.kinds;
    return kinds && i + 2 < trace->count && kinds[trace->steps[i + 1].link] == LOUPE_LINK_SOFT;
}

/* Only where an object of the path is said to be leaking: else every reference may be right. */
static void mark_suspects(const struct loupe_tracer *tracer, struct loupe_trace *trace) {
    uint32_t begin = 0, end;
    for (uint32_t i = 0; i < trace->count; i++) {
        if (trace->steps[i].expectation == LOUPE_EXPECTED_ALIVE)
            begin = i;
    }
    for (end = begin; end < trace->count; end++) {
        if (trace->steps[end].expectation == LOUPE_EXPECTED_LEAKING)
            break;
    }
    trace->first_suspect = LOUPE_NONE;
    if (end == trace->count || end == begin)
        return;
    trace->first_suspect = begin;
    while (trace->first_suspect + 1 < end && leads_to_soft(tracer, trace, trace->first_suspect))
        trace->first_suspect++;
    for (uint32_t i = begin; i < end; i++)
        trace->steps[i].is_suspect = true;
}

/* Names without indices: which element of an array it is differs from run to run. */
static uint64_t hash_link(const struct loupe_tracer *tracer, uint64_t hash,
                          const struct loupe_trace_step *step) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    struct loupe_link_name name;
    loupe_snapshot_name_link(snapshot, step->node, step->link, &name);
    uint32_t class_number =
        name.declared_by == LOUPE_NONE ? snapshot->classes[step->node] : name.declared_by;
    hash = loupe_fnv_span(hash, loupe_snapshot_class_name(snapshot, class_number));
    hash = loupe_fnv_number(hash, name.kind);
    return loupe_fnv_span(hash, name.name);
}

static uint64_t fingerprint_of(const struct loupe_tracer *tracer, const struct loupe_trace *trace) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    bool takes_all = trace->first_suspect == LOUPE_NONE;
    uint32_t last = trace->steps[trace->count - 1].node;
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS,
                                   loupe_snapshot_class_name(snapshot, snapshot->classes[last]));
    for (uint32_t i = 0; i + 1 < trace->count; i++) {
        if (takes_all || trace->steps[i].is_suspect)
            hash = hash_link(tracer, hash, &trace->steps[i]);
    }
    return hash;
}

static void finish(const struct loupe_tracer *tracer, const struct loupe_rule *suspected_by,
                   struct loupe_trace *trace) {
    trace->root_rule = loupe_rule_of_root(tracer->ruled, trace->root);
    judge(tracer, trace, suspected_by);
    mark_suspects(tracer, trace);
    trace->fingerprint = fingerprint_of(tracer, trace);
}

/* ---- The two ways to get one ---- */

static bool make_steps(const struct loupe_tracer *tracer, uint32_t length,
                       struct loupe_trace *trace) {
    trace->count = length + 1;
    trace->steps = loupe_arena_alloc_array(tracer->arena, trace->count, sizeof(*trace->steps));
    return trace->steps;
}

enum loupe_status loupe_trace_shortest(const struct loupe_tracer *tracer,
                                       const struct loupe_shortest *shortest, uint32_t node,
                                       const struct loupe_rule *suspected_by,
                                       struct loupe_trace *ret) {
    struct loupe_trace trace = {.root = loupe_path_root(shortest, node),
                                .level = loupe_path_level(shortest, node)};
    if (!make_steps(tracer, loupe_path_length(shortest, node), &trace))
        return LOUPE_ENOMEM;
    for (uint32_t i = trace.count; i-- > 0; node = loupe_path_before(shortest, node))
        trace.steps[i].node = node;
    finish(tracer, suspected_by, &trace);
    *ret = trace;
    return LOUPE_OK;
}

enum loupe_status loupe_trace_root_path(const struct loupe_tracer *tracer,
                                        const struct loupe_root_paths *paths, uint32_t place,
                                        const struct loupe_rule *suspected_by,
                                        struct loupe_trace *ret) {
    struct loupe_trace trace = {.root = paths->roots[place]};
    uint32_t node = tracer->columns.roots[trace.root];
    uint8_t own = level_of(tracer, trace.root);
    trace.level = loupe_path_level(&paths->shortest, node);
    trace.level = own > trace.level ? (enum loupe_path_level)own : trace.level;
    if (!make_steps(tracer, loupe_path_length(&paths->shortest, node), &trace))
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < trace.count; i++, node = loupe_root_path_after(paths, node))
        trace.steps[i].node = node;
    finish(tracer, suspected_by, &trace);
    *ret = trace;
    return LOUPE_OK;
}
