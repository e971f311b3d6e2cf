/* Parts of the reports about layouts. */
#include "answers/reports/layouts.h"

#include "report/class_words.h"

void answer_say_scalar(struct answer_lines *lines, const struct json_value *value) {
    if (value->kind == JSON_TEXT || value->kind == JSON_NUMBER)
        answer_say_text(lines, value->text);
}

void answer_say_offset(struct answer_lines *lines, const struct json_value *slot) {
    const struct json_value *offset = json_member(slot, "offset");
    answer_say(lines, "%s", offset->kind == JSON_NUMBER ? "+" : "");
    answer_say_scalar(lines, offset);
}

/* "PhotoCell"; "block at PhotoCell.m:42"; nothing where that is not known. */
static void say_what_is_there(struct answer_lines *lines, const struct json_value *slot) {
    const struct json_value *invoke = json_member(slot, "invoke");
    struct loupe_span name = json_text(slot, "class");
    if (answer_file_name(invoke).length) {
        answer_say(lines, " block at ");
        answer_say_place(lines, invoke);
    } else if (loupe_span_contains(name, "Block__")) {
        answer_say(lines, " block");
    } else if (name.length) {
        answer_say(lines, " ");
        answer_say_text(lines, loupe_public_class_name(name));
    }
}

void answer_say_slot_value(struct answer_lines *lines, const struct json_value *slot,
                           bool may_be_object) {
    const struct json_value *shown = json_member(slot, "shown"),
                            *value = json_member(slot, "value");
    if (shown->kind != JSON_NULL) {
        answer_say_scalar(lines, shown);
        return;
    }
    if (value->kind == JSON_NULL)
        return;
    if (may_be_object && loupe_span_equals(value->text, "0x0")) {
        answer_say(lines, "nil");
        return;
    }
    answer_say_scalar(lines, value);
    say_what_is_there(lines, slot);
}

void answer_say_table(struct answer_lines *lines, const struct answer_columns *columns) {
    for (uint32_t row = 0; row < answer_rows(columns); row++) {
        answer_say(lines, "  ");
        if (!row)
            answer_paint_faint(lines);
        answer_say_row(lines, columns, row);
        if (!row)
            answer_paint_end(lines);
        answer_end_line(lines);
    }
}

void answer_say_probe(struct answer_lines *lines, const struct json_value *probe,
                      const struct answer_probe *words) {
    const struct json_value *skipped = json_member(probe, "skipped");
    if (probe->kind != JSON_OBJECT)
        return;
    answer_say(lines, "%s: ", words->name);
    if (skipped->kind != JSON_NULL) {
        answer_say(lines, "not made, ");
        answer_say_text(lines, skipped->text);
    } else {
        answer_say(lines, "%s %u of them%s", words->doing, json_member(probe, words->items)->count,
                   answer_is_set(json_member(probe, "weak_tested"))
                       ? ""
                       : "; weak slots could not be told now");
    }
    answer_end_line(lines);
}

static void say_source(struct answer_lines *lines, const struct json_value *conflict,
                       const char *source, const char *what) {
    answer_say_text(lines, json_text(conflict, source));
    answer_say(lines, " says ");
    answer_say_text(lines, json_text(conflict, what));
}

void answer_say_conflicts(struct answer_lines *lines) {
    JSON_EACH(conflict, json_member(lines->answer->root, "conflicts")) {
        answer_paint_cut(lines);
        answer_say(lines, "Conflict at ");
        answer_say_offset(lines, conflict);
        answer_say(lines, ": ");
        answer_paint_end(lines);
        say_source(lines, conflict, "kept_by", "kept");
        answer_say(lines, ", ");
        say_source(lines, conflict, "discarded_by", "discarded");
        answer_say(lines, "; taken as ");
        answer_say_text(lines, json_text(conflict, "kept"));
        answer_end_line(lines);
    }
}
