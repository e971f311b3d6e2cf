/* The mistake that lets a class grow. */
#include "mistakes/growth.h"

#include "mistakes/known_mistakes.h"

/* So many objects are looked at, the newest by their place in the heap. */
enum { LOOKED_AT = 8 };

/* ---- The same object in the older heap ---- */

static struct loupe_span name_of(const struct loupe_snapshot *snapshot, uint32_t node) {
    uint32_t is_class = loupe_snapshot_class_at(snapshot, node);
    return loupe_snapshot_class_name(snapshot,
                                     is_class == LOUPE_NONE ? snapshot->classes[node] : is_class);
}

/* A class object by its name; what the memory of a native program has at the same place. */
static uint32_t same_start(const struct loupe_snapshot *newer, uint32_t node,
                           const struct loupe_snapshot *older) {
    struct loupe_span name = name_of(newer, node);
    uint32_t found;
    if (newer->native)
        return loupe_snapshot_find(older, loupe_snapshot_address(newer, node), &found) &&
                       loupe_spans_equal(name_of(older, found), name)
                   ? found
                   : LOUPE_NO_NODE;
    if (loupe_snapshot_class_at(newer, node) == LOUPE_NONE)
        return LOUPE_NO_NODE;
    for (uint32_t i = 0; i < older->class_count; i++) {
        if (loupe_spans_equal(loupe_snapshot_class_name(older, i), name))
            return older->class_table[i].node;
    }
    return LOUPE_NO_NODE;
}

/* What a reference of that name leads to. */
static uint32_t follow(const struct loupe_snapshot *older, uint32_t node,
                       const struct loupe_link_name *wanted) {
    const struct loupe_columns *columns = &older->columns;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        struct loupe_link_name name;
        loupe_snapshot_name_link(older, node, link, &name);
        if (name.kind == wanted->kind && name.index == wanted->index &&
            loupe_spans_equal(name.name, wanted->name))
            return columns->to[link];
    }
    return LOUPE_NO_NODE;
}

/* ---- Collections ---- */

static uint32_t size_of(const struct loupe_snapshot *snapshot, uint32_t node) {
    return snapshot->columns.first[node + 1] - snapshot->columns.first[node];
}

static bool is_collection(const struct loupe_snapshot *snapshot, uint32_t link,
                          const struct loupe_link_name *name) {
    const struct loupe_label *label = snapshot->native ? loupe_native_label(snapshot, link) : NULL;
    return label ? label->kind == LOUPE_EDGE_ELEMENT || label->kind == LOUPE_EDGE_KEY ||
                       label->kind == LOUPE_EDGE_VALUE
                 : name->kind == LOUPE_LINK_NAME_ELEMENT;
}

/*
 * Whether a collection on the path has more in it than it had. One that was not there before, or
 * that the way no longer leads to, has grown from nothing where it has several.
 */
static bool has_grown(const struct loupe_snapshot *newer, const struct loupe_trace *trace,
                      const struct loupe_snapshot *older) {
    uint32_t was = same_start(newer, trace->steps[0].node, older);
    for (uint32_t i = 0; i + 1 < trace->count; i++) {
        const struct loupe_trace_step *step = &trace->steps[i];
        struct loupe_link_name name;
        loupe_snapshot_name_link(newer, step->node, step->link, &name);
        uint32_t before = was == LOUPE_NO_NODE ? 2 : size_of(older, was);
        if (is_collection(newer, step->link, &name) && size_of(newer, step->node) > before)
            return true;
        was = was == LOUPE_NO_NODE ? was : follow(older, was, &name);
    }
    return false;
}

/* ---- Patterns ---- */

static enum loupe_status pattern_of_path(const struct loupe_growth *growth, uint32_t node,
                                         const struct loupe_pattern **ret) {
    struct loupe_trace trace;
    enum loupe_status status =
        loupe_trace_shortest(growth->tracer, growth->shortest, node, NULL, &trace);
    if (status)
        return status;
    const struct loupe_snapshot *newer = growth->tracer->snapshot;
    const struct loupe_pattern *found =
        loupe_known_mistake_of_growth(growth->patterns, newer, &trace);
    if (found && (!found->needs_collection || has_grown(newer, &trace, growth->older)))
        *ret = found;
    return LOUPE_OK;
}

/* How many of the paths that were looked at show each. */
struct tally {
    const struct loupe_pattern *patterns[LOOKED_AT];
    uint32_t counts[LOOKED_AT], count;
};

static void add(struct tally *tally, const struct loupe_pattern *pattern) {
    uint32_t i = 0;
    while (i < tally->count && tally->patterns[i] != pattern)
        i++;
    if (i == tally->count) {
        tally->patterns[tally->count] = pattern;
        tally->counts[tally->count++] = 0;
    }
    tally->counts[i]++;
}

/* What most of them show: one may be anywhere. */
static const struct loupe_pattern *most_shown(const struct tally *tally, uint32_t looked_at) {
    for (uint32_t i = 0; i < tally->count; i++) {
        if (tally->counts[i] * 2 > looked_at)
            return tally->patterns[i];
    }
    return NULL;
}

static bool is_new(const struct loupe_growth *growth, uint32_t node, struct loupe_span class_name) {
    const struct loupe_snapshot *newer = growth->tracer->snapshot, *older = growth->older;
    uint32_t found;
    return growth->of_runs ||
           !loupe_snapshot_find(older, loupe_snapshot_address(newer, node), &found) ||
           !loupe_spans_equal(loupe_snapshot_class_name(older, older->classes[found]), class_name);
}

enum loupe_status loupe_growth_pattern(const struct loupe_growth *growth,
                                       struct loupe_span class_name,
                                       const struct loupe_pattern **ret) {
    const struct loupe_snapshot *snapshot = growth->tracer->snapshot;
    enum loupe_status status = LOUPE_OK;
    struct tally tally = {.count = 0};
    uint32_t looked_at = 0;
    /* Cap: enough to tell; without them nothing is told. */
    for (uint32_t node = snapshot->columns.nodes; node-- && looked_at < LOOKED_AT && !status;) {
        struct loupe_span name = loupe_snapshot_class_name(snapshot, snapshot->classes[node]);
        const struct loupe_pattern *pattern = NULL;
        if (!loupe_spans_equal(name, class_name) ||
            loupe_path_level(growth->shortest, node) == LOUPE_LEVEL_NONE ||
            !is_new(growth, node, class_name))
            continue;
        looked_at++;
        status = pattern_of_path(growth, node, &pattern);
        if (pattern)
            add(&tally, pattern);
    }
    *ret = status ? NULL : most_shown(&tally, looked_at);
    return status;
}
