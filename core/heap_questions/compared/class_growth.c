#include "heap_questions/compared/class_growth.h"

#include "base/sort.h"
#include "mistakes/growth.h"
#include "report/class_words.h"
#include "snapshot/values/collection_names.h"
#include "snapshot/values/native_names.h"

#include <string.h>

/* ---- Rows ---- */

int64_t loupe_class_delta(const struct loupe_class_difference *row) {
    return (int64_t)row->new_bytes - (int64_t)row->old_bytes;
}

/* What grew most comes first, what shrank last. */
static bool is_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_class_difference *x = a, *y = b;
    int64_t x_delta = loupe_class_delta(x), y_delta = loupe_class_delta(y);
    (void)ctx;
    if (x_delta != y_delta)
        return x_delta > y_delta;
    if (x->added != y->added)
        return x->added > y->added;
    size_t length = x->name.length < y->name.length ? x->name.length : y->name.length;
    int order = memcmp(x->name.bytes, y->name.bytes, length);
    return order ? order < 0 : x->name.length < y->name.length;
}

static bool has_changed(const struct loupe_class_difference *row) {
    return row->added || row->gone || loupe_class_delta(row) || row->maybe_reused;
}

/* Of two runs: only how many objects there are is known. */
static void count_as_runs(struct loupe_difference *difference) {
    struct loupe_class_difference *total = &difference->total;
    total->added = total->gone = total->still = total->reused = total->maybe_reused = 0;
    difference->tells_reuse = false;
    for (uint32_t i = 0; i < difference->count; i++) {
        struct loupe_class_difference *row = &difference->classes[i];
        uint64_t before = row->gone + row->still, after = row->added + row->still;
        row->still = before < after ? before : after;
        row->added = after - row->still;
        row->gone = before - row->still;
        row->reused = row->maybe_reused = 0;
        total->added += row->added;
        total->gone += row->gone;
        total->still += row->still;
    }
}

static enum loupe_status compare(const struct loupe_class_growth_asked *asked, uint32_t older,
                                 uint32_t newer, struct loupe_arena *arena,
                                 struct loupe_difference *ret) {
    enum loupe_status status =
        loupe_difference_find(asked->snapshots[older], asked->snapshots[newer], arena, ret);
    if (!status && asked->of_runs)
        count_as_runs(ret);
    return status;
}

/* Those that changed stand in front, in order. */
static uint32_t keep_changed(struct loupe_difference *difference, const char *pattern) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < difference->count; i++) {
        const struct loupe_class_difference *row = &difference->classes[i];
        if (has_changed(row) && (!pattern || loupe_class_name_matches(row->name, pattern)))
            difference->classes[kept++] = *row;
    }
    loupe_sort(difference->classes, kept, sizeof(*difference->classes), is_before, NULL);
    return kept;
}

/* ---- Finding ---- */

static enum loupe_status find_steps(struct loupe_class_growth *growth,
                                    const struct loupe_class_growth_asked *asked,
                                    struct loupe_arena *arena) {
    enum loupe_status status = LOUPE_OK;
    if (asked->count < 3)
        return LOUPE_OK;
    growth->step_count = asked->count - 1;
    growth->steps = loupe_arena_alloc_array(arena, growth->step_count, sizeof(*growth->steps));
    if (!growth->steps)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; !status && i < growth->step_count; i++)
        status = compare(asked, i, i + 1, arena, &growth->steps[i]);
    return status;
}

enum loupe_status loupe_class_growth_find(struct loupe_class_growth *growth,
                                          const struct loupe_class_growth_asked *asked,
                                          struct loupe_arena *arena) {
    *growth = (struct loupe_class_growth){.steps = NULL};
    enum loupe_status status = compare(asked, 0, asked->count - 1, arena, &growth->difference);
    if (!status)
        status = find_steps(growth, asked, arena);
    if (status)
        return status;
    growth->changed = keep_changed(&growth->difference, asked->pattern);
    growth->shown = asked->most && asked->most < growth->changed ? asked->most : growth->changed;
    return LOUPE_OK;
}

int64_t loupe_class_step(const struct loupe_class_growth *growth, uint32_t step,
                         struct loupe_span name) {
    const struct loupe_difference *difference = &growth->steps[step];
    for (uint32_t i = 0; i < difference->count; i++) {
        const struct loupe_class_difference *row = &difference->classes[i];
        if (loupe_spans_equal(row->name, name))
            return (int64_t)row->added - (int64_t)row->gone;
    }
    return 0;
}

/* ---- Why ---- */

/* More objects of it came than went. */
static bool is_growing(const struct loupe_class_difference *row) {
    return row->added > row->gone && loupe_class_delta(row) > 0;
}

/* ---- Where ---- */

enum { LOOKED_AT = 64, DIFFERENT = 16 };

/* How many of the objects that were looked at each reference holds. */
struct tally {
    struct loupe_growth_holder holders[DIFFERENT];
    uint32_t count, looked_at;
};

static bool is_new(const struct loupe_snapshot *newer, uint32_t node,
                   const struct loupe_snapshot *older, struct loupe_span name) {
    uint32_t found;
    return !loupe_snapshot_find(older, loupe_snapshot_address(newer, node), &found) ||
           !loupe_spans_equal(loupe_snapshot_class_name(older, older->classes[found]), name);
}

static void add(struct tally *tally, const char *culprit) {
    uint32_t i = 0;
    while (i < tally->count && strcmp(tally->holders[i].culprit, culprit) != 0)
        i++;
    if (i == DIFFERENT)
        return; /* no reference holds most of what so many do */
    if (i == tally->count)
        loupe_format(tally->holders[tally->count++].culprit, LOUPE_CULPRIT_SIZE, "%s", culprit);
    tally->holders[i].count++;
}

/* Whether the name of a root is that of a variable of the program's. */
static bool is_variable(const struct loupe_snapshot *snapshot, uint32_t root) {
    const char *name = NULL, *where;
    return snapshot->native && snapshot->roots[root].kind == LOUPE_ROOT_GLOBAL &&
           loupe_native_root_name(snapshot, root, &name, &where) && name && *name;
}

static enum loupe_status look_at(const struct loupe_heap_question *newer,
                                 const struct loupe_shortest *shortest,
                                 const struct loupe_culprit_asked *asked, uint32_t node,
                                 struct tally *tally) {
    char culprit[LOUPE_CULPRIT_SIZE];
    struct loupe_trace trace;
    enum loupe_status status = loupe_trace_shortest(&newer->tracer, shortest, node, NULL, &trace);
    if (status)
        return status;
    tally->looked_at++;
    if (loupe_culprit_name(asked, &trace, culprit) || is_variable(asked->snapshot, trace.root))
        add(tally, culprit);
    return LOUPE_OK;
}

/* The newest by their place in the heap: of runs nobody knows which are new. */
static enum loupe_status look_at_new_ones(const struct loupe_growth_explained *asked,
                                          const struct loupe_culprit_asked *culprit,
                                          const struct loupe_marks *classes, struct loupe_span name,
                                          struct tally *tally) {
    const struct loupe_shortest *shortest = loupe_heap_question_shortest(asked->newer);
    const struct loupe_snapshot *snapshot = asked->newer->tracer.snapshot;
    enum loupe_status status = shortest ? LOUPE_OK : LOUPE_ENOMEM;
    /* Cap: the answer says how many were searched. */
    for (uint32_t node = snapshot->columns.nodes;
         !status && node-- && tally->looked_at < LOOKED_AT;) {
        if (loupe_is_marked(classes, snapshot->classes[node]) &&
            loupe_path_level(shortest, node) != LOUPE_LEVEL_NONE &&
            is_new(snapshot, node, asked->older, name))
            status = look_at(asked->newer, shortest, culprit, node, tally);
    }
    return status;
}

static enum loupe_status find_holder(const struct loupe_growth_explained *asked,
                                     const struct loupe_culprit_asked *culprit,
                                     struct loupe_span name, struct loupe_growth_holder *ret) {
    const struct loupe_snapshot *snapshot = asked->newer->tracer.snapshot;
    struct tally tally = {.count = 0};
    struct loupe_marks classes;
    if (loupe_marks_init(&classes, asked->newer->chunks, snapshot->class_count))
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        if (loupe_spans_equal(loupe_snapshot_class_name(snapshot, i), name))
            loupe_mark(&classes, i);
    }
    enum loupe_status status = look_at_new_ones(asked, culprit, &classes, name, &tally);
    for (uint32_t i = 0; i < tally.count; i++) {
        if (tally.holders[i].count > ret->count)
            *ret = tally.holders[i];
    }
    ret->looked_at = tally.looked_at;
    loupe_marks_deinit(&classes);
    return status;
}

static enum loupe_status explain(struct loupe_class_growth *growth, uint32_t number,
                                 const struct loupe_growth_explained *asked,
                                 const struct loupe_culprit_asked *culprit) {
    const struct loupe_class_difference *row = &growth->difference.classes[number];
    struct loupe_growth question = {.tracer = &asked->newer->tracer,
                                    .shortest = loupe_heap_question_shortest(asked->newer),
                                    .older = asked->older,
                                    .patterns = asked->patterns,
                                    .of_runs = asked->of_runs};
    enum loupe_status status =
        question.shortest ? loupe_growth_pattern(&question, row->name, &growth->why[number])
                          : LOUPE_ENOMEM;
    return status ? status : find_holder(asked, culprit, row->name, &growth->holders[number]);
}

enum loupe_status loupe_class_growth_explain(struct loupe_class_growth *growth,
                                             const struct loupe_growth_explained *asked) {
    const struct loupe_snapshot *snapshot = asked->newer->tracer.snapshot;
    struct loupe_marks between;
    const struct loupe_culprit_asked culprit = {
        .snapshot = snapshot, .names = asked->names, .between = &between};
    if (loupe_marks_init(&between, asked->newer->chunks, snapshot->class_count))
        return LOUPE_ENOMEM;
    loupe_mark_collections(snapshot, &between);
    enum loupe_status status = LOUPE_OK;
    /* Cap: docs/protocol.md says of how many. */
    for (uint32_t i = 0; !status && i < growth->shown && i < LOUPE_CLASSES_EXPLAINED; i++) {
        if (is_growing(&growth->difference.classes[i]))
            status = explain(growth, i, asked, &culprit);
    }
    loupe_marks_deinit(&between);
    return status;
}

const struct loupe_pattern *loupe_why_class_grows(const struct loupe_class_growth *growth,
                                                  uint32_t row) {
    return row < LOUPE_CLASSES_EXPLAINED ? growth->why[row] : NULL;
}

/* ---- JSON ---- */

static void report_reuse(struct loupe_json *json, const struct loupe_class_difference *row) {
    loupe_json_put_uint(json, "reused", row->reused);
    loupe_json_put_uint(json, "maybe_reused", row->maybe_reused);
}

static void report_steps(struct loupe_json *json, const struct loupe_class_growth *growth,
                         struct loupe_span name) {
    if (!growth->step_count)
        return;
    loupe_json_key(json, "steps");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < growth->step_count; i++)
        loupe_json_int(json, loupe_class_step(growth, i, name));
    loupe_json_end_array(json);
}

static void report_holder(struct loupe_json *json, const struct loupe_growth_holder *holder) {
    if (!holder->count)
        return;
    loupe_json_key(json, "held_by");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "culprit", holder->culprit);
    loupe_json_put_uint(json, "count", holder->count);
    loupe_json_put_uint(json, "searched", holder->looked_at);
    loupe_json_end_object(json);
}

static void report_row(struct loupe_json *json, const struct loupe_class_growth *growth,
                       uint32_t number) {
    const struct loupe_class_difference *row = &growth->difference.classes[number];
    const struct loupe_pattern *why = loupe_why_class_grows(growth, number);
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "class", row->name);
    loupe_json_put_uint(json, "new", row->added);
    loupe_json_put_uint(json, "gone", row->gone);
    loupe_json_put_uint(json, "still", row->still);
    if (growth->difference.tells_reuse)
        report_reuse(json, row);
    loupe_json_key(json, "size_delta");
    loupe_json_int(json, loupe_class_delta(row));
    if (why) {
        loupe_json_put_text(json, "pattern", why->id);
        loupe_json_put_text(json, "mistake", why->name);
    }
    if (number < LOUPE_CLASSES_EXPLAINED)
        report_holder(json, &growth->holders[number]);
    report_steps(json, growth, row->name);
    loupe_json_end_object(json);
}

static void report_total(struct loupe_json *json, const struct loupe_class_difference *total) {
    loupe_json_key(json, "total");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "new", total->added);
    loupe_json_put_uint(json, "gone", total->gone);
    loupe_json_put_uint(json, "still", total->still);
    loupe_json_key(json, "size_delta");
    loupe_json_int(json, loupe_class_delta(total));
    loupe_json_end_object(json);
}

/* The classes that have such objects, shown or not. */
static void report_reused_classes(struct loupe_json *json,
                                  const struct loupe_class_growth *growth) {
    loupe_json_key(json, "reused_by_class");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < growth->changed; i++) {
        const struct loupe_class_difference *row = &growth->difference.classes[i];
        if (!row->reused && !row->maybe_reused)
            continue;
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "class", row->name);
        report_reuse(json, row);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

void loupe_report_class_growth(struct loupe_json *json, const struct loupe_class_growth *growth) {
    loupe_json_put_uint(json, "changed", growth->changed);
    loupe_json_key(json, "classes");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < growth->shown; i++)
        report_row(json, growth, i);
    loupe_json_end_array(json);
    report_total(json, &growth->difference.total);
    if (!growth->difference.tells_reuse)
        return;
    report_reuse(json, &growth->difference.total);
    report_reused_classes(json, growth);
}
