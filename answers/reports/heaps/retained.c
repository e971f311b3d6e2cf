/* The report of retained: what would go with an object, and which objects keep the most. */
#include "answers/amounts.h"
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"
#include "answers/texts.h"

enum { AMOUNT_WIDTH = 12, ROUNDED = 1000 /* fewer bytes are said exactly */ };

/* "      1.2 KB            24  " */
static void say_amounts(struct answer_lines *lines, uint64_t bytes, uint64_t count) {
    char text[ANSWER_LONGEST_AMOUNT];
    answer_bytes_text(bytes, text, sizeof(text));
    answer_say_right(lines, text, AMOUNT_WIDTH);
    answer_number_text(count, text, sizeof(text));
    answer_say_right(lines, text, AMOUNT_WIDTH);
    answer_say(lines, "  ");
}

static void say_heading(struct answer_lines *lines, const char *bytes, const char *count) {
    answer_say_right(lines, bytes, AMOUNT_WIDTH);
    answer_say_right(lines, count, AMOUNT_WIDTH);
    answer_end_line(lines);
}

static void say_left(struct answer_lines *lines, uint64_t found, uint64_t shown, const char *one,
                     const char *many) {
    if (found <= shown)
        return;
    answer_say(lines, "  … and ");
    answer_say_plural(lines, found - shown, one, many);
    answer_say(lines, " (--limit 0 shows all)");
    answer_end_line(lines);
}

static void say_row(struct answer_lines *lines, const struct json_value *object) {
    say_amounts(lines, json_uint(object, "retained"), json_uint(object, "retained_objects"));
    answer_say_heap_object(lines, object, ANSWER_SHORT_VALUE);
    answer_end_line(lines);
}

static void say_below(struct answer_lines *lines, const struct json_value *objects) {
    say_heading(lines, "retained", answer_is_native(lines->answer) ? "allocations" : "objects");
    JSON_EACH(object, objects)
    say_row(lines, object);
    say_left(lines, json_uint(lines->answer->root, "found"), objects->count, "smaller", "smaller");
}

static void say_owners(struct answer_lines *lines, uint64_t most) {
    const struct json_value *owners = json_member(lines->answer->root, "dominators");
    uint64_t shown = 0;
    if (!owners->count) {
        answer_say(lines, ANSWER_NO_DOMINATOR);
        answer_end_line(lines);
        return;
    }
    answer_say(lines, "Its dominators, nearest first:");
    answer_end_line(lines);
    JSON_EACH(owner, owners) {
        if (most && shown == most)
            break;
        shown++;
        say_row(lines, owner);
    }
    say_left(lines, owners->count, shown, "more on the way to a root", "more on the way to a root");
}

static void say_classes(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *classes = json_member(root, "classes");
    answer_end_line(lines);
    answer_say(lines, "What it retains, by class:");
    answer_end_line(lines);
    say_heading(lines, "bytes", answer_is_native(lines->answer) ? "count" : "objects");
    JSON_EACH(row, classes) {
        say_amounts(lines, json_uint(row, "size"), json_uint(row, "count"));
        answer_say_class_of(lines, row);
        answer_end_line(lines);
    }
    say_left(lines, json_uint(root, "classes_found"), classes->count, "more class", "more classes");
}

static void say_one(struct answer_lines *lines, const struct json_value *object, uint64_t most) {
    const struct json_value *below = json_member(lines->answer->root, "dominated");
    uint64_t retained = json_uint(object, "retained");
    answer_say_heap_object(lines, object, ANSWER_SHORT_VALUE);
    if (json_member(object, "reachable")->kind == JSON_FALSE) {
        answer_say(lines, " is %s, or held by weak references only",
                   answer_is_native(lines->answer) ? ANSWER_SEE_LEAKS : "garbage");
        answer_end_line(lines);
        return;
    }
    answer_say(lines, " retains ");
    answer_say_bytes(lines, retained);
    if (retained >= ROUNDED)
        answer_say(lines, " (%llu bytes)", (unsigned long long)retained);
    answer_say(lines, " in ");
    answer_say_things(lines, json_uint(object, "retained_objects"),
                      json_uint(object, "retained_others"));
    answer_end_line(lines);
    say_owners(lines, most);
    if (below->count) {
        answer_end_line(lines);
        answer_say(lines, "It directly dominates:");
        answer_end_line(lines);
        say_below(lines, below);
    }
    say_classes(lines);
}

static void say_largest(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root;
    if (json_has(root, "asked_class")) {
        answer_say_count(lines, json_uint(root, "found"), "reachable object");
        answer_say(lines, " of such a class, by what each alone keeps alive:");
    } else {
        uint64_t others = json_uint(root, "reached_others");
        answer_say(lines, "Top-level dominators (");
        answer_say_count(lines, json_uint(root, "reached") - others, "reachable object");
        if (others) {
            answer_say(lines, ", ");
            answer_say_count(lines, others, "other allocation");
        }
        answer_say(lines, "):");
    }
    answer_end_line(lines);
    say_below(lines, json_member(root, "dominators"));
}

enum loupe_status answer_say_retained(struct answer_lines *lines,
                                      const struct answer_report *report) {
    const struct json_value *object = json_member(lines->answer->root, "object");
    if (object->kind == JSON_OBJECT)
        say_one(lines, object, report->most);
    else
        say_largest(lines);
    answer_say_heap_notes(lines, json_member(object, "reachable")->kind == JSON_FALSE);
    return LOUPE_OK;
}
