#include "heap_questions/heap_classes.h"

#include "base/sort.h"
#include "heap_questions/heap_question.h"
#include "report/class_words.h"
#include "snapshot/native.h"

#include <string.h>

/* ---- Names of what can be asked for ---- */

static const char *const groupings[] = {[LOUPE_BY_PACKAGE] = "package",
                                        [LOUPE_BY_LOADER] = "loader",
                                        [LOUPE_BY_SUPERCLASS] = "superclass"};
static const char *const orders[] = {[LOUPE_CLASSES_BY_SIZE] = "size",
                                     [LOUPE_CLASSES_BY_COUNT] = "count",
                                     [LOUPE_CLASSES_BY_RETAINED] = "retained"};

static bool find_name(const char *const *names, unsigned count, const char *name, unsigned *ret) {
    for (*ret = 0; *ret < count; ++*ret) {
        if (strcmp(names[*ret], name) == 0)
            return true;
    }
    return false;
}

bool loupe_class_grouping_named(const char *name, enum loupe_class_grouping *ret) {
    unsigned found;
    if (!find_name(groupings, sizeof(groupings) / sizeof(*groupings), name, &found))
        return false;
    *ret = (enum loupe_class_grouping)found;
    return true;
}

bool loupe_class_order_named(const char *name, enum loupe_class_order *ret) {
    unsigned found;
    if (!find_name(orders, sizeof(orders) / sizeof(*orders), name, &found))
        return false;
    *ret = (enum loupe_class_order)found;
    return true;
}

/* ---- What there is a row for ---- */

static enum loupe_status divide_in_groups(struct loupe_heap_classes *classes) {
    const struct loupe_snapshot *snapshot = classes->snapshot;
    uint32_t nodes = snapshot->columns.nodes;
    uint32_t *group_of = loupe_arena_alloc_array(&classes->arena, nodes, sizeof(*group_of));
    for (uint32_t node = 0; group_of && node < nodes; node++)
        group_of[node] = classes->groups.of[snapshot->classes[node]];
    classes->division_of = group_of;
    classes->division_count = classes->groups.items.count;
    return group_of ? LOUPE_OK : LOUPE_ENOMEM;
}

static void divide_in_classes(struct loupe_heap_classes *classes) {
    classes->division_of = classes->snapshot->classes;
    classes->division_count = classes->snapshot->class_count;
}

/* ---- Totals ---- */

static void count_unreachable(struct loupe_heap_classes *classes,
                              const struct loupe_dominators *dominators) {
    for (uint32_t node = 0; node < dominators->nodes; node++)
        classes->unreachable[classes->division_of[node]] +=
            dominators->immediate[node] == LOUPE_NO_NODE;
}

static enum loupe_status count_rows(struct loupe_heap_classes *classes,
                                    const struct loupe_link_policy *policy) {
    const struct loupe_chunk_ops *chunks = classes->arena.chunks;
    struct loupe_dominators dominators;
    loupe_histogram_count(&classes->snapshot->columns, classes->division_of, NULL,
                          classes->division_count, classes->totals);
    enum loupe_status status =
        loupe_dominators_of_heap(classes->snapshot, policy, chunks, &dominators);
    if (status)
        return status;
    status = loupe_histogram_add_retained(&dominators, classes->division_of,
                                          classes->division_count, chunks, classes->totals);
    count_unreachable(classes, &dominators);
    loupe_dominators_deinit(&dominators);
    return status;
}

/* Classes that have instances: of a native heap superclasses come along that have none. */
static enum loupe_status count_present(struct loupe_heap_classes *classes) {
    const struct loupe_snapshot *snapshot = classes->snapshot;
    bool *seen =
        loupe_arena_alloc_array(&classes->arena, (size_t)snapshot->class_count + 1, sizeof(*seen));
    for (uint32_t node = 0; seen && node < snapshot->columns.nodes; node++) {
        classes->present += !seen[snapshot->classes[node]];
        seen[snapshot->classes[node]] = true;
    }
    return seen ? LOUPE_OK : LOUPE_ENOMEM;
}

static void count_heaps(struct loupe_heap_classes *classes) {
    const struct loupe_snapshot *snapshot = classes->snapshot;
    uint32_t range = 0, heap = snapshot->heap_count;
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++) {
        for (; range < snapshot->heap_range_count && snapshot->heap_ranges[range].first <= node;
             range++)
            heap = snapshot->heap_ranges[range].heap;
        struct loupe_named_heap_total *total =
            &classes->heaps[heap < snapshot->heap_count ? heap : snapshot->heap_count];
        total->count++;
        total->bytes += loupe_columns_size(&snapshot->columns, node);
    }
}

/* ---- Rows, in order ---- */

static int compare_names(struct loupe_span a, struct loupe_span b) {
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.bytes, b.bytes, shorter);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static bool is_named_before(const void *ctx, const void *left, const void *right) {
    const struct loupe_class_row *a = left, *b = right;
    (void)ctx;
    return compare_names(a->name, b->name) < 0;
}

/* Equal ones by name, so that two runs print the same. */
static bool is_before(const void *ctx, const void *left, const void *right) {
    const struct loupe_class_row *a = left, *b = right;
    (void)ctx;
    if (a->key != b->key)
        return a->key > b->key;
    int order = compare_names(a->name, b->name);
    return order ? order < 0 : a->number < b->number;
}

static uint64_t key_of(const struct loupe_heap_classes *classes, uint32_t number) {
    const struct loupe_class_total *total = &classes->totals[number];
    return classes->asked.order == LOUPE_CLASSES_BY_COUNT      ? total->count
           : classes->asked.order == LOUPE_CLASSES_BY_RETAINED ? total->retained
                                                               : total->bytes;
}

static struct loupe_span name_of(const struct loupe_heap_classes *classes, uint32_t number) {
    return classes->asked.in_groups ? loupe_class_group_at(&classes->groups, number)->name
                                    : loupe_snapshot_class_name(classes->snapshot, number);
}

static void list_rows(struct loupe_heap_classes *classes) {
    const char *pattern = classes->asked.pattern;
    for (uint32_t i = 0; i < classes->division_count; i++) {
        struct loupe_span name = name_of(classes, i);
        if (classes->totals[i].count && (!pattern || loupe_class_name_matches(name, pattern)))
            classes->rows[classes->row_count++] =
                (struct loupe_class_row){.key = key_of(classes, i), .name = name, .number = i};
    }
}

/* Of classes alone: groups of one name differ by what they are told with. */
static void find_namesakes(struct loupe_heap_classes *classes) {
    struct loupe_class_row *rows = classes->rows;
    loupe_sort(rows, classes->row_count, sizeof(*rows), is_named_before, NULL);
    for (uint32_t i = 1; i < classes->row_count; i++) {
        if (compare_names(rows[i - 1].name, rows[i].name) == 0)
            rows[i - 1].has_namesake = rows[i].has_namesake = true;
    }
}

static void order_rows(struct loupe_heap_classes *classes) {
    uint32_t most = classes->asked.most;
    if (!classes->asked.in_groups)
        find_namesakes(classes);
    classes->told = most && most < classes->row_count ? most : classes->row_count;
    loupe_sort_top(classes->rows, classes->row_count, classes->told, sizeof(*classes->rows),
                   is_before, NULL);
}

/* ---- The question ---- */

static enum loupe_status find(struct loupe_heap_classes *classes,
                              const struct loupe_link_policy *policy) {
    size_t count = classes->division_count;
    classes->totals = loupe_arena_alloc_array(&classes->arena, count + 1, sizeof(*classes->totals));
    classes->unreachable =
        loupe_arena_alloc_array(&classes->arena, count, sizeof(*classes->unreachable));
    classes->rows = loupe_arena_alloc_array(&classes->arena, count, sizeof(*classes->rows));
    classes->heaps = loupe_arena_alloc_array(
        &classes->arena, (size_t)classes->snapshot->heap_count + 1, sizeof(*classes->heaps));
    if (!classes->totals || !classes->unreachable || !classes->rows || !classes->heaps)
        return LOUPE_ENOMEM;
    enum loupe_status status = count_rows(classes, policy);
    if (!status)
        status = count_present(classes);
    if (status)
        return status;
    count_heaps(classes);
    list_rows(classes);
    order_rows(classes);
    return LOUPE_OK;
}

enum loupe_status loupe_heap_classes_find(struct loupe_heap_classes *classes,
                                          const struct loupe_snapshot *snapshot,
                                          const struct loupe_link_policy *policy,
                                          const struct loupe_heap_classes_asked *asked,
                                          const struct loupe_chunk_ops *chunks) {
    enum loupe_status status = LOUPE_OK;
    *classes = (struct loupe_heap_classes){.snapshot = snapshot, .asked = *asked};
    if (asked->in_groups)
        status = loupe_class_groups_find(snapshot, asked->grouping, chunks, &classes->groups);
    if (status)
        return status;
    loupe_arena_init(&classes->arena, chunks);
    if (asked->in_groups)
        status = divide_in_groups(classes);
    else
        divide_in_classes(classes);
    if (!status)
        status = find(classes, policy);
    if (status)
        loupe_heap_classes_deinit(classes);
    return status;
}

void loupe_heap_classes_deinit(struct loupe_heap_classes *classes) {
    loupe_arena_deinit(&classes->arena);
    if (classes->asked.in_groups)
        loupe_class_groups_deinit(&classes->groups);
}

/* ---- The answer ---- */

static void put_loader(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                       uint32_t loader) {
    if (loader != LOUPE_NO_NODE)
        loupe_json_put_address(json, "loader", loupe_snapshot_address(snapshot, loader));
}

/* Of classes of one name, whose loader each has. */
static void put_namesakes(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                          uint32_t class_number) {
    uint32_t loader = loupe_class_loader(snapshot, class_number);
    loupe_json_put_bool(json, "namesakes", true);
    if (loader != LOUPE_NO_NODE)
        loupe_json_put_text(json, "loader_class",
                            loupe_snapshot_class_name(snapshot, snapshot->classes[loader]));
}

static void put_class(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                      const struct loupe_class_row *row) {
    loupe_json_put_text(json, "class", row->name);
    put_loader(json, snapshot, loupe_class_loader(snapshot, row->number));
    if (row->has_namesake && !snapshot->native)
        put_namesakes(json, snapshot, row->number);
}

static void put_group(struct loupe_json *json, const struct loupe_heap_classes *classes,
                      const struct loupe_class_row *row) {
    const struct loupe_class_group *group = loupe_class_group_at(&classes->groups, row->number);
    loupe_json_put_text(json, "group", row->name);
    loupe_json_put_uint(json, "classes", group->classes);
    if (classes->asked.grouping == LOUPE_BY_LOADER)
        put_loader(json, classes->snapshot, group->number);
}

static void report_row(struct loupe_json *json, const struct loupe_heap_classes *classes,
                       const struct loupe_class_row *row) {
    const struct loupe_class_total *total = &classes->totals[row->number];
    loupe_json_begin_object(json);
    if (classes->asked.in_groups)
        put_group(json, classes, row);
    else
        put_class(json, classes->snapshot, row);
    loupe_json_put_uint(json, "count", total->count);
    loupe_json_put_uint(json, "size", total->bytes);
    loupe_json_put_uint(json, "retained", total->retained);
    loupe_json_put_uint(json, "unreachable", classes->unreachable[row->number]);
    loupe_json_end_object(json);
}

static void report_totals(struct loupe_json *json, const struct loupe_heap_classes *classes) {
    const struct loupe_snapshot *snapshot = classes->snapshot;
    loupe_json_put_text(json, "format", loupe_snapshot_string(snapshot, snapshot->format));
    loupe_json_put_uint(json, "class_count",
                        snapshot->native ? classes->present : snapshot->class_count);
    loupe_json_put_uint(json, "thread_count", snapshot->thread_count);
    loupe_json_put_uint(json, "found", classes->row_count);
    if (classes->asked.in_groups)
        loupe_json_put_string(json, "by", groupings[classes->asked.grouping]);
}

static void report_heap(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                        uint32_t heap, const struct loupe_named_heap_total *total) {
    uint32_t name = heap < snapshot->heap_count ? snapshot->heaps[heap].name : LOUPE_NONE;
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "name", loupe_snapshot_string(snapshot, name));
    loupe_json_put_uint(json, "count", total->count);
    loupe_json_put_uint(json, "size", total->bytes);
    loupe_json_end_object(json);
}

static void report_heaps(struct loupe_json *json, const struct loupe_heap_classes *classes) {
    uint32_t count = classes->snapshot->heap_count;
    loupe_json_key(json, "heaps");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i <= count && count; i++) {
        if (classes->heaps[i].count)
            report_heap(json, classes->snapshot, i, &classes->heaps[i]);
    }
    loupe_json_end_array(json);
}

void loupe_report_heap_classes(struct loupe_json *json, const struct loupe_heap_classes *classes) {
    report_totals(json, classes);
    loupe_json_key(json, classes->asked.in_groups ? "groups" : "classes");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < classes->told; i++)
        report_row(json, classes, &classes->rows[i]);
    loupe_json_end_array(json);
    report_heaps(json, classes);
}
