#include "amounts.h"
#include "heap_verb.h"
#include "report/report_snapshot.h"
#include "snapshot/difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 20 };

static int64_t delta(const struct loupe_class_difference *row) {
    return (int64_t)row->new_bytes - (int64_t)row->old_bytes;
}

/* What grew most comes first, what shrank last. */
static int compare_rows(const void *a, const void *b) {
    const struct loupe_class_difference *x = a, *y = b;
    if (delta(x) != delta(y))
        return delta(x) < delta(y) ? 1 : -1;
    if (x->added != y->added)
        return x->added < y->added ? 1 : -1;
    size_t length = x->name.length < y->name.length ? x->name.length : y->name.length;
    int order = memcmp(x->name.bytes, y->name.bytes, length);
    return order ? order : (x->name.length > y->name.length) - (x->name.length < y->name.length);
}

static bool has_changed(const struct loupe_class_difference *row) {
    return row->added || row->gone || delta(row);
}

/* Those that changed stand in front, in order. */
static uint32_t keep_changed(struct loupe_difference *difference, const char *pattern) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < difference->count; i++) {
        const struct loupe_class_difference *row = &difference->classes[i];
        if (has_changed(row) && (!pattern || heap_name_matches(row->name, pattern)))
            difference->classes[kept++] = *row;
    }
    qsort(difference->classes, kept, sizeof(*difference->classes), compare_rows);
    return kept;
}

/* ---- Answers ---- */

static void report(const struct heap_query *query, const struct loupe_difference *difference,
                   uint32_t shown, uint32_t changed) {
    struct loupe_json json;
    loupe_json_init(&json, cli_stdout_sink());
    loupe_report_snapshot_begin(&json, "diff", query->snapshot,
                                loupe_snapshot_is_incomplete(query->older));
    loupe_json_put_uint(&json, "changed", changed);
    loupe_json_key(&json, "classes");
    loupe_json_begin_array(&json);
    for (uint32_t i = 0; i < shown; i++) {
        const struct loupe_class_difference *row = &difference->classes[i];
        loupe_json_begin_object(&json);
        loupe_json_put_text(&json, "class", row->name);
        loupe_json_put_uint(&json, "new", row->added);
        loupe_json_put_uint(&json, "gone", row->gone);
        loupe_json_put_uint(&json, "still", row->still);
        loupe_json_key(&json, "size_delta");
        loupe_json_int(&json, delta(row));
        loupe_json_end_object(&json);
    }
    loupe_json_end_array(&json);
    loupe_report_snapshot_end(&json, query->snapshot);
    loupe_json_finish(&json);
    putchar('\n');
}

static const char *signed_bytes(int64_t bytes) {
    static char text[40];
    snprintf(text, sizeof(text), "%s%s", bytes < 0 ? "-" : "+",
             cli_bytes(bytes < 0 ? (uint64_t)-bytes : (uint64_t)bytes));
    return text;
}

static void show_rows(const struct loupe_difference *difference, uint32_t shown) {
    printf("  %14s  %12s  %12s  %12s\n", "size", "new", "gone", "still");
    for (uint32_t i = 0; i < shown; i++) {
        const struct loupe_class_difference *row = &difference->classes[i];
        printf("  %14s  %12s  %12s  %12s  %s\n", signed_bytes(delta(row)), cli_count(row->added),
               cli_count(row->gone), cli_count(row->still), cli_printable(row->name));
    }
}

static void show(const struct heap_query *query, const struct loupe_difference *difference,
                 uint32_t shown, uint32_t changed) {
    const struct loupe_class_difference *total = &difference->total;
    printf("%s: %s objects are new, %s are gone, %s still there\n", signed_bytes(delta(total)),
           cli_count(total->added), cli_count(total->gone), cli_count(total->still));
    if (shown)
        show_rows(difference, shown);
    if (shown < changed)
        printf("  … and %s more classes that changed (--limit 0 shows all)\n",
               cli_count(changed - shown));
    if (total->gone && total->gone >= total->still)
        printf("Most objects have other addresses now: a collector that moves objects makes them "
               "new and gone\nat once. Sizes hold, and the difference of new and gone.\n");
    heap_print_notes(query);
}

static int answer(struct heap_query *query, struct loupe_difference *difference) {
    const struct heap_options *options = &query->options;
    uint32_t changed = keep_changed(difference, options->class_pattern);
    uint64_t limit = options->has_limit ? options->limit : DEFAULT_LIMIT;
    uint32_t shown = limit && limit < changed ? (uint32_t)limit : changed;
    int status = heap_begin_output(query);
    if (status)
        return status;
    if (options->json)
        report(query, difference, shown, changed);
    else
        show(query, difference, shown, changed);
    return CLI_OK;
}

static int run(struct heap_query *query) {
    struct loupe_arena arena;
    struct loupe_difference difference;
    loupe_arena_init(&arena, &heap_chunks);
    int status;
    if (loupe_difference_find(query->older, query->snapshot, &arena, &difference))
        status = heap_fail(query, LOUPE_ENOMEM, "not enough memory for this question");
    else
        status = answer(query, &difference);
    loupe_arena_deinit(&arena);
    return status;
}

const struct heap_verb heap_verb_diff = {
    .name = "diff",
    .operands = "",
    .summary = "what grew between two snapshots, by class",
    .help = "What grew and what shrank between two dumps of one program, by class: objects that "
            "are new, gone and still\n"
            "there, by their addresses. Where a collector moves objects these are new and gone at "
            "once; sizes hold.",
    .options = HEAP_OPTION_LIMIT | HEAP_OPTION_CLASS,
    .files = 2,
    .least_operands = 0,
    .most_operands = 0,
    .run = run,
};
