/* loupe heap: a heap by classes. */
#include "amounts.h"
#include "capture.h"
#include "analysis/histogram.h"
#include "heap_verb.h"
#include "report/report_snapshot.h"
#include "runtime/abi.h"
#include "snapshot/native.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_UNLESS_TOLD = 30 };

/* ---- Totals ---- */

/* Of a class: instances that nothing alive leads to. */
static void count_unreachable(const struct loupe_snapshot *snapshot,
                              const struct loupe_dominators *dominators, uint32_t *ret) {
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++)
        ret[snapshot->classes[node]] += dominators->immediate[node] == LOUPE_NO_NODE;
}

static enum loupe_status count_classes(const struct heap_query *query,
                                       struct loupe_class_total *totals, uint32_t *unreachable) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    struct loupe_dominators dominators;
    loupe_histogram_count(&snapshot->columns, snapshot->classes, NULL, snapshot->class_count,
                          totals);
    enum loupe_status status = heap_dominators(query, query->policy, &dominators);
    if (status)
        return status;
    status = loupe_histogram_add_retained(&dominators, snapshot->classes, snapshot->class_count,
                                          &heap_chunks, totals);
    count_unreachable(snapshot, &dominators, unreachable);
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
    uint32_t class_number;
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
    return a->name.length < b->name.length     ? -1
           : a->name.length > b->name.length   ? 1
           : a->class_number < b->class_number ? -1
                                               : 1;
}

static bool sort_key(const struct heap_query *query, const struct loupe_class_total *total,
                     uint64_t *ret) {
    const char *sort = query->options.sort ? query->options.sort : "size";
    bool by_count = strcmp(sort, "count") == 0, by_retained = strcmp(sort, "retained") == 0;
    *ret = by_count ? total->count : by_retained ? total->retained : total->bytes;
    return by_count || by_retained || strcmp(sort, "size") == 0;
}

static uint32_t list_rows(const struct heap_query *query, const struct loupe_class_total *totals,
                          struct row *rows) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    uint32_t count = 0;
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        struct row *row = &rows[count];
        row->name = loupe_snapshot_class_name(snapshot, i);
        row->class_number = i;
        if (totals[i].count && (!query->options.class_pattern ||
                                heap_name_matches(row->name, query->options.class_pattern)))
            count += sort_key(query, &totals[i], &row->key);
    }
    qsort(rows, count, sizeof(*rows), compare_rows);
    return count;
}

/* ---- Classes of one name ---- */

/* The node of the loader of a class, or LOUPE_NO_NODE: none, or not known. */
static uint32_t loader_of(const struct loupe_snapshot *snapshot, uint32_t class_number) {
    const struct loupe_columns *columns = &snapshot->columns;
    uint32_t node = snapshot->class_table[class_number].node;
    if (snapshot->native || !columns->kinds || node == LOUPE_NO_NODE)
        return LOUPE_NO_NODE;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        if (columns->kinds[link] == LOUPE_LINK_LOADER)
            return columns->to[link];
    }
    return LOUPE_NO_NODE;
}

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
        has_namesake[sorted[i - 1].class_number] = true;
        has_namesake[sorted[i].class_number] = true;
    }
    free(sorted);
    return true;
}

/* " (loader demo.Loader 0x7f01)" */
static void name_loader(const struct loupe_snapshot *snapshot, uint32_t class_number, char *dst,
                        size_t cap) {
    uint32_t loader = loader_of(snapshot, class_number);
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
                       uint32_t class_number) {
    uint32_t loader = loader_of(snapshot, class_number);
    if (loader != LOUPE_NO_NODE)
        loupe_json_put_address(json, "loader", loupe_snapshot_address(snapshot, loader));
}

/* What was added up. */
struct sums {
    struct loupe_class_total *totals;
    uint32_t *unreachable; /* by class */
    struct heap_total *heaps;
};

static void print_json(const struct heap_query *query, const struct sums *sums,
                       const struct row *rows, uint32_t shown) {
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "heap", query->snapshot, false);
    loupe_json_key(&json, "classes");
    loupe_json_begin_array(&json);
    for (uint32_t i = 0; i < shown; i++) {
        const struct loupe_class_total *total = &sums->totals[rows[i].class_number];
        loupe_json_begin_object(&json);
        loupe_json_key(&json, "class");
        loupe_json_span(&json, rows[i].name);
        put_loader(&json, query->snapshot, rows[i].class_number);
        loupe_json_put_uint(&json, "count", total->count);
        loupe_json_put_uint(&json, "size", total->bytes);
        loupe_json_put_uint(&json, "retained", total->retained);
        loupe_json_put_uint(&json, "unreachable", sums->unreachable[rows[i].class_number]);
        loupe_json_end_object(&json);
    }
    loupe_json_end_array(&json);
    report_heaps(&json, query->snapshot, sums->heaps);
    loupe_report_snapshot_end(&json, query->snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
}

/* A row's name, with its loader where another class of the heap has the same. */
static void add_name(struct table *table, const struct loupe_snapshot *snapshot,
                     const struct row *row, bool has_namesake) {
    char loader[200] = "", name[1000];
    if (has_namesake && !snapshot->native)
        name_loader(snapshot, row->class_number, loader, sizeof(loader));
    size_t length =
        loupe_format(name, sizeof(name), "%.*s%s",
                     row->name.length < 700 ? (int)row->name.length : 700, row->name.bytes, loader);
    table_add(table, *loader ? (struct loupe_span){name, length} : row->name);
}

/* Classes that have instances: of a native heap superclasses come along that have none. */
static uint32_t count_present(const struct loupe_class_total *totals, uint32_t count) {
    uint32_t present = 0;
    for (uint32_t i = 0; i < count; i++)
        present += totals[i].count > 0;
    return present;
}

/* Of a process without a runtime most are pieces of memory. */
static bool nodes_are_objects(const struct loupe_snapshot *snapshot) {
    return !snapshot->native ||
           !loupe_span_equals(loupe_snapshot_string(snapshot, snapshot->native->abi),
                              loupe_abi_none.name);
}

/* A column for what is unreachable, where something of the rows is. */
static void begin_table(const struct sums *sums, const struct row *rows, uint32_t shown,
                        struct table *table) {
    static const char *const headings[] = {"instances", "unreachable", "bytes", "retained",
                                           "class"};
    static const char *const alive[] = {"instances", "bytes", "retained", "class"};
    bool any = false;
    for (uint32_t i = 0; i < shown; i++)
        any |= sums->unreachable[rows[i].class_number] > 0;
    table_init(table, any ? 5 : 4, any ? headings : alive);
    table->numbers = any ? (1 << 4) - 1 : (1 << 3) - 1;
}

static void add_numbers(const struct sums *sums, const struct row *row, struct table *table) {
    const struct loupe_class_total *total = &sums->totals[row->class_number];
    uint32_t unreachable = sums->unreachable[row->class_number];
    table_add(table, loupe_span_of(cli_count(total->count)));
    if (table->columns == 5)
        table_add(table, loupe_span_of(unreachable ? cli_count(unreachable) : ""));
    table_add(table, loupe_span_of(cli_count(total->bytes)));
    table_add(table, loupe_span_of(cli_count(total->retained)));
}

static int print_text(const struct heap_query *query, const struct sums *sums,
                      const struct row *rows, uint32_t count, uint32_t shown) {
    bool *has_namesake = calloc((size_t)query->snapshot->class_count + 1, sizeof(*has_namesake));
    if (!has_namesake || !find_namesakes(rows, count, has_namesake)) {
        free(has_namesake);
        return heap_ended(query);
    }
    const struct loupe_snapshot *snapshot = query->snapshot;
    struct table table;
    begin_table(sums, rows, shown, &table);
    for (uint32_t i = 0; i < shown; i++) {
        add_numbers(sums, &rows[i], &table);
        add_name(&table, snapshot, &rows[i], has_namesake[rows[i].class_number]);
    }
    free(has_namesake);
    struct loupe_span format = loupe_snapshot_string(snapshot, snapshot->format);
    uint32_t classes = snapshot->native ? count_present(sums->totals, snapshot->class_count)
                                        : snapshot->class_count;
    printf("%s: %s %s of %u class%s, %s\n", cli_printable(format),
           cli_count(snapshot->columns.nodes),
           nodes_are_objects(snapshot) ? "objects" : "allocations", classes,
           classes == 1 ? "" : "es", cli_bytes(snapshot->bytes));
    printf("%s references, %s roots, %u thread%s\n",
           cli_count(snapshot->columns.first[snapshot->columns.nodes]),
           cli_count(snapshot->columns.root_count), snapshot->thread_count,
           snapshot->thread_count == 1 ? "" : "s");
    show_heaps(snapshot, sums->heaps);
    putchar('\n');
    bool printed = table_print(&table);
    table_deinit(&table);
    if (!printed)
        return heap_ended(query);
    if (shown < count)
        printf("\n%s more classes (--limit 0 shows all)\n", cli_count(count - shown));
    heap_print_notes(query, table.columns == 5);
    return CLI_OK;
}

static int show(const struct heap_query *query, const struct sums *sums, struct row *rows) {
    uint32_t count = list_rows(query, sums->totals, rows);
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

int heap_verb_heap(struct heap_query *query) {
    uint32_t classes = query->snapshot->class_count;
    struct loupe_class_total none = {0};
    uint64_t key;
    if (!sort_key(query, &none, &key))
        return cli_fail(CLI_NONSENSE, "heap", "--sort takes count, size or retained, not '%s'",
                        cli_printable(loupe_span_of(query->options.sort)));
    struct sums sums = {.totals = calloc((size_t)classes + 1, sizeof(*sums.totals)),
                        .unreachable = calloc((size_t)classes + 1, sizeof(*sums.unreachable)),
                        .heaps = count_heaps(query->snapshot)};
    struct row *rows = calloc((size_t)classes + 1, sizeof(*rows));
    bool counted = sums.totals && sums.unreachable && rows && sums.heaps &&
                   count_classes(query, sums.totals, sums.unreachable) == LOUPE_OK;
    int status = counted ? show(query, &sums, rows) : heap_ended(query);
    free(sums.heaps);
    free(sums.unreachable);
    free(sums.totals);
    free(rows);
    return status;
}
