/* The report of ivar-layout: each class of the hierarchy with its ivars, most derived first. */
#include "answers/reports/layouts.h"
#include "types/type_text.h"

enum {
    COLUMN_COUNT = 6,
    VALUE = 5,
    LAYOUT_BYTES = 24,
    LAYOUT_RUNS = 16,
    LONGEST_TYPE = 256,
    LONGEST_PLACE = 512
};

static void say_class(struct answer_lines *lines, const struct json_value *top) {
    const struct json_value *levels = json_member(lines->answer->root, "levels"),
                            *arc = json_member(top, "arc");
    const char *before = "";
    answer_paint_name(lines);
    JSON_EACH(level, levels) {
        answer_say(lines, "%s", before);
        answer_say_text(lines, json_text(level, "class"));
        before = " : ";
    }
    if (!levels->count)
        answer_say_text(lines, json_text(top, "name"));
    answer_paint_end(lines);
    answer_say(lines, ", ");
    answer_say_scalar(lines, json_member(top, "instance_size"));
    answer_say(lines, " bytes, %s",
               arc->kind == JSON_TRUE    ? "ARC"
               : arc->kind == JSON_FALSE ? "manual retain/release"
                                         : "ARC or not: unknown");
    answer_end_line(lines);
}

/* ---- Layout strings: each byte skips words (high half), then takes words (low half) ---- */

static int digit_of(char letter) {
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* The next byte of "01 21 11"; -1: that is no layout, -2: it is at its end. */
static int take_byte(struct loupe_span *text) {
    while (text->length && text->bytes[0] == ' ') {
        text->bytes++;
        text->length--;
    }
    if (!text->length)
        return -2;
    int high = digit_of(text->bytes[0]), low = text->length > 1 ? digit_of(text->bytes[1]) : -1;
    text->bytes += text->length > 1 ? 2 : 1;
    text->length -= text->length > 1 ? 2 : 1;
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

struct runs {
    uint64_t taken, places; /* words, and how many places they are shown as */
    bool is_readable;
};

static uint64_t places_of(uint64_t length) {
    return length > 2 ? 1 : length;
}

static void say_run(struct answer_lines *lines, uint64_t start, uint64_t end,
                    const struct runs *runs, uint64_t *done) {
    bool verbose = lines->look.verbose;
    uint64_t most = verbose ? runs->places : LAYOUT_RUNS;
    uint64_t parts = runs->places > most ? most + 1 : runs->places;
    for (uint64_t place = 0; place < places_of(end - start); place++) {
        if (*done == most)
            return;
        answer_say_joint(lines, (*done)++, parts);
        answer_say(lines, "%llu", (unsigned long long)(start + place));
        if (end - start > 2)
            answer_say(lines, " to %llu", (unsigned long long)(end - 1));
        answer_hand_on(lines);
    }
}

/* Goes through the runs; says them where lines are given. */
static struct runs go_through(struct loupe_span layout, struct answer_lines *lines,
                              const struct runs *known) {
    struct runs runs = {.is_readable = true};
    uint64_t start = 0, end = 0, done = 0;
    for (int byte; (byte = take_byte(&layout)) != -2;) {
        if (byte < 0) {
            runs.is_readable = false;
            return runs;
        }
        uint64_t skipped = (uint64_t)byte >> 4, taken = byte & 15;
        if (skipped) {
            runs.places += places_of(end - start);
            if (lines)
                say_run(lines, start, end, known, &done);
            start = end += skipped;
        }
        end += taken;
        runs.taken += taken;
    }
    runs.places += places_of(end - start);
    if (lines)
        say_run(lines, start, end, known, &done);
    if (lines && done < known->places)
        answer_say(lines, " and %llu more places", (unsigned long long)(known->places - done));
    return runs;
}

/* Of a long layout, as large arrays have, the first bytes. */
static void say_layout_bytes(struct answer_lines *lines, struct loupe_span layout) {
    struct loupe_span rest = layout;
    uint64_t count = 0;
    size_t shown = layout.length;
    for (; take_byte(&rest) != -2; count++)
        shown = count + 1 == LAYOUT_BYTES ? layout.length - rest.length : shown;
    if (lines->look.verbose || count <= LAYOUT_BYTES) {
        visible_add_text(&lines->line, layout, VISIBLE_ROOM / 2);
        return;
    }
    answer_say_text(lines, (struct loupe_span){layout.bytes, shown});
    answer_say(lines, " and %llu more bytes", (unsigned long long)(count - LAYOUT_BYTES));
}

static void say_layout(struct answer_lines *lines, const struct json_value *level,
                       const char *which, const char *member) {
    struct loupe_span layout = json_text(level, member);
    if (!layout.length)
        return;
    struct runs runs = go_through(layout, NULL, NULL);
    answer_say(lines, "  %s layout ", which);
    say_layout_bytes(lines, layout);
    answer_hand_on(lines);
    if (!runs.is_readable)
        answer_say(lines, ": not readable");
    else if (!runs.taken)
        answer_say(lines, ": no words");
    else {
        answer_say(lines, ": word%s ", runs.taken > 1 ? "s" : "");
        go_through(layout, lines, &runs);
    }
    answer_end_line(lines);
}

/* ---- Ivars ---- */

/* "Mail.m:57". */
static void add_declaration(struct answer_lines *lines, struct answer_columns *columns,
                            const struct json_value *ivar) {
    char place[LONGEST_PLACE];
    size_t length = answer_place(json_member(ivar, "declared"), place, sizeof(place));
    answer_say_text(lines, (struct loupe_span){place, length});
    answer_take_cell(columns, lines);
}

/* The column of lines stands before that of values. */
static void add_ivar(struct answer_lines *lines, struct answer_columns *columns,
                     const struct json_value *ivar, const char *indent) {
    struct loupe_span ownership = json_text(ivar, "ownership"), name = json_text(ivar, "path");
    char type[LONGEST_TYPE];
    size_t length = loupe_type_text(json_text(ivar, "type"), type, sizeof(type));
    answer_say(lines, "%s", indent);
    if (json_member(ivar, "offset")->kind == JSON_NUMBER)
        answer_say_offset(lines, ivar);
    else if (answer_is_set(json_member(ivar, "size")))
        answer_say(lines, "+?");
    answer_take_cell(columns, lines);
    answer_say_scalar(lines, json_member(ivar, "size"));
    answer_take_cell(columns, lines);
    answer_say_text(lines, name.length ? name : json_text(ivar, "name"));
    answer_take_cell(columns, lines);
    answer_say_text(lines, (struct loupe_span){type, length});
    answer_take_cell(columns, lines);
    answer_say_text(lines, ownership.length ? ownership : loupe_span_of("unknown"));
    answer_take_cell(columns, lines);
    if (columns->columns > VALUE + 1)
        add_declaration(lines, columns, ivar);
    answer_say_slot_value(lines, ivar, !loupe_span_equals(ownership, "none"));
    answer_take_cell(columns, lines);
}

static bool has_values(const struct answer_columns *columns) {
    for (uint32_t row = 1; row < answer_rows(columns); row++) {
        if (answer_cell(columns, row, columns->columns - 1).length)
            return true;
    }
    return false;
}

static bool has_declarations(const struct json_value *ivars) {
    JSON_EACH(ivar, ivars) {
        if (json_text(json_member(ivar, "declared"), "file").length)
            return true;
    }
    return false;
}

static enum loupe_status say_ivars(struct answer_lines *lines, const struct json_value *ivars) {
    static const char *const headings[COLUMN_COUNT] = {"offset", "size",      "name",
                                                       "type",   "ownership", "value"};
    const char *indent = lines->look.unicode ? "  └ " : "  ` ";
    bool declared = has_declarations(ivars);
    struct answer_columns columns;
    answer_columns_init(&columns, lines->answer->arena, COLUMN_COUNT + declared);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (i == VALUE && declared)
            answer_take_text(&columns, lines, "declared");
        answer_take_text(&columns, lines, headings[i]);
    }
    JSON_EACH(ivar, ivars) {
        add_ivar(lines, &columns, ivar, "");
        JSON_EACH(row, json_member(ivar, "rows"))
        add_ivar(lines, &columns, row, indent);
    }
    if (columns.status)
        return columns.status;
    columns.shown = columns.columns - !has_values(&columns);
    answer_say_table(lines, &columns);
    return LOUPE_OK;
}

static enum loupe_status say_level(struct answer_lines *lines, const struct json_value *level) {
    static const struct answer_probe probe = {
        .name = "  probe", .doing = ".cxx_destruct destroys", .items = "ivars"};
    const struct json_value *ivars = json_member(level, "ivars");
    enum loupe_status status = LOUPE_OK;
    answer_paint_name(lines);
    answer_say_text(lines, json_text(level, "class"));
    answer_paint_end(lines);
    answer_say(lines, ", bytes ");
    answer_say_scalar(lines, json_member(level, "instance_start"));
    answer_say(lines, " to ");
    answer_say_scalar(lines, json_member(level, "instance_size"));
    answer_end_line(lines);
    say_layout(lines, level, "strong", "strong_layout");
    say_layout(lines, level, "weak", "weak_layout");
    if (ivars->count)
        status = say_ivars(lines, ivars);
    else {
        answer_say(lines, "  no ivars");
        answer_end_line(lines);
    }
    if (ivars->count)
        answer_say_probe(lines, json_member(level, "probe"), &probe);
    return status;
}

enum loupe_status answer_say_ivars(struct answer_lines *lines, const struct answer_report *report) {
    const struct json_value *root = lines->answer->root;
    enum loupe_status status;
    (void)report;
    say_class(lines, json_member(root, "class"));
    status = answer_say_freed(lines);
    JSON_EACH(level, json_member(root, "levels")) {
        answer_end_line(lines);
        if (!status)
            status = say_level(lines, level);
    }
    if (json_member(root, "conflicts")->count)
        answer_end_line(lines);
    answer_say_conflicts(lines);
    answer_say_not_followed(lines);
    return status;
}
