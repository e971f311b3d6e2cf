/* What to call next, by what an answer found. */
#include "serve/call.h"

#include <string.h>

enum { MOST_ROWS = 2 };

/* ---- One call ---- */

struct next {
    const struct call *call;
    struct loupe_json *json;
    const char *file;
};

static void begin_next(struct next *next, const char *tool, const char *why) {
    loupe_json_begin_object(next->json);
    loupe_json_put_string(next->json, "tool", tool);
    loupe_json_put_string(next->json, "why", why);
    loupe_json_key(next->json, "arguments");
    loupe_json_begin_object(next->json);
}

static void end_next(struct next *next) {
    loupe_json_end_object(next->json);
    loupe_json_end_object(next->json);
}

static void put_given(struct next *next, enum tool_argument argument) {
    const struct call *call = next->call;
    if (!call->given[argument])
        return;
    const struct tool_argument_facts facts = tool_argument(argument);
    loupe_json_key(next->json, facts.name);
    switch (facts.kind) {
    case ARGUMENT_IS_TEXT:
        loupe_json_string(next->json, call->texts[argument]);
        break;
    case ARGUMENT_IS_NUMBER:
        loupe_json_uint(next->json, call->numbers[argument]);
        break;
    case ARGUMENT_IS_FLAG:
        loupe_json_bool(next->json, call->numbers[argument] != 0);
        break;
    }
}

static void begin_on_file(struct next *next, const char *tool, const char *why) {
    begin_next(next, tool, why);
    loupe_json_put_string(next->json, "file", next->file);
    put_given(next, ARGUMENT_PROGRAM);
    put_given(next, ARGUMENT_SYSROOT);
}

static void put_on_file(struct next *next, const char *tool, const char *why) {
    begin_on_file(next, tool, why);
    end_next(next);
}

/* About one thing of the answer, where the answer has it. */
static void put_about(struct next *next, const char *tool, const char *argument,
                      struct loupe_span value, const char *why) {
    if (!value.length)
        return;
    begin_on_file(next, tool, why);
    loupe_json_put_text(next->json, argument, value);
    end_next(next);
}

static void put_page(struct next *next, const char *cursor) {
    begin_next(next, next->call->tool->name, "the next page of this answer");
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (i != ARGUMENT_CURSOR)
            put_given(next, (enum tool_argument)i);
    }
    loupe_json_put_string(next->json, "cursor", cursor);
    end_next(next);
}

/* ---- What each answer leads to ---- */

/* Of the first row, where there is one. */
static struct loupe_span row_text(const struct json_value *row, const char *name) {
    return row ? json_text(row, name) : (struct loupe_span){NULL, 0};
}

static bool is_of_java(const struct json_value *answer) {
    return loupe_span_equals(json_text(json_member(answer, "snapshot"), "source"), "hprof");
}

static void put_what_leaks(struct next *next, const struct json_value *answer) {
    if (is_of_java(answer))
        put_on_file(next, "suspects", "what should be gone in this heap, and what holds it");
    else
        put_on_file(next, "leaks", "what nothing keeps alive in this heap");
}

/* Memory without a class is in rows of its own, in brackets. */
static const struct json_value *first_class(const struct json_value *row) {
    static const char bracket[] = "(";
    while (row && loupe_span_starts_with(json_text(row, "class"), bracket))
        row = row->next;
    return row;
}

static void after_heap(struct next *next, const struct json_value *answer,
                       const struct json_value *row) {
    put_what_leaks(next, answer);
    put_on_file(next, "retained", "which objects keep most alive");
    put_about(next, "find", "class", row_text(first_class(row), "class"),
              "the instances of this class");
}

static void after_opening(struct next *next, const struct json_value *answer,
                          const struct json_value *row) {
    after_heap(next, answer, row);
    put_on_file(next, "heap", "all classes, page by page");
}

static void after_leaks(struct next *next, const struct json_value *answer,
                        const struct json_value *row) {
    if (!row) {
        put_on_file(next, "suspects", "what is held although rules say it should be gone");
        put_on_file(next, "retained", "which objects keep most alive");
    }
    /* Cap: only what to ask next; the rows are all there. */
    for (unsigned i = 0; row && i < MOST_ROWS; i++, row = row->next) {
        bool is_cycle = loupe_span_equals(json_text(row, "kind"), "cycle");
        put_about(next, is_cycle ? "cycles" : "find", is_cycle ? "object" : "class",
                  json_text(row, is_cycle ? "head" : "class"),
                  is_cycle ? "this cycle alone, with what to make weak"
                           : "all instances of the class that leaks");
    }
    (void)answer;
}

static struct loupe_span first_text(const struct json_value *list) {
    const struct json_value *first = list->kind == JSON_ARRAY ? list->first : NULL;
    return first && first->kind == JSON_TEXT ? first->text : (struct loupe_span){NULL, 0};
}

static void after_suspects(struct next *next, const struct json_value *answer,
                           const struct json_value *row) {
    /* Cap: only what to ask next; the rows are all there. */
    for (unsigned i = 0; row && i < MOST_ROWS; i++, row = row->next) {
        struct loupe_span object = first_text(json_member(row, "addresses"));
        if (!object.length)
            object = json_text(json_member(row, "accumulation"), "address");
        put_about(next, "path", "object", object, "the whole path from a root");
        put_about(next, "retained", "object", object, "what is freed with it when that is cut");
    }
    (void)answer;
}

/* Where a ring begins: its first reference. */
static struct loupe_span ring_start(const struct json_value *knot) {
    const struct json_value *rings = json_member(knot, "rings");
    const struct json_value *edges = rings->first ? json_member(rings->first, "edges") : rings;
    return edges->first ? json_text(edges->first, "from") : (struct loupe_span){NULL, 0};
}

static void after_cycles(struct next *next, const struct json_value *answer,
                         const struct json_value *row) {
    struct loupe_span object = row ? ring_start(row) : (struct loupe_span){NULL, 0};
    put_about(next, "path", "object", object, "what else holds the first of these");
    put_about(next, "retained", "object", object, "what is freed with it");
    if (!row)
        put_what_leaks(next, answer);
}

static void after_objects(struct next *next, const struct json_value *answer,
                          const struct json_value *row) {
    struct loupe_span object = row_text(row, "address");
    put_about(next, "path", "object", object, "why this one is alive");
    put_about(next, "retained", "object", object, "what this one keeps alive");
    if (!row)
        put_on_file(next, "heap", "the names of the classes that there are");
    (void)answer;
}

static void after_path(struct next *next, const struct json_value *answer,
                       const struct json_value *row) {
    const struct json_value *last = NULL;
    if (row)
        JSON_EACH(edge, json_member(row, "edges"))
    last = edge;
    if (last) {
        put_about(next, "retained", "object", json_text(last, "from"),
                  "what the holder next to it keeps alive in all");
        put_about(next, "cycles", "object", json_text(last, "to"), "whether it is in a cycle");
    }
    if (!row)
        put_what_leaks(next, answer);
}

static void after_diff(struct next *next, const struct json_value *answer,
                       const struct json_value *row) {
    begin_next(next, "before_after", "a verdict on these two heaps");
    put_given(next, ARGUMENT_BEFORE);
    put_given(next, ARGUMENT_AFTER);
    put_given(next, ARGUMENT_PROGRAM);
    put_given(next, ARGUMENT_SYSROOT);
    end_next(next);
    put_what_leaks(next, answer);
    put_about(next, "find", "class", row_text(first_class(row), "class"),
              "the instances of what grew most, in the later heap");
}

static void after_both(struct next *next, const struct json_value *answer,
                       const struct json_value *row) {
    begin_next(next, "diff", "what grew, by class");
    put_given(next, ARGUMENT_BEFORE);
    put_given(next, ARGUMENT_AFTER);
    put_given(next, ARGUMENT_PROGRAM);
    put_given(next, ARGUMENT_SYSROOT);
    end_next(next);
    put_what_leaks(next, json_member(answer, "after"));
    (void)row;
}

/* Of a verb without more to say about it: what its line in the table names. */
static void put_next_verbs(struct next *next, const char *names) {
    struct tool tool;
    while (*names) {
        size_t length = strcspn(names, " ");
        bool is_there = tool_named((struct loupe_span){names, length}, &tool);
        bool can_be_asked = is_there && !tool.needs_subject && !tool.needs[ARGUMENT_BEFORE] &&
                            !tool.needs[ARGUMENT_CLASS] && !tool.needs[ARGUMENT_SQL] &&
                            !tool.needs[ARGUMENT_OBJECT];
        if (can_be_asked)
            put_on_file(next, tool.name, tool.verb->summary);
        names += length + (names[length] != '\0');
    }
}

static const struct {
    const char *tool;
    /* row: the first of the page, or NULL. */
    void (*put)(struct next *next, const struct json_value *answer, const struct json_value *row);
} after[] = {{"open", after_opening},      {"heap", after_heap},        {"leaks", after_leaks},
             {"suspects", after_suspects}, {"cycles", after_cycles},    {"find", after_objects},
             {"path", after_path},         {"retained", after_objects}, {"diff", after_diff},
             {"before_after", after_both}};

enum { AFTER_COUNT = sizeof(after) / sizeof(after[0]) };

static bool put_known(struct next *next, const struct json_value *answer,
                      const struct json_value *row) {
    for (unsigned i = 0; i < AFTER_COUNT; i++) {
        if (strcmp(after[i].tool, next->call->tool->name) == 0) {
            after[i].put(next, answer, row);
            return true;
        }
    }
    return false;
}

void call_put_next(const struct call *call, struct loupe_json *json,
                   const struct json_value *answer, const char *cursor) {
    const char *later = call->texts[ARGUMENT_AFTER];
    struct next next = {
        .call = call, .json = json, .file = later ? later : call->texts[ARGUMENT_FILE]};
    const struct json_value *row = call->list ? json_member(answer, call->list)->first : NULL;
    for (uint64_t i = 0; row && i < call->first; i++)
        row = row->next;
    loupe_json_key(json, "next");
    loupe_json_begin_array(json);
    if (cursor)
        put_page(&next, cursor);
    bool failed = loupe_span_equals(json_text(answer, "status"), "error");
    if (failed &&
        loupe_span_equals(json_text(json_member(answer, "error"), "code"), "not-an-object"))
        put_on_file(&next, "heap", "the classes, whose instances find has");
    if (!failed && !put_known(&next, answer, row))
        put_next_verbs(&next, call->tool->verb->next);
    loupe_json_end_array(json);
}
