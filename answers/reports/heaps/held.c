/* The report of strong-refs: what one object keeps alive, a line each. */
#include "answers/columns.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"

enum { COLUMNS = 3 };

static enum loupe_status gather(struct answer_lines *lines, const struct json_value *edges,
                                struct answer_things *held, struct answer_columns *columns) {
    enum loupe_status status = LOUPE_OK;
    JSON_EACH(edge, edges) {
        if (!status)
            status = answer_add_thing(held, json_text(edge, "to"));
        answer_say_path(lines, edge);
        answer_take_cell(columns, lines);
        answer_say_kind(lines, edge);
        answer_take_cell(columns, lines);
        answer_say(lines, "%s", lines->glyphs->arrow);
        answer_take_cell(columns, lines);
    }
    return status ? status : columns->status;
}

static bool has_known_owner(const struct json_value *edges) {
    JSON_EACH(edge, edges) {
        if (!loupe_span_equals(json_text(edge, "ownership"), "assumed"))
            return true;
    }
    return false;
}

static void say_heading(struct answer_lines *lines, const struct answer_report *report,
                        const struct json_value *edges, uint32_t held) {
    answer_begin_whole(lines, answer_paint_name);
    answer_say_subject(lines, report->asked, answer_asked_object(lines->answer));
    answer_end_whole(lines);
    if (!edges->count) {
        answer_say(lines, " holds nothing strongly");
        answer_end_line(lines);
        return;
    }
    bool is_known = has_known_owner(edges);
    answer_say(lines, " %s ", is_known ? "holds" : "may hold");
    answer_say_count(lines, held, "object");
    answer_say(lines, "%s", is_known ? " strongly" : "");
    if (held != edges->count) {
        answer_say(lines, ", by ");
        answer_say_count(lines, edges->count, "reference");
    }
    answer_end_line(lines);
}

static void say_references(struct answer_lines *lines, const struct json_value *edges,
                           const struct answer_columns *columns) {
    uint32_t row = 0;
    JSON_EACH(edge, edges) {
        struct loupe_span slot = json_text(edge, "slot");
        answer_say(lines, "  ");
        answer_say_row(lines, columns, row++);
        answer_say(lines, " ");
        answer_say_thing_in_full(lines, json_text(edge, "to"));
        if (lines->look.verbose && slot.length) {
            answer_paint_faint(lines);
            answer_say(lines, "  slot ");
            answer_say_text(lines, slot);
            answer_paint_end(lines);
        }
        answer_end_line(lines);
    }
}

static enum loupe_status say_all(struct answer_lines *lines, const struct answer_report *report,
                                 struct answer_things *held, struct answer_things *things) {
    const struct json_value *edges = json_member(lines->answer->root, "edges");
    struct answer_columns columns;
    answer_columns_init(&columns, lines->answer->arena, COLUMNS);
    enum loupe_status status = gather(lines, edges, held, &columns);
    if (status)
        return status;
    say_heading(lines, report, edges, held->count);
    status = answer_say_freed(lines);
    say_references(lines, edges, &columns);
    answer_say_unowned(lines);
    if (!status && edges->count)
        status = answer_add_thing(things, answer_asked_object(lines->answer));
    for (uint32_t i = 0; i < held->count && !status; i++)
        status = answer_add_thing(things, held->items[i]);
    answer_say_allocations(lines, things);
    answer_say_not_followed(lines);
    if (edges->count)
        answer_say_recorder(lines);
    return status;
}

enum loupe_status answer_say_held(struct answer_lines *lines, const struct answer_report *report) {
    struct answer_things held, things;
    answer_things_init(&held, lines->answer);
    answer_things_init(&things, lines->answer);
    enum loupe_status status = say_all(lines, report, &held, &things);
    answer_things_deinit(&held);
    answer_things_deinit(&things);
    return status;
}
