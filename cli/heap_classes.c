/* loupe heap: a heap by classes, or by what they belong to. */
#include "amounts.h"
#include "capture.h"
#include "analysis/histogram.h"
#include "heap_verb.h"
#include "native_words.h"
#include "report/report_snapshot.h"
#include "snapshot/class_groups.h"
#include "snapshot/native.h"
#include "table.h"

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
    enum loupe_status status = heap_dominators(query, query->policy, &dominators);
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

static void show_heaps(const struct loupe_snapshot *snapshot, const struct heap_total *heaps) {
    for (uint32_t i = 0; i <= snapshot->heap_count && snapshot->heap_count; i++) {
        if (!heaps[i].count)
            continue;
        struct loupe_span name = loupe_snapshot_string(
            snapshot, i < snapshot->heap_count ? snapshot->heaps[i].name : LOUPE_NONE);
        printf("%s: %s objects, %s\n", name.length ? cli_printable(name) : "in no named heap",
               cli_count(heaps[i].count), cli_bytes(heaps[i].bytes));
    }
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
        if (sums->totals[i].count && (!query->options.class_pattern ||
                                      heap_name_matches(row->name, query->options.class_pattern)))
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

/* " (loader demo.Loader 0x7f01)" */
static void name_loader(const struct loupe_snapshot *snapshot, uint32_t class_number, char *dst,
                        size_t cap) {
    uint32_t loader = loupe_class_loader(snapshot, class_number);
    if (loader == LOUPE_NO_NODE) {
        snprintf(dst, cap, "%s", " (no loader)");
        return;
    }
    struct loupe_span name = loupe_snapshot_class_name(snapshot, snapshot->classes[loader]);
    loupe_format(dst, cap, " (loader %.*s 0x%llx)", name.length < 120 ? (int)name.length : 120,
                 name.bytes, (unsigned long long)loupe_snapshot_address(snapshot, loader));
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

static void print_json(const struct heap_query *query, const struct sums *sums,
                       const struct row *rows, uint32_t shown) {
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "heap", query->snapshot, false);
    if (sums->division.by)
        loupe_json_put_text(&json, "by", loupe_span_of(sums->division.by));
    loupe_json_key(&json, sums->division.by ? "groups" : "classes");
    loupe_json_begin_array(&json);
    for (uint32_t i = 0; i < shown; i++) {
        const struct loupe_class_total *total = &sums->totals[rows[i].number];
        loupe_json_begin_object(&json);
        put_name(&json, query->snapshot, &sums->division, &rows[i]);
        loupe_json_put_uint(&json, "count", total->count);
        loupe_json_put_uint(&json, "size", total->bytes);
        loupe_json_put_uint(&json, "retained", total->retained);
        loupe_json_put_uint(&json, "unreachable", sums->unreachable[rows[i].number]);
        loupe_json_end_object(&json);
    }
    loupe_json_end_array(&json);
    report_heaps(&json, query->snapshot, sums->heaps);
    loupe_report_snapshot_end(&json, query->snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
}

/* "com.example", "demo.Loader 0x7f01", "(no package)" */
static void add_group(struct table *table, const struct loupe_snapshot *snapshot,
                      const struct division *division, const struct row *row) {
    char name[1000];
    const struct loupe_class_group *group = loupe_class_group_at(&division->groups, row->number);
    size_t length =
        !row->name.length ? loupe_format(name, sizeof(name), "(no %s)", division->by)
        : is_by_loader(division)
            ? loupe_format(name, sizeof(name), "%.*s 0x%llx",
                           row->name.length < 700 ? (int)row->name.length : 700, row->name.bytes,
                           (unsigned long long)loupe_snapshot_address(snapshot, group->number))
            : 0;
    table_add(table, length ? (struct loupe_span){name, length} : row->name);
}

/* A row's name, with its loader where another class of the heap has the same. */
static void add_name(struct table *table, const struct loupe_snapshot *snapshot,
                     const struct row *row, bool has_namesake) {
    char loader[200] = "", name[1000];
    if (has_namesake && !snapshot->native)
        name_loader(snapshot, row->number, loader, sizeof(loader));
    size_t length =
        loupe_format(name, sizeof(name), "%.*s%s",
                     row->name.length < 700 ? (int)row->name.length : 700, row->name.bytes, loader);
    table_add(table, *loader ? (struct loupe_span){name, length} : row->name);
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

/* Of a process without a runtime most are pieces of memory. */
/* A column for what is unreachable, where something of the rows is. */
static void begin_table(const struct sums *sums, const struct row *rows, uint32_t shown,
                        struct table *table) {
    const char *headings[] = {"instances", "unreachable", "bytes", "retained", NULL};
    const char *alive[] = {"instances", "bytes", "retained", NULL};
    bool any = false;
    for (uint32_t i = 0; i < shown; i++)
        any |= sums->unreachable[rows[i].number] > 0;
    headings[4] = alive[3] = sums->division.by ? sums->division.by : "class";
    table_init(table, any ? 5 : 4, any ? headings : alive);
    table->numbers = any ? (1 << 4) - 1 : (1 << 3) - 1;
}

static void add_numbers(const struct sums *sums, const struct row *row, struct table *table) {
    const struct loupe_class_total *total = &sums->totals[row->number];
    uint32_t unreachable = sums->unreachable[row->number];
    table_add(table, loupe_span_of(cli_count(total->count)));
    if (table->columns == 5)
        table_add(table, loupe_span_of(unreachable ? cli_count(unreachable) : ""));
    table_add(table, loupe_span_of(cli_count(total->bytes)));
    table_add(table, loupe_span_of(cli_count(total->retained)));
}

static void print_totals(const struct heap_query *query, const struct sums *sums) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    struct loupe_span format = loupe_snapshot_string(snapshot, snapshot->format);
    uint32_t classes = snapshot->native ? sums->present : snapshot->class_count;
    uint64_t references = snapshot->columns.first[snapshot->columns.nodes];
    uint64_t roots = snapshot->columns.root_count;
    printf("%s: %s of %u class%s, %s\n", cli_printable(format), words_of_contents(snapshot).text,
           classes, classes == 1 ? "" : "es", cli_bytes(snapshot->bytes));
    printf("%s reference%s, %s root%s, %u thread%s\n", cli_count(references),
           references == 1 ? "" : "s", cli_count(roots), roots == 1 ? "" : "s",
           snapshot->thread_count, snapshot->thread_count == 1 ? "" : "s");
    show_heaps(snapshot, sums->heaps);
    putchar('\n');
}

/* False: no memory. */
static bool fill_table(const struct heap_query *query, const struct sums *sums,
                       const struct row *rows, uint32_t count, uint32_t shown,
                       struct table *table) {
    bool *has_namesake = calloc((size_t)sums->division.count + 1, sizeof(*has_namesake));
    if (!has_namesake || (!sums->division.by && !find_namesakes(rows, count, has_namesake))) {
        free(has_namesake);
        return false;
    }
    begin_table(sums, rows, shown, table);
    for (uint32_t i = 0; i < shown; i++) {
        add_numbers(sums, &rows[i], table);
        if (sums->division.by)
            add_group(table, query->snapshot, &sums->division, &rows[i]);
        else
            add_name(table, query->snapshot, &rows[i], has_namesake[rows[i].number]);
    }
    free(has_namesake);
    return true;
}

static int print_text(const struct heap_query *query, const struct sums *sums,
                      const struct row *rows, uint32_t count, uint32_t shown) {
    struct table table;
    if (!fill_table(query, sums, rows, count, shown, &table))
        return heap_ended(query);
    print_totals(query, sums);
    bool printed = table_print(&table);
    table_deinit(&table);
    if (!printed)
        return heap_ended(query);
    if (shown < count)
        printf("\n%s more %s (--limit 0 shows all)\n", cli_count(count - shown),
               sums->division.by ? "rows" : "classes");
    heap_print_notes(query, table.columns == 5);
    return CLI_OK;
}

static int show(const struct heap_query *query, const struct sums *sums, struct row *rows) {
    uint32_t count = list_rows(query, sums, rows);
    uint64_t limit = query->options.has_limit ? query->options.limit
                     : query->options.json    ? 0
                                              : SHOWN_UNLESS_TOLD;
    uint32_t shown = limit && limit < count ? (uint32_t)limit : count;
    int status = heap_begin_output(query);
    if (status)
        return status;
    if (!query->options.json)
        return print_text(query, sums, rows, count, shown);
    print_json(query, sums, rows, shown);
    return CLI_OK;
}

static int show_sums(const struct heap_query *query, struct sums *sums) {
    size_t count = (size_t)sums->division.count + 1;
    sums->totals = calloc(count, sizeof(*sums->totals));
    sums->unreachable = calloc(count, sizeof(*sums->unreachable));
    sums->heaps = count_heaps(query->snapshot);
    struct row *rows = calloc(count, sizeof(*rows));
    bool counted = sums->totals && sums->unreachable && rows && sums->heaps &&
                   count_rows(query, sums) == LOUPE_OK && count_present(query, sums);
    int status = counted ? show(query, sums, rows) : heap_ended(query);
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
