/* loupe heap: a heap by classes, or by what they belong to. */
#include "heap_questions/heap_question.h"
#include "report/class_words.h"
#include "analysis/dominators/histogram.h"
#include "heaps/heap_answer.h"
#include "snapshot/class_groups.h"
#include "snapshot/native.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_UNLESS_TOLD = 30 };

/* ---- Rows ---- */

/* What there is a row for: each class, or each group of them. */
struct division {
    const char *by;         /* NULL: classes, and no groups */
    uint32_t count;         /* classes or groups */
    const uint32_t *row_of; /* by node */
    uint32_t *rows;         /* the same of groups, to be freed */
    struct loupe_class_groups groups;
};

static bool find_grouping(const char *by, enum loupe_class_grouping *ret) {
    static const char *const names[] = {[LOUPE_BY_PACKAGE] = "package",
                                        [LOUPE_BY_LOADER] = "loader",
                                        [LOUPE_BY_SUPERCLASS] = "superclass"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
        *ret = (enum loupe_class_grouping)i;
        if (strcmp(by, names[i]) == 0)
            return true;
    }
    return false;
}

static enum loupe_status divide_in_groups(const struct loupe_snapshot *snapshot,
                                          enum loupe_class_grouping grouping,
                                          struct division *ret) {
    uint32_t nodes = snapshot->columns.nodes;
    ret->rows = calloc((size_t)nodes + 1, sizeof(*ret->rows));
    enum loupe_status status =
        ret->rows ? loupe_class_groups_find(snapshot, grouping, &heap_chunks, &ret->groups)
                  : LOUPE_ENOMEM;
    if (status) {
        free(ret->rows);
        return status;
    }
    for (uint32_t node = 0; node < nodes; node++)
        ret->rows[node] = ret->groups.of[snapshot->classes[node]];
    ret->row_of = ret->rows;
    ret->count = ret->groups.items.count;
    return LOUPE_OK;
}

/* On failure there is nothing to end. */
static enum loupe_status divide(const struct heap_query *query, struct division *ret) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    enum loupe_class_grouping grouping;
    *ret = (struct division){.row_of = snapshot->classes, .count = snapshot->class_count};
    if (!query->options.by || !find_grouping(query->options.by, &grouping))
        return LOUPE_OK;
    ret->by = query->options.by;
    return divide_in_groups(snapshot, grouping, ret);
}

static void end_division(struct division *division) {
    if (division->by)
        loupe_class_groups_deinit(&division->groups);
    free(division->rows);
}

/* ---- Totals ---- */

/* What was added up: by row. */
struct sums {
    struct division division;
    struct loupe_class_total *totals;
    uint32_t *unreachable; /* instances that nothing alive leads to */
    uint32_t present;      /* classes of all nodes */
    struct heap_total *heaps;
};

static void count_unreachable(const struct loupe_dominators *dominators, struct sums *sums) {
    for (uint32_t node = 0; node < dominators->nodes; node++)
        sums->unreachable[sums->division.row_of[node]] +=
            dominators->immediate[node] == LOUPE_NO_NODE;
}

static enum loupe_status count_rows(const struct heap_query *query, struct sums *sums) {
    const struct division *division = &sums->division;
    struct loupe_dominators dominators;
    loupe_histogram_count(&query->snapshot->columns, division->row_of, NULL, division->count,
                          sums->totals);
    enum loupe_status status =
        loupe_dominators_of_heap(query->snapshot, query->policy, &heap_chunks, &dominators);
    if (status)
        return status;
    status = loupe_histogram_add_retained(&dominators, division->row_of, division->count,
                                          &heap_chunks, sums->totals);
    count_unreachable(&dominators, sums);
    loupe_dominators_deinit(&dominators);
    return status;
}

/* ---- Heaps of Android's runtime ---- */

struct heap_total {
    uint64_t count, bytes;
};

/* By heap; the last one is of objects whose heap is not known. NULL: no memory. */
static struct heap_total *count_heaps(const struct loupe_snapshot *snapshot) {
    struct heap_total *totals = calloc((size_t)snapshot->heap_count + 1, sizeof(*totals));
    uint32_t range = 0, heap = snapshot->heap_count;
    for (uint32_t node = 0; totals && node < snapshot->columns.nodes; node++) {
        for (; range < snapshot->heap_range_count && snapshot->heap_ranges[range].first <= node;
             range++)
            heap = snapshot->heap_ranges[range].heap;
        struct heap_total *total =
            &totals[heap < snapshot->heap_count ? heap : snapshot->heap_count];
        total->count++;
        total->bytes += loupe_columns_size(&snapshot->columns, node);
    }
    return totals;
}

static void report_heaps(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                         const struct heap_total *heaps) {
    loupe_json_key(json, "heaps");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i <= snapshot->heap_count && snapshot->heap_count; i++) {
        if (!heaps[i].count)
            continue;
        bool is_known = i < snapshot->heap_count;
        loupe_json_begin_object(json);
        loupe_json_put_text(
            json, "name",
            loupe_snapshot_string(snapshot, is_known ? snapshot->heaps[i].name : LOUPE_NONE));
        loupe_json_put_uint(json, "count", heaps[i].count);
        loupe_json_put_uint(json, "size", heaps[i].bytes);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

/* ---- Order ---- */

struct row {
    uint64_t key;
    struct loupe_span name;
    uint32_t number; /* class or group */
};

/* What is largest first; equal ones by name, so that two runs print the same. */
static int compare_rows(const void *left, const void *right) {
    const struct row *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? 1 : -1;
    size_t shorter = a->name.length < b->name.length ? a->name.length : b->name.length;
    int order = memcmp(a->name.bytes, b->name.bytes, shorter);
    if (order)
        return order;
    return a->name.length < b->name.length   ? -1
           : a->name.length > b->name.length ? 1
           : a->number < b->number           ? -1
                                             : 1;
}

static bool sort_key(const struct heap_query *query, const struct loupe_class_total *total,
                     uint64_t *ret) {
    const char *sort = query->options.sort ? query->options.sort : "size";
    bool by_count = strcmp(sort, "count") == 0, by_retained = strcmp(sort, "retained") == 0;
    *ret = by_count ? total->count : by_retained ? total->retained : total->bytes;
    return by_count || by_retained || strcmp(sort, "size") == 0;
}

static struct loupe_span name_of(const struct heap_query *query, const struct division *division,
                                 uint32_t number) {
    return division->by ? loupe_class_group_at(&division->groups, number)->name
                        : loupe_snapshot_class_name(query->snapshot, number);
}

static uint32_t list_rows(const struct heap_query *query, const struct sums *sums,
                          struct row *rows) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sums->division.count; i++) {
        struct row *row = &rows[count];
        row->name = name_of(query, &sums->division, i);
        row->number = i;
        if (sums->totals[i].count &&
            (!query->options.class_pattern ||
             loupe_class_name_matches(row->name, query->options.class_pattern)))
            count += sort_key(query, &sums->totals[i], &row->key);
    }
    qsort(rows, count, sizeof(*rows), compare_rows);
    return count;
}

/* ---- Classes of one name ---- */

static int compare_names(const void *left, const void *right) {
    const struct row *a = left, *b = right;
    size_t shorter = a->name.length < b->name.length ? a->name.length : b->name.length;
    int order = memcmp(a->name.bytes, b->name.bytes, shorter);
    return order ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

/* Marks rows whose name another one has, too: by class. False: no memory. */
static bool find_namesakes(const struct row *rows, uint32_t count, bool *has_namesake) {
    struct row *sorted = calloc((size_t)count + 1, sizeof(*sorted));
    if (!sorted)
        return false;
    memcpy(sorted, rows, count * sizeof(*rows));
    qsort(sorted, count, sizeof(*sorted), compare_names);
    for (uint32_t i = 1; i < count; i++) {
        if (compare_names(&sorted[i - 1], &sorted[i]))
            continue;
        has_namesake[sorted[i - 1].number] = true;
        has_namesake[sorted[i].number] = true;
    }
    free(sorted);
    return true;
}

/* ---- Output ---- */

static void put_loader(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                       uint32_t loader) {
    if (loader != LOUPE_NO_NODE)
        loupe_json_put_address(json, "loader", loupe_snapshot_address(snapshot, loader));
}

static bool is_by_loader(const struct division *division) {
    return division->by && strcmp(division->by, "loader") == 0;
}

/* Which class or group a row is about. */
static void put_name(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                     const struct division *division, const struct row *row) {
    loupe_json_put_text(json, division->by ? "group" : "class", row->name);
    if (!division->by) {
        put_loader(json, snapshot, loupe_class_loader(snapshot, row->number));
        return;
    }
    const struct loupe_class_group *group = loupe_class_group_at(&division->groups, row->number);
    loupe_json_put_uint(json, "classes", group->classes);
    if (is_by_loader(division))
        put_loader(json, snapshot, group->number);
}

/* Classes that have instances: of a native heap superclasses come along that have none. False: no
 * memory. */
static bool count_present(const struct heap_query *query, struct sums *sums) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    bool *seen = calloc((size_t)snapshot->class_count + 1, sizeof(*seen));
    for (uint32_t node = 0; seen && node < snapshot->columns.nodes; node++) {
        sums->present += !seen[snapshot->classes[node]];
        seen[snapshot->classes[node]] = true;
    }
    bool counted = seen != NULL;
    free(seen);
    return counted;
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

static void report_totals(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                          const struct sums *sums, uint32_t count) {
    loupe_json_put_text(json, "format", loupe_snapshot_string(snapshot, snapshot->format));
    loupe_json_put_uint(json, "class_count",
                        snapshot->native ? sums->present : snapshot->class_count);
    loupe_json_put_uint(json, "thread_count", snapshot->thread_count);
    loupe_json_put_uint(json, "found", count);
}

static void report_row(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                       const struct sums *sums, const struct row *row, bool has_namesake) {
    const struct loupe_class_total *total = &sums->totals[row->number];
    loupe_json_begin_object(json);
    put_name(json, snapshot, &sums->division, row);
    if (has_namesake && !snapshot->native)
        put_namesakes(json, snapshot, row->number);
    loupe_json_put_uint(json, "count", total->count);
    loupe_json_put_uint(json, "size", total->bytes);
    loupe_json_put_uint(json, "retained", total->retained);
    loupe_json_put_uint(json, "unreachable", sums->unreachable[row->number]);
    loupe_json_end_object(json);
}

static uint32_t shown_of(const struct verb_values *options, uint32_t count) {
    uint64_t unless_told = options->json ? 0 : SHOWN_UNLESS_TOLD;
    uint64_t limit = options->has_limit ? options->limit : unless_told;
    return limit && limit < count ? (uint32_t)limit : count;
}

static int say(const struct heap_query *query, const struct sums *sums, const struct row *rows,
               uint32_t count, const bool *has_namesake) {
    const char *by = sums->division.by;
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, false);
    if (status)
        return status;
    report_totals(&said.json, query->snapshot, sums, count);
    if (by)
        loupe_json_put_text(&said.json, "by", loupe_span_of(by));
    loupe_json_key(&said.json, by ? "groups" : "classes");
    loupe_json_begin_array(&said.json);
    for (uint32_t i = 0; i < shown_of(&query->options, count); i++)
        report_row(&said.json, query->snapshot, sums, &rows[i],
                   !by && has_namesake[rows[i].number]);
    loupe_json_end_array(&said.json);
    report_heaps(&said.json, query->snapshot, sums->heaps);
    return heap_answer_end(&said, NULL, LOUPE_OK);
}

static int list_and_say(const struct heap_query *query, const struct sums *sums, struct row *rows) {
    uint32_t count = list_rows(query, sums, rows);
    bool *has_namesake = calloc((size_t)sums->division.count + 1, sizeof(*has_namesake));
    bool is_ready =
        has_namesake && (sums->division.by || find_namesakes(rows, count, has_namesake));
    int status = is_ready ? say(query, sums, rows, count, has_namesake) : heap_ended(query);
    free(has_namesake);
    return status;
}

static int show_sums(const struct heap_query *query, struct sums *sums) {
    size_t count = (size_t)sums->division.count + 1;
    sums->totals = calloc(count, sizeof(*sums->totals));
    sums->unreachable = calloc(count, sizeof(*sums->unreachable));
    sums->heaps = count_heaps(query->snapshot);
    struct row *rows = calloc(count, sizeof(*rows));
    bool counted = sums->totals && sums->unreachable && rows && sums->heaps &&
                   count_rows(query, sums) == LOUPE_OK && count_present(query, sums);
    int status = counted ? list_and_say(query, sums, rows) : heap_ended(query);
    free(sums->heaps);
    free(sums->unreachable);
    free(sums->totals);
    free(rows);
    return status;
}

int heap_verb_heap(struct heap_query *query) {
    struct loupe_class_total none = {0};
    struct sums sums = {0};
    enum loupe_class_grouping grouping;
    uint64_t key;
    if (!sort_key(query, &none, &key))
        return cli_fail(CLI_NONSENSE, "heap", "--sort takes count, size or retained, not '%s'",
                        cli_printable(loupe_span_of(query->options.sort)));
    if (query->options.by && !find_grouping(query->options.by, &grouping))
        return cli_fail(CLI_NONSENSE, "heap", "--by takes package, loader or superclass, not '%s'",
                        cli_printable(loupe_span_of(query->options.by)));
    if (divide(query, &sums.division))
        return heap_ended(query);
    int status = show_sums(query, &sums);
    end_division(&sums.division);
    return status;
}
