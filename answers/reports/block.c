/* The report of block-layout: one table in which every byte of the block has its row, and what is
 * known of it as a whole. */
#include "answers/reports/layouts.h"
#include "answers/reports/report.h"

enum { COLUMN_COUNT = 7, NAME = 2, EVIDENCE = 6 };

/* ---- The heading ---- */

static void say_storage(struct answer_lines *lines, struct loupe_span storage) {
    static const char *const words[][2] = {
        {"heap", "on the heap"}, {"stack", "on the stack"}, {"global", "global"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (loupe_span_equals(storage, words[i][0]))
            storage = loupe_span_of(words[i][1]);
    }
    answer_say(lines, " ");
    answer_say_text(lines, storage.length ? storage : loupe_span_of("of unknown storage"));
}

static void say_heading(struct answer_lines *lines, const struct json_value *block) {
    struct loupe_span storage = json_text(block, "storage"),
                      prototype = json_text(block, "prototype");
    answer_paint_name(lines);
    answer_say(lines, "Block ");
    answer_say_text(lines, json_text(block, "address"));
    answer_paint_end(lines);
    say_storage(lines, storage);
    if (json_member(block, "size")->kind == JSON_NUMBER)
        answer_say(lines, ", %llu bytes", (unsigned long long)json_uint(block, "size"));
    if (loupe_span_equals(storage, "heap") &&
        json_member(block, "retain_count")->kind == JSON_NUMBER) {
        answer_say(lines, ", ");
        answer_say_count(lines, json_uint(block, "retain_count"), "reference");
        answer_say(lines, " to it");
    }
    answer_end_line(lines);
    answer_say_freed(lines);
    if (!prototype.length)
        prototype = json_text(block, "signature");
    if (!prototype.length)
        prototype = loupe_span_of("a block");
    answer_say_text(lines, prototype);
    answer_say(lines, " ");
    answer_paint_place(lines);
    answer_say_code(lines, json_member(block, "invoke"));
    answer_paint_end(lines);
    answer_end_line(lines);
}

/* ---- The table ---- */

struct header_row {
    unsigned offset, size;
    const char *name, *type;
    const struct json_value *value;
};

static void add_header_row(struct answer_lines *lines, struct answer_columns *columns,
                           const struct header_row *row) {
    answer_say(lines, "+%u", row->offset);
    answer_take_cell(columns, lines);
    answer_say(lines, "%u", row->size);
    answer_take_cell(columns, lines);
    answer_take_text(columns, lines, row->name);
    answer_take_text(columns, lines, row->type);
    answer_take_text(columns, lines, "");
    answer_say_scalar(lines, row->value);
    answer_take_cell(columns, lines);
    answer_take_text(columns, lines, "");
}

static unsigned word_of(const struct answer *answer) {
    uint64_t size = json_uint(answer->root, "pointer_size");
    return size ? (unsigned)size : 8;
}

static void add_header(struct answer_lines *lines, struct answer_columns *columns,
                       const struct json_value *block) {
    unsigned word = word_of(lines->answer);
    const struct header_row rows[] = {
        {0, word, "isa", "class", json_member(block, "isa")},
        {word, 4, "flags", "int", json_member(block, "flags")},
        {word + 4, 4, "reserved", "int", json_member(block, "reserved")},
        {word + 8, word, "invoke", "code", json_member(json_member(block, "invoke"), "address")},
        {2 * word + 8, word, "descriptor", "data", json_member(block, "descriptor")}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        add_header_row(lines, columns, &rows[i]);
}

/* "0x1f00 PhotoCell"; verbose, what stands in the slot behind what it comes to. */
static void say_value(struct answer_lines *lines, const struct json_value *capture) {
    const struct json_value *value = json_member(capture, "value");
    bool is_data = loupe_span_equals(json_text(capture, "kind"), "data");
    answer_say_slot_value(lines, capture, !is_data);
    if (!lines->look.verbose || json_member(capture, "shown")->kind == JSON_NULL ||
        !answer_is_set(value))
        return;
    answer_say(lines, " (");
    answer_say_scalar(lines, value);
    answer_say(lines, ")");
}

static void add_capture(struct answer_lines *lines, struct answer_columns *columns,
                        const struct json_value *capture, const char *before) {
    struct loupe_span kind = json_text(capture, "kind");
    const char *comma = "";
    answer_say(lines, "%s", before);
    answer_say_offset(lines, capture);
    answer_take_cell(columns, lines);
    answer_say_scalar(lines, json_member(capture, "size"));
    answer_take_cell(columns, lines);
    answer_say_text(lines, json_text(capture, "name"));
    answer_take_cell(columns, lines);
    answer_say_text(lines, json_text(capture, "type"));
    answer_take_cell(columns, lines);
    answer_say_text(lines, kind.length ? kind : loupe_span_of("unknown"));
    answer_take_cell(columns, lines);
    say_value(lines, capture);
    answer_take_cell(columns, lines);
    JSON_EACH(evidence, json_member(capture, "evidence")) {
        answer_say(lines, "%s", comma);
        answer_say_text(lines, evidence->text);
        comma = ", ";
    }
    answer_take_cell(columns, lines);
}

/* What is in the storage of a captured __block variable, by offset. */
static void add_variables(struct answer_lines *lines, struct answer_columns *columns,
                          const struct json_value *capture) {
    const struct json_value *byref = json_member(capture, "byref"),
                            *several = json_member(byref, "variables"),
                            *one = json_member(byref, "variable");
    const char *before = lines->look.unicode ? "  └ " : "  ` ";
    JSON_EACH(variable, several)
    add_capture(lines, columns, variable, before);
    if (!several->count && one->kind == JSON_OBJECT)
        add_capture(lines, columns, one, before);
}

static void fill(struct answer_lines *lines, struct answer_columns *columns) {
    static const char *const headings[COLUMN_COUNT] = {"offset", "size",  "name",    "type",
                                                       "holds",  "value", "evidence"};
    const struct json_value *root = lines->answer->root;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        answer_take_text(columns, lines, headings[i]);
    add_header(lines, columns, json_member(root, "block"));
    JSON_EACH(capture, json_member(root, "captures")) {
        add_capture(lines, columns, capture, "");
        add_variables(lines, columns, capture);
    }
}

static bool is_too_wide(const struct answer_columns *columns, uint32_t width) {
    for (uint32_t row = 0; width && row < answer_rows(columns); row++) {
        if (answer_row_width(columns, row) + 2 > width)
            return true;
    }
    return false;
}

/* ---- Evidence below a table that is too wide for it ---- */

static bool is_first_of_evidence(const struct answer_columns *columns, uint32_t row) {
    struct loupe_span evidence = answer_cell(columns, row, EVIDENCE);
    for (uint32_t before = 1; before < row; before++) {
        if (json_texts_equal(answer_cell(columns, before, EVIDENCE), evidence))
            return false;
    }
    return evidence.length;
}

static struct loupe_span name_of_row(const struct answer_columns *columns, uint32_t row) {
    struct loupe_span name = answer_cell(columns, row, NAME);
    if (name.length)
        return name;
    name = answer_cell(columns, row, 0);
    while (name.length && name.bytes[0] == ' ') {
        name.bytes++;
        name.length--;
    }
    return name;
}

static void say_evidence(struct answer_lines *lines, const struct answer_columns *columns) {
    for (uint32_t row = 1; row < answer_rows(columns); row++) {
        struct loupe_span evidence = answer_cell(columns, row, EVIDENCE);
        uint32_t count = 0, done = 0;
        if (!is_first_of_evidence(columns, row))
            continue;
        for (uint32_t i = row; i < answer_rows(columns); i++)
            count += json_texts_equal(answer_cell(columns, i, EVIDENCE), evidence);
        answer_say(lines, "Known from ");
        answer_say_text(lines, evidence);
        answer_say(lines, ": ");
        for (uint32_t i = row; i < answer_rows(columns); i++) {
            if (!json_texts_equal(answer_cell(columns, i, EVIDENCE), evidence))
                continue;
            answer_say_joint(lines, done++, count);
            answer_say_text(lines, name_of_row(columns, i));
            answer_hand_on(lines);
        }
        answer_end_line(lines);
    }
}

/* ---- Whether every byte is described ---- */

/* The nearest byte from there on that a capture begins with; size where there is none. */
static uint64_t next_start(const struct json_value *captures, uint64_t from, uint64_t size) {
    uint64_t start = size;
    JSON_EACH(capture, captures) {
        uint64_t offset = json_uint(capture, "offset");
        if (offset >= from && offset < start)
            start = offset;
    }
    return start;
}

/* Where what begins at or before there ends. */
static uint64_t end_from(const struct json_value *captures, uint64_t from) {
    uint64_t end = from;
    JSON_EACH(capture, captures) {
        uint64_t offset = json_uint(capture, "offset"), size = json_uint(capture, "size");
        if (offset <= from && size <= UINT64_MAX - offset && offset + size > end)
            end = offset + size;
    }
    return end;
}

/* The next bytes without a row at or behind *from; false: there are none. */
static bool next_gap(const struct json_value *captures, uint64_t size, uint64_t *from,
                     uint64_t *end_ret) {
    uint64_t end;
    while (*from < size && (end = end_from(captures, *from)) > *from)
        *from = end;
    if (*from >= size)
        return false;
    *end_ret = next_start(captures, *from, size);
    return true;
}

static void say_accounting(struct answer_lines *lines, const struct json_value *block) {
    enum { MOST_GAPS = 16 };
    const struct json_value *captures = json_member(lines->answer->root, "captures");
    uint64_t size = json_uint(block, "size"), from = 3 * (uint64_t)word_of(lines->answer) + 8;
    uint64_t starts[MOST_GAPS], ends[MOST_GAPS];
    uint32_t count = 0;
    if (json_member(block, "size")->kind != JSON_NUMBER)
        return;
    /* Cap: a line says that there is more. */
    for (uint64_t end; count < MOST_GAPS && next_gap(captures, size, &from, &end); from = end) {
        starts[count] = from;
        ends[count++] = end;
    }
    answer_begin_whole(lines, count ? answer_paint_cut : answer_paint_faint);
    if (!count)
        answer_say(lines, "  %llu bytes, all described", (unsigned long long)size);
    else
        answer_say(lines, "  Not described: bytes ");
    for (uint32_t i = 0; i < count; i++) {
        answer_say_joint(lines, i, count);
        answer_say(lines, "+%llu to +%llu", (unsigned long long)starts[i],
                   (unsigned long long)ends[i]);
    }
    answer_say(lines, "%s", count == MOST_GAPS ? " and more" : "");
    answer_end_whole(lines);
    answer_end_line(lines);
}

/* ---- Below ---- */

static void say_flags(struct answer_lines *lines, const struct json_value *block) {
    const struct json_value *names = json_member(block, "flag_names");
    if (!names->count)
        return;
    answer_say(lines, "Flags:");
    JSON_EACH(name, names) {
        answer_say(lines, " ");
        answer_say_text(lines, name->text);
    }
    answer_end_line(lines);
}

static void say_layout(struct answer_lines *lines) {
    const struct json_value *layout = json_member(lines->answer->root, "layout"),
                            *ops = json_member(layout, "ops");
    struct loupe_span encoding = json_text(layout, "encoding");
    const char *comma = "";
    if (!encoding.length) {
        answer_say(lines, "Layout: the block carries none");
        answer_end_line(lines);
        return;
    }
    answer_say(lines, "Layout ");
    answer_say_text(lines, encoding);
    answer_say(lines, ": %s", ops->count ? "" : "no objects");
    JSON_EACH(op, ops) {
        answer_say(lines, "%s%llu ", comma, (unsigned long long)json_uint(op, "count"));
        answer_say_text(lines, json_text(op, "op"));
        answer_hand_on(lines);
        comma = ", ";
    }
    answer_end_line(lines);
}

/* Names of descriptors have a byte 1 in place of @, which may have been escaped already. */
static void say_symbol_name(struct answer_lines *lines, struct loupe_span name) {
    static const char escaped[] = "\\x01";
    size_t start = 0, skipped;
    for (size_t i = 0; i < name.length; i += skipped ? skipped : 1) {
        struct loupe_span rest = {name.bytes + i, name.length - i};
        skipped = rest.bytes[0] == 1                      ? 1
                  : loupe_span_starts_with(rest, escaped) ? sizeof(escaped) - 1
                                                          : 0;
        if (!skipped)
            continue;
        answer_say_text(lines, (struct loupe_span){name.bytes + start, i - start});
        answer_say(lines, "@");
        start = i + skipped;
    }
    answer_say_text(lines, (struct loupe_span){name.bytes + start, name.length - start});
}

/* The symbols behind the evidence. */
static void say_symbols(struct answer_lines *lines, const struct json_value *block) {
    const struct json_value *symbol = json_member(lines->answer->root, "symbol");
    struct loupe_span invoke = json_text(json_member(block, "invoke"), "symbol");
    if (json_text(symbol, "name").length) {
        answer_say(lines, "Symbol: ");
        say_symbol_name(lines, json_text(symbol, "name"));
        answer_say(lines, "%s",
                   json_has(symbol, "used") && !json_is_true(symbol, "used")
                       ? ", which could not be used"
                       : "");
        answer_end_line(lines);
    }
    if (lines->look.verbose && invoke.length) {
        answer_say(lines, "Invoke: ");
        answer_say_text(lines, invoke);
        answer_end_line(lines);
    }
}

static void say_ownership(struct answer_lines *lines, const struct json_value *block) {
    bool on_stack = loupe_span_equals(json_text(block, "storage"), "stack");
    if (json_member(block, "owns_captures")->kind != JSON_FALSE)
        return;
    answer_say(lines, "%s",
               on_stack ? "It is on the stack: the function that made it owns what it captured"
                        : "It owns none of them: it has no copy and dispose helpers of its own");
    answer_end_line(lines);
}

/* ---- The whole ---- */

enum loupe_status answer_say_block(struct answer_lines *lines, const struct answer_report *report) {
    static const struct answer_probe probe = {
        .name = "Dispose probe", .doing = "its helper releases", .items = "captures"};
    const struct json_value *root = lines->answer->root, *block = json_member(root, "block");
    struct answer_columns columns;
    answer_columns_init(&columns, lines->answer->arena, COLUMN_COUNT);
    fill(lines, &columns);
    if (columns.status)
        return columns.status;
    bool too_wide = is_too_wide(&columns, report->width);
    columns.shown = too_wide ? EVIDENCE : COLUMN_COUNT;
    say_heading(lines, block);
    answer_end_line(lines);
    answer_say_table(lines, &columns);
    say_accounting(lines, block);
    if (too_wide)
        say_evidence(lines, &columns);
    say_flags(lines, block);
    say_layout(lines);
    say_symbols(lines, block);
    say_ownership(lines, block);
    answer_say_probe(lines, json_member(root, "probe"), &probe);
    answer_say_conflicts(lines);
    answer_say_unnamed(lines);
    answer_say_not_followed(lines);
    return LOUPE_OK;
}
