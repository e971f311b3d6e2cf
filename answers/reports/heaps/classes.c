/* The report of heap: a heap by classes, or by what they belong to. */
#include "answers/columns.h"
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"

/* "20 objects, 6 other allocations": what a heap has. */
void answer_say_contents(struct answer_lines *lines) {
    const struct json_value *snapshot = json_member(lines->answer->root, "snapshot");
    uint64_t others = json_uint(snapshot, "raw_blocks");
    answer_say_things(lines, json_uint(snapshot, "objects") + others, others);
}

void answer_say_summary(struct answer_lines *lines) {
    uint64_t unnamed = json_uint(lines->answer->root, "unnamed");
    answer_say(lines, "Counted by class in one pass: references, roots and retained sizes are not "
                      "known");
    answer_end_line(lines);
    if (!unnamed)
        return;
    answer_say_count(lines, unnamed, "object");
    answer_say(lines, " of classes that the dump does not name");
    answer_end_line(lines);
}

static void say_heaps(struct answer_lines *lines, const struct json_value *heaps) {
    JSON_EACH(heap, heaps) {
        struct loupe_span name = json_text(heap, "name");
        answer_say_long_text(lines, name.length ? name : loupe_span_of("in no named heap"));
        answer_say(lines, ": ");
        answer_say_number(lines, json_uint(heap, "count"));
        answer_say(lines, " objects, ");
        answer_say_bytes(lines, json_uint(heap, "size"));
        answer_end_line(lines);
    }
}

static void say_totals(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *snapshot = json_member(root, "snapshot");
    uint64_t classes = json_uint(root, "class_count"), threads = json_uint(root, "thread_count");
    answer_say_text(lines, json_text(root, "format"));
    answer_say(lines, ": ");
    answer_say_contents(lines);
    answer_say(lines, " of ");
    answer_say_plural(lines, classes, "class", "classes");
    answer_say(lines, ", ");
    answer_say_bytes(lines, json_uint(snapshot, "bytes"));
    answer_end_line(lines);
    if (json_is_true(root, "summary")) {
        answer_say_summary(lines);
        answer_end_line(lines);
        return;
    }
    answer_say_count(lines, json_uint(snapshot, "references"), "reference");
    answer_say(lines, ", ");
    answer_say_count(lines, json_uint(snapshot, "roots"), "root");
    if (threads) {
        answer_say(lines, ", ");
        answer_say_count(lines, threads, "thread");
    }
    answer_end_line(lines);
    say_heaps(lines, json_member(root, "heaps"));
    answer_end_line(lines);
}

/* ---- The table ---- */

/* "com.example", "demo.Loader 0x7f01", "(no package)". */
static void say_group(struct answer_lines *lines, const struct json_value *row,
                      struct loupe_span by) {
    struct loupe_span name = json_text(row, "group"), loader = json_text(row, "loader");
    if (!name.length) {
        answer_say(lines, "(no ");
        answer_say_text(lines, by);
        answer_say(lines, ")");
        return;
    }
    answer_say_long_text(lines, name);
    answer_say(lines, "%s", loader.length ? " " : "");
    answer_say_text(lines, loader);
}

/* With its loader where another class of the heap has the same name. */
static void say_class(struct answer_lines *lines, const struct json_value *row) {
    struct loupe_span loader = json_text(row, "loader");
    answer_say_class_of(lines, row);
    if (!json_is_true(row, "namesakes"))
        return;
    answer_say(lines, loader.length ? " (loader " : " (no loader");
    answer_say_long_text(lines, json_text(row, "loader_class"));
    answer_say(lines, "%s", loader.length ? " " : "");
    answer_say_text(lines, loader);
    answer_say(lines, ")");
}

static void begin(struct answer_lines *lines, bool has_unreachable, struct loupe_span by,
                  struct answer_columns *columns) {
    bool has_retained = !json_is_true(lines->answer->root, "summary");
    unsigned numbers = 2u + has_unreachable + has_retained;
    answer_columns_init(columns, lines->answer->arena, numbers + 1);
    columns->numbers = (1u << numbers) - 1;
    answer_take_text(columns, lines, "instances");
    if (has_unreachable)
        answer_take_text(columns, lines, "unreachable");
    answer_take_text(columns, lines, "bytes");
    if (has_retained)
        answer_take_text(columns, lines, "retained");
    answer_say_text(lines, by.length ? by : loupe_span_of("class"));
    answer_take_cell(columns, lines);
}

static void take_number(struct answer_lines *lines, uint64_t number,
                        struct answer_columns *columns) {
    answer_say_number(lines, number);
    answer_take_cell(columns, lines);
}

static enum loupe_status say_rows(struct answer_lines *lines, const struct json_value *rows,
                                  bool has_unreachable, struct loupe_span by) {
    bool has_retained = !json_is_true(lines->answer->root, "summary");
    struct answer_columns columns;
    begin(lines, has_unreachable, by, &columns);
    JSON_EACH(row, rows) {
        uint64_t unreachable = json_uint(row, "unreachable");
        take_number(lines, json_uint(row, "count"), &columns);
        if (has_unreachable && unreachable)
            take_number(lines, unreachable, &columns);
        else if (has_unreachable)
            answer_take_cell(&columns, lines);
        take_number(lines, json_uint(row, "size"), &columns);
        if (has_retained)
            take_number(lines, json_uint(row, "retained"), &columns);
        if (by.length)
            say_group(lines, row, by);
        else
            say_class(lines, row);
        answer_take_cell(&columns, lines);
    }
    if (!columns.status)
        answer_say_rows(lines, &columns);
    return columns.status;
}

enum loupe_status answer_say_classes(struct answer_lines *lines,
                                     const struct answer_report *report) {
    const struct json_value *root = lines->answer->root;
    struct loupe_span by = json_text(root, "by");
    const struct json_value *rows = json_member(root, by.length ? "groups" : "classes");
    bool has_unreachable = false;
    (void)report;
    JSON_EACH(row, rows)
    has_unreachable |= json_uint(row, "unreachable") > 0;
    say_totals(lines);
    enum loupe_status status = say_rows(lines, rows, has_unreachable, by);
    const char *row = by.length ? "more row" : "more class",
               *more = by.length ? "more rows" : "more classes";
    uint64_t found = json_uint(root, "found");
    answer_say_rest(lines, found, rows->count, found == rows->count + 1 ? row : more);
    answer_say_heap_notes(lines, has_unreachable);
    return status;
}
