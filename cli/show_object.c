/* Answers about one object of a target, in words. */
#include "show_object.h"

#include "answers/answer.h"
#include "answers/json_tree.h"
#include "answers/lines.h"
#include "look.h"
#include "table.h"

#include <stdio.h>

enum { SHOWN_HOLDERS = 30, SHOWN_STEPS = 12 };

struct shown {
    struct answer answer;
    struct answer_lines lines;
    const struct json_value *root;
};

static bool is_text(const struct json_value *value, const char *name, const char *text) {
    return loupe_span_equals(json_text(value, name), text);
}

static void say_member(struct answer_lines *lines, const struct json_value *value, const char *name,
                       const char *before) {
    if (json_text(value, name).length)
        answer_say(lines, "%s", before);
    answer_say_text(lines, json_text(value, name));
}

/* ---- References ---- */

static void say_reference(struct answer_lines *lines, const struct json_value *edge) {
    answer_say(lines, "  ");
    answer_say_path(lines, edge);
    answer_say(lines, "  ");
    answer_say_kind(lines, edge);
}

static void show_held(struct shown *shown) {
    struct answer_lines *lines = &shown->lines;
    const struct json_value *edges = json_member(shown->root, "edges");
    answer_say_thing_in_full(lines, json_text(shown->root, "object"));
    answer_say(lines, " holds ");
    answer_say_count(lines, edges->count, "object");
    answer_say(lines, " strongly");
    answer_end_line(lines);
    JSON_EACH(edge, edges) {
        say_reference(lines, edge);
        answer_say(lines, "  %s ", lines->glyphs->arrow);
        answer_say_thing_in_full(lines, json_text(edge, "to"));
        answer_end_line(lines);
    }
    JSON_EACH(edge, json_member(shown->root, "nonowning")) {
        say_reference(lines, edge);
        say_member(lines, edge, "reason", ", ");
        answer_say(lines, "  %s ", lines->glyphs->arrow);
        answer_say_thing_in_full(lines, json_text(edge, "to"));
        answer_end_line(lines);
    }
}

/* "from shared (static in AppDelegate.m)", or where the word stands. */
static void say_root(struct answer_lines *lines, const struct json_value *root) {
    if (!json_text(root, "name").length) {
        say_member(lines, root, json_text(root, "where").length ? "where" : "kind", "");
        say_member(lines, root, "slot", " ");
        return;
    }
    say_member(lines, root, "name", "");
    say_member(lines, root, "where", " (");
    answer_say(lines, "%s", json_text(root, "where").length ? ")" : "");
}

static void show_way(struct answer_lines *lines, const struct json_value *holder) {
    const struct json_value *root = json_member(holder, "root");
    uint32_t steps = 0;
    if (root->kind != JSON_OBJECT)
        return;
    answer_say(lines, "    from ");
    say_root(lines, root);
    answer_say(lines, " %s ", lines->glyphs->arrow);
    answer_say_thing_in_full(lines, json_text(root, "to"));
    answer_end_line(lines);
    JSON_EACH(step, json_member(holder, "way")) {
        if (steps++ == SHOWN_STEPS) {
            answer_say(lines, "      ... and more steps");
            answer_end_line(lines);
            return;
        }
        answer_say(lines, "      ");
        answer_say_path(lines, step);
        answer_say(lines, " %s ", lines->glyphs->arrow);
        answer_say_thing_in_full(lines, json_text(step, "to"));
        answer_end_line(lines);
    }
}

static void show_holders(struct answer_lines *lines, const struct json_value *holders) {
    uint32_t done = 0;
    JSON_EACH(holder, holders) {
        const struct json_value *edge = json_member(holder, "edge");
        if (done++ == SHOWN_HOLDERS) {
            answer_say(lines, "  and more (--json has all)");
            answer_end_line(lines);
            return;
        }
        say_reference(lines, edge);
        answer_say(lines, "  of ");
        answer_say_thing_in_full(lines, json_text(edge, "from"));
        answer_end_line(lines);
        show_way(lines, holder);
    }
}

/* "is leaked, a release is missing: 1 of its 3 retains has no owner", as LLDB's commands have it.
 */
static void say_verdict(struct answer_lines *lines, const struct json_value *verdict) {
    struct loupe_span reason = json_text(verdict, "reason");
    if (!json_text(verdict, "kind").length)
        return;
    answer_say(lines, "%s", is_text(verdict, "kind", "unknown") ? ", " : " is ");
    answer_say_text(lines, json_text(verdict, "kind"));
    if (!reason.length)
        return;
    answer_say(lines, "%s",
               loupe_span_contains(reason, " missing: ")  ? ", "
               : loupe_span_starts_with(reason, "until ") ? " "
                                                          : ": ");
    answer_say_text(lines, reason);
}

/* "Held by 2 references; 1 pointer in non-object memory may too". */
static void say_how_many(struct answer_lines *lines, uint64_t holders, uint64_t pointers) {
    if (holders) {
        answer_say(lines, "Held by ");
        answer_say_count(lines, holders, "reference");
    } else {
        answer_say(lines, "No object holds it");
    }
    if (pointers) {
        answer_say(lines, "; ");
        answer_say_count(lines, pointers, "pointer");
        answer_say(lines, " in non-object memory may%s", holders ? " too" : "");
    }
    answer_end_line(lines);
}

static void say_remaining(struct answer_lines *lines, uint64_t holders) {
    answer_say(lines, " was freed, and ");
    if (holders)
        answer_say_count(lines, holders, "reference");
    else
        answer_say(lines, "no reference");
    answer_say(lines, " to it remain%s", holders > 1 ? "" : "s");
    answer_end_line(lines);
}

/* What it comes to first: it is what was asked for. */
static void show_incoming(struct shown *shown) {
    struct answer_lines *lines = &shown->lines;
    uint64_t holders = json_uint(shown->root, "holders_found");
    const struct json_value *object =
        answer_object(&shown->answer, json_text(shown->root, "object"));
    answer_say_thing_in_full(lines, json_text(shown->root, "object"));
    if (json_is_true(json_member(object, "freed"), "certain")) {
        say_remaining(lines, holders);
    } else {
        say_verdict(lines, json_member(shown->root, "verdict"));
        answer_end_line(lines);
        say_how_many(lines, holders, json_uint(shown->root, "memory_found"));
    }
    show_holders(lines, json_member(shown->root, "holders"));
    show_holders(lines, json_member(shown->root, "memory"));
    JSON_EACH(root, json_member(shown->root, "roots")) {
        answer_say(lines, "  ");
        say_root(lines, root);
        answer_end_line(lines);
    }
}

/* ---- Layouts ---- */

static void add_number(struct table *table, const struct json_value *value, const char *name) {
    const struct json_value *number = json_member(value, name);
    table_add(table, number->kind == JSON_NUMBER ? number->text : loupe_span_of(""));
}

static void add_texts(struct table *table, const struct json_value *list) {
    char text[128] = "";
    size_t length = 0;
    JSON_EACH(item, list)
    length += loupe_format(text + length, sizeof(text) - length, "%s%.*s", length ? ", " : "",
                           (int)item->text.length, item->text.bytes);
    table_add(table, loupe_span_of(text));
}

static bool show_ivars(const struct json_value *level) {
    static const char *const headings[] = {"offset", "size", "name", "type", "ownership", "value"};
    struct table table;
    table_init(&table, sizeof(headings) / sizeof(*headings), headings);
    JSON_EACH(ivar, json_member(level, "ivars")) {
        add_number(&table, ivar, "offset");
        add_number(&table, ivar, "size");
        table_add(&table, json_text(ivar, "name"));
        table_add(&table, json_text(ivar, "type"));
        table_add(&table, json_text(ivar, "ownership"));
        table_add(&table, json_text(ivar, json_text(ivar, "shown").length ? "shown" : "value"));
    }
    bool good = table_print(&table);
    table_deinit(&table);
    return good;
}

static bool show_levels(struct shown *shown) {
    struct answer_lines *lines = &shown->lines;
    const struct json_value *cls = json_member(shown->root, "class");
    bool good = true;
    say_member(lines, cls, "name", "");
    say_member(lines, cls, "superclass", " : ");
    answer_say(lines, ", %llu bytes", (unsigned long long)json_uint(cls, "instance_size"));
    answer_say(lines, "%s", json_is_true(cls, "arc") ? ", ARC" : "");
    answer_end_line(lines);
    JSON_EACH(level, json_member(shown->root, "levels")) {
        answer_end_line(lines);
        say_member(lines, level, "class", "");
        answer_say(lines, ", bytes %llu to %llu",
                   (unsigned long long)json_uint(level, "instance_start"),
                   (unsigned long long)json_uint(level, "instance_size"));
        answer_end_line(lines);
        good = good && show_ivars(level);
    }
    return good;
}

static bool show_captures(const struct json_value *captures) {
    static const char *const headings[] = {"offset", "size",  "name",  "type",
                                           "holds",  "value", "class", "evidence"};
    struct table table;
    table_init(&table, sizeof(headings) / sizeof(*headings), headings);
    JSON_EACH(capture, captures) {
        add_number(&table, capture, "offset");
        add_number(&table, capture, "size");
        table_add(&table, json_text(capture, "name"));
        table_add(&table, json_text(capture, "type"));
        table_add(&table, json_text(capture, "kind"));
        table_add(&table, json_text(capture, "value"));
        table_add(&table, json_text(capture, "class"));
        add_texts(&table, json_member(capture, "evidence"));
    }
    bool good = table_print(&table);
    table_deinit(&table);
    return good;
}

static bool show_block(struct shown *shown) {
    struct answer_lines *lines = &shown->lines;
    const struct json_value *block = json_member(shown->root, "block");
    answer_say(lines, "Block ");
    say_member(lines, block, "address", "");
    say_member(lines, block, "storage", ", ");
    answer_say(lines, ", %llu bytes", (unsigned long long)json_uint(block, "size"));
    answer_end_line(lines);
    answer_say(lines, "runs ");
    say_member(lines, json_member(block, "invoke"), "address", "");
    say_member(lines, json_member(block, "invoke"), "symbol", " ");
    say_member(lines, block, "signature", ", signature ");
    answer_end_line(lines);
    bool good = show_captures(json_member(shown->root, "captures"));
    say_member(lines, json_member(shown->root, "layout"), "encoding", "Layout ");
    answer_end_line(lines);
    say_member(lines, json_member(shown->root, "symbol"), "name", "Symbol: ");
    answer_end_line(lines);
    return good;
}

/* ---- The answer ---- */

static void show_not_followed(struct shown *shown) {
    struct answer_lines *lines = &shown->lines;
    bool incomplete = is_text(shown->root, "status", "incomplete");
    JSON_EACH(finding, json_member(shown->root, "not_followed")) {
        answer_say(lines, "%s: ", incomplete ? "incomplete" : "note");
        answer_say_number(lines, json_uint(finding, "count"));
        say_member(lines, finding, "reason", " x ");
        say_member(lines, finding, "example", ", the first is ");
        answer_end_line(lines);
    }
}

static bool show(struct shown *shown) {
    bool good = true;
    if (is_text(shown->root, "query", "ivar-layout"))
        good = show_levels(shown);
    else if (is_text(shown->root, "query", "block-layout"))
        good = show_block(shown);
    else if (is_text(shown->root, "query", "incoming-refs"))
        show_incoming(shown);
    else
        show_held(shown);
    show_not_followed(shown);
    return good && !shown->lines.status;
}

static int show_read(const struct heap_query *query, struct shown *shown,
                     struct loupe_arena *arena) {
    struct answer_look look = look_of_tool();
    struct loupe_span message = json_text(json_member(shown->root, "error"), "message");
    if (is_text(shown->root, "status", "error"))
        return heap_fail(query, LOUPE_ENOTOBJECT, "%s", cli_printable(message));
    if (answer_open(&shown->answer, shown->root, arena))
        return heap_fail(query, LOUPE_ENOMEM, "out of memory");
    answer_lines_init(&shown->lines, &shown->answer, &look, cli_stdout_sink());
    int status = show(shown) ? CLI_OK : CLI_FAILURE;
    answer_close(&shown->answer);
    return status;
}

int show_object_answer(const struct heap_query *query, struct loupe_span answer) {
    struct loupe_arena arena;
    struct loupe_error error = {0};
    struct shown shown = {.root = NULL};
    loupe_arena_init(&arena, &cli_chunks);
    int status =
        json_read(answer, &arena, &shown.root, &error)
            ? heap_fail(query, LOUPE_ENOMEM, "the answer cannot be read: %s", error.message)
            : show_read(query, &shown, &arena);
    loupe_arena_deinit(&arena);
    return status;
}
