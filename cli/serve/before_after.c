/* Did a fix work: the leaks and the sizes of two heaps. */
#include "shared/buffer.h"
#include "serve/call.h"

#include "base/map.h"
#include "cycles/knots/fingerprint.h"

#include <stdlib.h>
#include <string.h>

enum { BEFORE, AFTER, DIFF, SHOWN_CLASSES = 20 };

/* Equal leaks, or suspects, of both heaps. */
struct kind {
    uint64_t fingerprint;
    const struct json_value *row; /* of the later heap, where it has them */
    uint64_t before, after;       /* how many */
};

struct comparison {
    struct call *call;
    const struct json_value *answers[BEFORE_AFTER_QUESTIONS];
    bool of_java;
    struct kind *kinds;
    uint32_t count;
    struct loupe_map numbers; /* fingerprint -> number in kinds */
    uint32_t gone, remaining, more, none_before;
    bool passes;
};

/* ---- Which leaks there are ---- */

static bool read_fingerprint(struct loupe_span text, uint64_t *ret) {
    char word[LOUPE_FINGERPRINT_TEXT + 2];
    if (text.length + 1 != LOUPE_FINGERPRINT_TEXT)
        return false;
    loupe_format(word, sizeof(word), "0x%.*s", (int)text.length, text.bytes);
    return cli_parse_number(word, UINT64_MAX, ret);
}

static const struct json_value *rows_of(const struct comparison *comparison, unsigned which) {
    return json_member(comparison->answers[which], comparison->of_java ? "suspects" : "leaks");
}

static bool add_row(struct comparison *comparison, const struct json_value *row, bool is_after) {
    uint64_t fingerprint, count = json_uint(row, "count");
    uint32_t number;
    if (!read_fingerprint(json_text(row, "fingerprint"), &fingerprint))
        return true;
    if (!loupe_map_find(&comparison->numbers, fingerprint, &number)) {
        number = comparison->count++;
        comparison->kinds[number] = (struct kind){.fingerprint = fingerprint};
        if (loupe_map_put(&comparison->numbers, fingerprint, number))
            return false;
    }
    struct kind *kind = &comparison->kinds[number];
    if (is_after || !kind->row)
        kind->row = row;
    *(is_after ? &kind->after : &kind->before) += count;
    return true;
}

static bool add_rows(struct comparison *comparison, unsigned which) {
    JSON_EACH(row, rows_of(comparison, which)) {
        if (loupe_span_equals(json_text(row, "kind"), "share"))
            continue; /* it keeps much, and nobody says that it should be gone */
        if (!add_row(comparison, row, which == AFTER))
            return false;
    }
    return true;
}

static bool find_kinds(struct comparison *comparison) {
    uint32_t most = rows_of(comparison, BEFORE)->count + rows_of(comparison, AFTER)->count;
    comparison->kinds =
        loupe_arena_alloc_array(comparison->call->arena, most, sizeof(*comparison->kinds));
    if (!comparison->kinds || !add_rows(comparison, BEFORE) || !add_rows(comparison, AFTER))
        return false;
    for (uint32_t i = 0; i < comparison->count; i++) {
        const struct kind *kind = &comparison->kinds[i];
        comparison->more += kind->after > kind->before;
        comparison->gone += kind->before && !kind->after;
        comparison->remaining += kind->after && kind->after <= kind->before;
        comparison->none_before += !kind->before;
    }
    return true;
}

/* ---- Checks ---- */

static void put_check(struct comparison *comparison, struct loupe_json *json, const char *name,
                      bool passes, const char *reason) {
    comparison->passes = comparison->passes && passes;
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "check", name);
    loupe_json_put_string(json, "result", passes ? "pass" : "fail");
    loupe_json_put_string(json, "reason", reason);
    loupe_json_end_object(json);
}

static bool is_complete(const struct comparison *comparison) {
    bool complete = true;
    /* Cap: all of them. */
    for (unsigned i = 0; i < BEFORE_AFTER_QUESTIONS; i++)
        complete = complete && loupe_span_equals(json_text(comparison->answers[i], "status"), "ok");
    return complete;
}

static void check_complete(struct comparison *comparison, struct loupe_json *json) {
    bool complete = is_complete(comparison);
    put_check(comparison, json, "complete", complete,
              complete ? "both heaps were read in full"
                       : "something of the heaps was not read: what is not seen may leak");
}

static void check_named(struct comparison *comparison, struct loupe_json *json) {
    const char *name = comparison->call->texts[ARGUMENT_FINGERPRINT];
    uint64_t fingerprint;
    uint32_t number;
    char reason[160];
    bool is_known = read_fingerprint(loupe_span_of(name), &fingerprint) &&
                    loupe_map_find(&comparison->numbers, fingerprint, &number) &&
                    comparison->kinds[number].before;
    uint64_t left = is_known ? comparison->kinds[number].after : 0;
    if (!is_known)
        loupe_format(reason, sizeof(reason), "the heap before has no leak of that fingerprint");
    else if (left)
        loupe_format(reason, sizeof(reason), "%llu of %llu are still there",
                     (unsigned long long)left,
                     (unsigned long long)comparison->kinds[number].before);
    else
        loupe_format(reason, sizeof(reason), "all %llu are gone",
                     (unsigned long long)comparison->kinds[number].before);
    put_check(comparison, json, "fixed", is_known && !left, reason);
}

static void check_fixed(struct comparison *comparison, struct loupe_json *json) {
    uint32_t before = comparison->count - comparison->none_before;
    char reason[160];
    if (comparison->call->texts[ARGUMENT_FINGERPRINT]) {
        check_named(comparison, json);
        return;
    }
    if (before)
        loupe_format(reason, sizeof(reason), "%u of %u distinct leaks are gone", comparison->gone,
                     before);
    else
        loupe_format(reason, sizeof(reason), "the heap before has no leaks");
    put_check(comparison, json, "fixed", comparison->gone || !before, reason);
}

static void check_more(struct comparison *comparison, struct loupe_json *json) {
    char reason[160];
    if (comparison->more)
        loupe_format(reason, sizeof(reason), "%u distinct leaks are new, or there are more of them",
                     comparison->more);
    else
        loupe_format(reason, sizeof(reason), "no leak is new, and there are more of none");
    put_check(comparison, json, "no-more-leaks", !comparison->more, reason);
}

static int64_t growth_of(const struct comparison *comparison, const char *what) {
    return (int64_t)json_uint(json_member(comparison->answers[AFTER], "snapshot"), what) -
           (int64_t)json_uint(json_member(comparison->answers[BEFORE], "snapshot"), what);
}

static void check_growth(struct comparison *comparison, struct loupe_json *json) {
    const struct call *call = comparison->call;
    int64_t growth = growth_of(comparison, "bytes");
    char reason[160];
    if (!call->given[ARGUMENT_MAX_GROWTH])
        return;
    bool passes = growth <= (int64_t)call->numbers[ARGUMENT_MAX_GROWTH];
    loupe_format(reason, sizeof(reason), "the heap %s by %llu bytes, of %llu that it may",
                 growth < 0 ? "shrank" : "grew",
                 (unsigned long long)(growth < 0 ? -growth : growth),
                 (unsigned long long)call->numbers[ARGUMENT_MAX_GROWTH]);
    put_check(comparison, json, "growth", passes, reason);
}

/* ---- The answer ---- */

static void put_member(struct loupe_json *json, const char *name, const struct json_value *value) {
    loupe_json_key(json, name);
    if (value->kind == JSON_TEXT)
        loupe_json_span(json, value->text);
    else if (value->kind == JSON_NUMBER)
        loupe_json_value(json, value->text);
    else
        loupe_json_null(json);
}

/* An object with the members of another one that are no lists or objects. */
static void put_members(struct loupe_json *json, const struct json_value *from) {
    loupe_json_begin_object(json);
    JSON_EACH(item, from) {
        if (item->kind == JSON_TEXT || item->kind == JSON_NUMBER) {
            loupe_json_key_span(json, item->key);
            if (item->kind == JSON_TEXT)
                loupe_json_span(json, item->text);
            else
                loupe_json_value(json, item->text);
        }
    }
    loupe_json_end_object(json);
}

static void put_side(const struct comparison *comparison, struct loupe_json *json, const char *name,
                     unsigned which) {
    const struct json_value *answer = comparison->answers[which];
    loupe_json_key(json, name);
    loupe_json_begin_object(json);
    put_member(json, "status", json_member(answer, "status"));
    loupe_json_put_uint(json, "kinds", rows_of(comparison, which)->count);
    put_member(json, "found", json_member(answer, "found"));
    if (!comparison->of_java) {
        loupe_json_key(json, "leaked");
        put_members(json, json_member(answer, "leaked"));
    }
    loupe_json_key(json, "snapshot");
    put_members(json, json_member(answer, "snapshot"));
    loupe_json_end_object(json);
}

static void put_kind(const struct comparison *comparison, struct loupe_json *json,
                     const struct kind *kind) {
    char text[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(kind->fingerprint, text);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "fingerprint", text);
    put_member(json, "class", json_member(kind->row, "class"));
    put_member(json, comparison->of_java ? "reason" : "kind",
               json_member(kind->row, comparison->of_java ? "reason" : "kind"));
    loupe_json_put_uint(json, "before", kind->before);
    loupe_json_put_uint(json, "after", kind->after);
    loupe_json_end_object(json);
}

static bool is_gone(const struct kind *kind) {
    return kind->before && !kind->after;
}

static bool is_remaining(const struct kind *kind) {
    return kind->after && kind->after <= kind->before;
}

static bool is_more(const struct kind *kind) {
    return kind->after > kind->before;
}

static void put_kinds(const struct comparison *comparison, struct loupe_json *json,
                      const char *name, bool (*is_one)(const struct kind *kind)) {
    loupe_json_key(json, name);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < comparison->count; i++) {
        if (is_one(&comparison->kinds[i]))
            put_kind(comparison, json, &comparison->kinds[i]);
    }
    loupe_json_end_array(json);
}

static void put_growth(const struct comparison *comparison, struct loupe_json *json) {
    loupe_json_key(json, "growth");
    loupe_json_begin_object(json);
    loupe_json_key(json, "objects");
    loupe_json_int(json, growth_of(comparison, "objects"));
    loupe_json_key(json, "bytes");
    loupe_json_int(json, growth_of(comparison, "bytes"));
    put_member(json, "changed", json_member(comparison->answers[DIFF], "changed"));
    loupe_json_key(json, "classes");
    loupe_json_begin_array(json);
    JSON_EACH(row, json_member(comparison->answers[DIFF], "classes")) {
        put_members(json, row);
    }
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

static void put_answer(struct comparison *comparison, struct loupe_json *json) {
    comparison->passes = true;
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "loupe", 1);
    loupe_json_put_string(json, "query", "before-after");
    loupe_json_put_string(json, "status", is_complete(comparison) ? "ok" : "incomplete");
    loupe_json_key(json, "reasons");
    loupe_json_begin_array(json);
    check_complete(comparison, json);
    check_fixed(comparison, json);
    check_more(comparison, json);
    check_growth(comparison, json);
    loupe_json_end_array(json);
    loupe_json_put_string(json, "verdict", comparison->passes ? "pass" : "fail");
    put_side(comparison, json, "before", BEFORE);
    put_side(comparison, json, "after", AFTER);
    put_kinds(comparison, json, "gone", is_gone);
    put_kinds(comparison, json, "remaining", is_remaining);
    put_kinds(comparison, json, "more", is_more);
    put_growth(comparison, json);
    loupe_json_end_object(json);
}

static bool has_answer(const struct call_answer *answer) {
    return !loupe_span_equals(json_text(answer->tree, "status"), "error");
}

/* The answer as everybody else's is read: from its text. */
static bool make_answer(struct comparison *comparison, const struct json_value **ret) {
    struct call *call = comparison->call;
    struct cli_buffer buffer = {.bytes = NULL};
    struct loupe_json json;
    struct loupe_error error = {0};
    loupe_json_init(&json, cli_buffer_sink(&buffer));
    put_answer(comparison, &json);
    char *text = loupe_json_finish(&json)
                     ? NULL
                     : loupe_arena_copy_string(call->arena, cli_buffer_text(&buffer));
    bool made =
        text && !json_read((struct loupe_span){text, buffer.length}, call->arena, ret, &error);
    cli_buffer_deinit(&buffer);
    return made;
}

static bool compare(struct comparison *comparison, const struct json_value **ret) {
    loupe_map_init(&comparison->numbers, &heap_chunks);
    bool made = find_kinds(comparison) && make_answer(comparison, ret);
    loupe_map_deinit(&comparison->numbers);
    if (!made)
        loupe_format(comparison->call->problem, sizeof(comparison->call->problem),
                     "out of memory while comparing these heaps");
    return made;
}

bool call_before_after(struct call *call, struct call_asker *asker,
                       struct call_answer parts[BEFORE_AFTER_QUESTIONS],
                       const struct json_value **ret) {
    struct comparison comparison = {.call = call};
    const char *before = call->texts[ARGUMENT_BEFORE], *after = call->texts[ARGUMENT_AFTER];
    struct call_asked diff = {
        .verb = "diff", .file = after, .before = before, .rows = SHOWN_CLASSES};
    if (!call_ask_verb(call, asker, &diff, &parts[DIFF]))
        return false;
    *ret = parts[DIFF].tree;
    if (!has_answer(&parts[DIFF]))
        return true;
    comparison.of_java =
        loupe_span_equals(json_text(json_member(*ret, "snapshot"), "source"), "hprof");
    /* Cap: both heaps. */
    for (unsigned i = BEFORE; i <= AFTER; i++) {
        struct call_asked asked = {.verb = comparison.of_java ? "suspects" : "leaks",
                                   .file = i == BEFORE ? before : after};
        if (!call_ask_verb(call, asker, &asked, &parts[i]))
            return false;
        *ret = parts[i].tree;
        if (!has_answer(&parts[i]))
            return true;
    }
    /* Cap: all of them. */
    for (unsigned i = 0; i < BEFORE_AFTER_QUESTIONS; i++)
        comparison.answers[i] = parts[i].tree;
    return compare(&comparison, ret);
}
