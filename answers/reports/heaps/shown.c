/* The report of show: what is in an object, what it holds and who refers to it. */
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"
#include "report/class_words.h"

enum { LONGEST_VALUE = 160, MOST_ROOTS = 8, WIDEST_NAME = 32, DEEPEST = 16 };

static void say_indent(struct answer_lines *lines, unsigned depth) {
    answer_say_spaces(lines, (size_t)2 * depth);
}

/* "    3 more (--limit 0 shows all)". */
static void say_more(struct answer_lines *lines, uint64_t count, const char *what) {
    if (!count)
        return;
    answer_say(lines, "    ");
    answer_say_number(lines, count);
    answer_say(lines, " %s (--limit 0 shows all)", what);
    answer_end_line(lines);
}

/* ---- The first lines ---- */

static void say_sizes(struct answer_lines *lines, const struct json_value *object) {
    answer_say(lines, "  ");
    answer_say_bytes(lines, json_uint(object, "size"));
    if (json_is_true(object, "reachable")) {
        answer_say(lines, ", keeps ");
        answer_say_bytes(lines, json_uint(object, "retained"));
        answer_say(lines, " in ");
        answer_say_things(lines, json_uint(object, "retained_objects"),
                          json_uint(object, "retained_others"));
        answer_say(lines, " alive");
    } else {
        answer_say(lines, ", %s", answer_word_of_unreached(lines));
    }
    if (json_member(object, "retain_count")->kind == JSON_NUMBER) {
        answer_say(lines, ", retain count ");
        answer_say_number(lines, json_uint(object, "retain_count"));
    } else if (json_is_true(object, "immortal")) {
        answer_say(lines, ", never freed");
    }
    answer_end_line(lines);
}

static void say_head(struct answer_lines *lines, const struct json_value *object, bool is_whole) {
    const struct json_value *owner = json_member(object, "kept_by");
    answer_say_heap_object(lines, object, is_whole ? ANSWER_WHOLE_VALUE : LONGEST_VALUE);
    answer_end_line(lines);
    say_sizes(lines, object);
    if (owner->kind == JSON_OBJECT) {
        answer_say(lines, "  kept alive by ");
        answer_say_heap_object(lines, owner, ANSWER_WHOLE_VALUE);
        answer_say(lines, " alone");
        answer_end_line(lines);
    }
    answer_say_allocated_by(lines, object, "  ");
}

static void say_roots(struct answer_lines *lines, const struct json_value *roots) {
    uint32_t count = 0;
    JSON_EACH(root, roots) {
        if (count++ >= MOST_ROOTS)
            continue;
        answer_say(lines, "  root: ");
        answer_say_heap_root(lines, root);
        answer_end_line(lines);
    }
    if (count <= MOST_ROOTS)
        return;
    answer_say(lines, "  ");
    answer_say_number(lines, count - MOST_ROOTS);
    answer_say(lines, " more roots");
    answer_end_line(lines);
}

/* ---- Values ---- */

static void say_scalar(struct answer_lines *lines, const struct json_value *value,
                       struct loupe_span type) {
    const char *quote = loupe_span_equals(type, "char") ? "'" : "";
    if (value->kind == JSON_TRUE || value->kind == JSON_FALSE) {
        answer_say(lines, value->kind == JSON_TRUE ? "true" : "false");
        return;
    }
    answer_say(lines, "%s", quote);
    answer_say_long_text(lines, value->text);
    answer_say(lines, "%s", quote);
}

/* VALUE of docs/protocol.md. */
static void say_value(struct answer_lines *lines, const struct json_value *of) {
    if (json_has(of, "object"))
        answer_say_heap_object(lines, json_member(of, "object"), ANSWER_WHOLE_VALUE);
    else
        say_scalar(lines, json_member(of, "value"), json_text(of, "type"));
}

/* ---- Fields ---- */

static size_t widest_name(const struct json_value *fields) {
    size_t widest = 0;
    JSON_EACH(field, fields) {
        size_t width = answer_width(json_text(field, "name"));
        widest = width > widest ? width : widest;
    }
    return widest < WIDEST_NAME ? widest : WIDEST_NAME;
}

static void say_fields(struct answer_lines *lines, const struct json_value *fields, unsigned depth);

/* How a field refers to its object, where it does not own it; where it is declared. */
static void say_notes(struct answer_lines *lines, const struct json_value *field, bool is_outer) {
    struct loupe_span ownership = json_text(field, "ownership");
    if (loupe_span_equals(ownership, "weak"))
        answer_say(lines, " (weak)");
    if (loupe_span_equals(ownership, "unowned"))
        answer_say(lines, " (unretained)");
    if (!is_outer || !answer_file_name(json_member(field, "declared")).length)
        return;
    answer_say(lines, " (");
    answer_say_place(lines, json_member(field, "declared"));
    answer_say(lines, ")");
}

/* The fields of an object that says nothing of itself. */
static void say_below(struct answer_lines *lines, const struct json_value *of, unsigned depth) {
    const struct json_value *fields = json_member(json_member(of, "object"), "fields");
    if (depth < DEEPEST)
        say_fields(lines, fields, depth);
}

static void say_field(struct answer_lines *lines, const struct json_value *field, size_t widest,
                      unsigned depth) {
    struct loupe_span name = json_text(field, "name");
    size_t width = answer_width(name);
    say_indent(lines, depth + 1);
    answer_say_long_text(lines, name);
    answer_say_spaces(lines, width < widest ? widest - width : 0);
    answer_say(lines, " = ");
    if (json_member(field, "known")->kind == JSON_FALSE) {
        answer_say(lines, "(");
        answer_say_text(lines, json_text(field, "type"));
        answer_say(lines, ", not kept in this file)");
    } else {
        say_value(lines, field);
    }
    say_notes(lines, field, depth == 1);
    answer_end_line(lines);
    say_below(lines, field, depth + 2);
}

static void say_fields(struct answer_lines *lines, const struct json_value *fields,
                       unsigned depth) {
    size_t widest = widest_name(fields);
    const struct json_value *before = NULL;
    JSON_EACH(field, fields) {
        struct loupe_span level = json_text(field, "declared_by");
        if (!before || !json_texts_equal(level, json_text(before, "declared_by"))) {
            say_indent(lines, depth);
            answer_say(lines, "%s", json_is_true(field, "static") ? "static fields of " : "");
            answer_say_long_text(lines, level);
            answer_end_line(lines);
        }
        before = field;
        say_field(lines, field, widest, depth);
    }
}

/* ---- Items ---- */

static void say_item(struct answer_lines *lines, const struct json_value *item) {
    struct loupe_span name = json_text(item, "name");
    answer_say(lines, "    ");
    if (json_has(item, "key")) {
        say_value(lines, json_member(item, "key"));
        answer_say(lines, " → ");
    } else if (name.length) {
        answer_say_long_text(lines, name);
        answer_say(lines, " ");
    } else {
        answer_say(lines, "[%llu] ", (unsigned long long)json_uint(item, "index"));
    }
    say_value(lines, item);
    answer_end_line(lines);
    say_below(lines, item, 3);
}

/* "Map of 3 in 16 places". */
static void say_collection(struct answer_lines *lines, const struct json_value *root,
                           struct loupe_span kind) {
    const char *word = loupe_span_equals(kind, "list")  ? "List"
                       : loupe_span_equals(kind, "set") ? "Set"
                       : loupe_span_equals(kind, "map") ? "Map"
                                                        : "Array";
    bool has_count = json_has(root, "collection_count"), has_capacity = json_has(root, "capacity");
    answer_end_line(lines);
    answer_say(lines, "%s of", word);
    if (has_count) {
        answer_say(lines, " ");
        answer_say_number(lines, json_uint(root, "collection_count"));
    }
    if (has_capacity) {
        answer_say(lines, " in ");
        answer_say_number(lines, json_uint(root, "capacity"));
        answer_say(lines, " places");
    }
    answer_say(lines, "%s", has_count || has_capacity ? "" : " objects");
    answer_end_line(lines);
}

static void say_items(struct answer_lines *lines, const struct json_value *root) {
    const struct json_value *items = json_member(root, "items");
    struct loupe_span kind = json_text(root, "collection");
    uint64_t count = json_uint(root, "item_count");
    if (!kind.length)
        return;
    say_collection(lines, root, kind);
    JSON_EACH(item, items)
    say_item(lines, item);
    say_more(lines, count > items->count ? count - items->count : 0, "more");
}

/* ---- References ---- */

static void say_outgoing(struct answer_lines *lines, const struct json_value *root) {
    const struct json_value *outgoing = json_member(root, "outgoing");
    if (!outgoing->count)
        return;
    answer_end_line(lines);
    answer_say(lines, "Other references it has");
    answer_end_line(lines);
    JSON_EACH(edge, outgoing) {
        answer_say(lines, "    ");
        answer_say_heap_link(lines, edge);
        answer_say(lines, " → ");
        answer_say_heap_object(lines, json_member(edge, "object"), ANSWER_WHOLE_VALUE);
        answer_end_line(lines);
    }
    say_more(lines, json_uint(root, "outgoing_left_out"), "more");
}

static void say_referrer(struct answer_lines *lines, const struct json_value *referrer) {
    const struct json_value *edge = json_member(referrer, "example"),
                            *object = json_member(edge, "object");
    struct loupe_span ownership = json_text(edge, "ownership");
    uint64_t count = json_uint(referrer, "count");
    answer_say(lines, "    ");
    answer_say_times(lines, count);
    if (loupe_span_equals(json_text(edge, "kind"), "element")) {
        answer_say_long_text(lines, loupe_public_class_name(json_text(referrer, "class")));
        answer_say(lines, "[*]");
    } else {
        answer_say_heap_link(lines, edge);
    }
    if (!loupe_span_equals(ownership, "strong")) {
        answer_say(lines, " (");
        answer_say_text(lines, ownership);
        answer_say(lines, ")");
    }
    answer_say(lines, count == 1 ? ", of " : ", the first of ");
    if (object->kind == JSON_OBJECT)
        answer_say_heap_object(lines, object, ANSWER_WHOLE_VALUE);
    else
        answer_say_text(lines, json_text(edge, "from"));
    answer_end_line(lines);
}

static void say_incoming(struct answer_lines *lines, const struct json_value *root) {
    uint64_t count = json_uint(root, "incoming_count");
    answer_end_line(lines);
    answer_say(lines, "Referred to by ");
    if (count)
        answer_say_count(lines, count, "reference");
    else
        answer_say(lines, "nothing");
    answer_end_line(lines);
    JSON_EACH(referrer, json_member(root, "incoming"))
    say_referrer(lines, referrer);
    say_more(lines, json_uint(root, "incoming_left_out"), "more kinds of references");
}

/* ---- All of it ---- */

enum loupe_status answer_say_shown(struct answer_lines *lines, const struct answer_report *report) {
    const struct json_value *root = lines->answer->root, *object = json_member(root, "object"),
                            *fields = json_member(root, "fields");
    say_head(lines, object, report->is_whole);
    say_roots(lines, json_member(root, "roots"));
    if (fields->count) {
        answer_end_line(lines);
        say_fields(lines, fields, 1);
    }
    say_items(lines, root);
    say_outgoing(lines, root);
    say_incoming(lines, root);
    answer_say_recorder(lines);
    answer_say_heap_notes(lines, !json_is_true(object, "reachable"));
    return LOUPE_OK;
}
