#include "heap_questions/heap_retained.h"

#include "base/sort.h"
#include "heap_questions/instances.h"
#include "leaks/heap_graph.h"
#include "report/heaps/report_trace.h"
#include "snapshot/native.h"

static const struct loupe_snapshot *snapshot_of(const struct loupe_heap_retained *retained) {
    return retained->question->tracer.snapshot;
}

static uint32_t told_of(const struct loupe_heap_retained *retained, uint32_t count) {
    uint32_t most = retained->asked.most;
    return most && most < count ? most : count;
}

/* ---- Objects, the biggest first ---- */

static bool retains_more(const void *ctx, const void *left, const void *right) {
    const struct loupe_retaining *a = left, *b = right;
    (void)ctx;
    return a->retained != b->retained ? a->retained > b->retained : a->node < b->node;
}

/* Which nodes are ranked: those that have an immediate dominator, or all alive ones of classes. */
struct ranking {
    const struct loupe_snapshot *snapshot;
    const struct loupe_dominators *dominators;
    uint32_t by;
    const bool *matches; /* by class, or NULL */
};

static bool is_ranked(const struct ranking *ranking, uint32_t node) {
    uint32_t immediate = ranking->dominators->immediate[node];
    return ranking->matches
               ? immediate != LOUPE_NO_NODE && ranking->matches[ranking->snapshot->classes[node]]
               : immediate == ranking->by;
}

static enum loupe_status rank(struct loupe_heap_retained *retained, const struct ranking *ranking) {
    const struct loupe_dominators *dominators = ranking->dominators;
    uint32_t count = 0;
    for (uint32_t node = 0; node < dominators->nodes; node++)
        count += is_ranked(ranking, node);
    retained->objects =
        loupe_arena_alloc_array(&retained->question->arena, count, sizeof(*retained->objects));
    if (!retained->objects)
        return LOUPE_ENOMEM;
    for (uint32_t node = 0; node < dominators->nodes; node++) {
        if (is_ranked(ranking, node))
            retained->objects[retained->object_count++] =
                (struct loupe_retaining){dominators->retained[node], node};
    }
    loupe_sort_top(retained->objects, count, told_of(retained, count), sizeof(*retained->objects),
                   retains_more, NULL);
    return LOUPE_OK;
}

/* By class: whether its objects are asked for. NULL: no memory. */
static const bool *match_classes(const struct loupe_heap_retained *retained) {
    const struct loupe_snapshot *snapshot = snapshot_of(retained);
    bool *matches = loupe_arena_alloc_array(&retained->question->arena,
                                            (size_t)snapshot->class_count + 1, sizeof(*matches));
    for (uint32_t i = 0; matches && i < snapshot->class_count; i++)
        matches[i] = loupe_class_is_asked_for(snapshot, i, retained->asked.pattern);
    return matches;
}

/* ---- Classes of what an object retains ---- */

static bool has_more_bytes(const void *ctx, const void *left, const void *right) {
    const struct loupe_retained_class *a = left, *b = right;
    (void)ctx;
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->class_number < b->class_number;
}

static void add_below(const struct loupe_snapshot *snapshot, const struct loupe_dominated *rows,
                      uint32_t top, uint32_t *stack, struct loupe_retained_class *totals) {
    uint32_t depth = 0;
    stack[depth++] = top;
    while (depth) {
        uint32_t node = stack[--depth];
        struct loupe_retained_class *total = &totals[snapshot->classes[node]];
        total->count++;
        total->bytes += loupe_columns_size(&snapshot->columns, node);
        for (uint32_t i = rows->first[node]; i < rows->first[node + 1]; i++)
            stack[depth++] = rows->of[i];
    }
}

static void order_classes(struct loupe_heap_retained *retained) {
    uint32_t classes = snapshot_of(retained)->class_count;
    struct loupe_retained_class *totals = retained->classes;
    for (uint32_t i = 0; i < classes; i++) {
        if (totals[i].count)
            totals[retained->class_count++] =
                (struct loupe_retained_class){i, totals[i].count, totals[i].bytes};
    }
    loupe_sort_top(totals, retained->class_count, told_of(retained, retained->class_count),
                   sizeof(*totals), has_more_bytes, NULL);
}

static enum loupe_status count_classes(struct loupe_heap_retained *retained) {
    struct loupe_arena *arena = &retained->question->arena;
    uint32_t object = retained->asked.object;
    struct loupe_dominated rows;
    uint32_t *stack =
        loupe_arena_alloc_array(arena, retained->dominators->counts[object], sizeof(*stack));
    retained->classes = loupe_arena_alloc_array(arena, snapshot_of(retained)->class_count,
                                                sizeof(*retained->classes));
    if (!stack || !retained->classes)
        return LOUPE_ENOMEM;
    enum loupe_status status =
        loupe_dominated_find(retained->dominators, retained->question->chunks, &rows);
    if (status)
        return status;
    add_below(snapshot_of(retained), &rows, object, stack, retained->classes);
    loupe_dominated_deinit(&rows);
    order_classes(retained);
    return LOUPE_OK;
}

/* ---- The question ---- */

enum loupe_status loupe_heap_retained_find(struct loupe_heap_retained *retained,
                                           struct loupe_heap_question *question,
                                           const struct loupe_heap_retained_asked *asked) {
    *retained = (struct loupe_heap_retained){.question = question, .asked = *asked};
    retained->dominators = loupe_heap_question_dominators(question);
    if (!retained->dominators)
        return LOUPE_ENOMEM;
    struct ranking ranking = {.snapshot = snapshot_of(retained),
                              .dominators = retained->dominators,
                              .by = retained->dominators->nodes}; /* all roots together */
    if (asked->object != LOUPE_NO_NODE)
        ranking.by = asked->object;
    if (asked->pattern && !(ranking.matches = match_classes(retained)))
        return LOUPE_ENOMEM;
    enum loupe_status status = rank(retained, &ranking);
    bool is_alive = asked->object != LOUPE_NO_NODE &&
                    retained->dominators->immediate[asked->object] != LOUPE_NO_NODE;
    return status || !is_alive ? status : count_classes(retained);
}

/* ---- The answer ---- */

/* Into an object that is open. */
static void put_object(struct loupe_json *json, const struct loupe_heap_retained *retained,
                       uint32_t node) {
    loupe_report_heap_object(json, snapshot_of(retained), node);
    loupe_report_part_of(json, &retained->question->tracer, node);
    loupe_report_retained(json, retained->dominators, node);
}

static void report_objects(struct loupe_json *json, const struct loupe_heap_retained *retained,
                           const char *key) {
    loupe_json_put_uint(json, "found", retained->object_count);
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < told_of(retained, retained->object_count); i++) {
        loupe_json_begin_object(json);
        put_object(json, retained, retained->objects[i].node);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void report_owners(struct loupe_json *json, const struct loupe_heap_retained *retained) {
    const struct loupe_dominators *dominators = retained->dominators;
    uint32_t node = dominators->immediate[retained->asked.object];
    loupe_json_key(json, "dominators");
    loupe_json_begin_array(json);
    for (; node < dominators->nodes; node = dominators->immediate[node]) {
        loupe_json_begin_object(json);
        put_object(json, retained, node);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void report_classes(struct loupe_json *json, const struct loupe_heap_retained *retained) {
    loupe_json_put_uint(json, "classes_found", retained->class_count);
    loupe_json_key(json, "classes");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < told_of(retained, retained->class_count); i++) {
        const struct loupe_retained_class *row = &retained->classes[i];
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "class",
                            loupe_snapshot_class_name(snapshot_of(retained), row->class_number));
        loupe_json_put_uint(json, "count", row->count);
        loupe_json_put_uint(json, "size", row->bytes);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void report_object(struct loupe_json *json, const struct loupe_heap_retained *retained) {
    uint32_t object = retained->asked.object;
    loupe_json_key(json, "object");
    loupe_json_begin_object(json);
    put_object(json, retained, object);
    loupe_json_put_bool(json, "reachable",
                        retained->dominators->immediate[object] != LOUPE_NO_NODE);
    loupe_json_end_object(json);
    report_owners(json, retained);
    report_objects(json, retained, "dominated");
    report_classes(json, retained);
}

/* Of what something keeps alive: memory without a class. */
static uint64_t count_reached_memory(const struct loupe_snapshot *snapshot,
                                     const struct loupe_dominators *dominators) {
    uint64_t count = 0;
    for (uint32_t node = 0; node < dominators->nodes; node++)
        count +=
            dominators->immediate[node] != LOUPE_NO_NODE && loupe_native_is_memory(snapshot, node);
    return count;
}

static void report_heap(struct loupe_json *json, const struct loupe_heap_retained *retained) {
    loupe_json_put_uint(json, "reached", retained->dominators->reached);
    if (snapshot_of(retained)->native)
        loupe_json_put_uint(json, "reached_others",
                            count_reached_memory(snapshot_of(retained), retained->dominators));
    if (retained->asked.pattern)
        loupe_json_put_string(json, "asked_class", retained->asked.pattern);
    report_objects(json, retained, "dominators");
}

void loupe_report_heap_retained(struct loupe_json *json,
                                const struct loupe_heap_retained *retained) {
    loupe_json_put_string(json, "counted_as", retained->question->tracer.policy->name);
    if (retained->asked.object != LOUPE_NO_NODE)
        report_object(json, retained);
    else
        report_heap(json, retained);
}
