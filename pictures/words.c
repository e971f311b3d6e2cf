/* The sentences and the known mistakes of an answer, as JSON. */
#include "pictures/words.h"

#include "answers/gathered_text.h"
#include "answers/knot_text.h"
#include "pictures/answer.h"
#include "pictures/picture_patterns.h"

static void write_fixes(struct loupe_json *json, const struct answer *answer) {
    char text[ANSWER_LONGEST_FIX];
    loupe_json_key(json, "fixes");
    loupe_json_begin_array(json);
    JSON_EACH(knot, json_member(answer->root, "knots")) {
        loupe_json_begin_array(json);
        JSON_EACH(fix, json_member(knot, "fixes")) {
            size_t length = answer_fix_text(answer, fix, text, sizeof(text));
            loupe_json_span(json, (struct loupe_span){text, length});
        }
        loupe_json_end_array(json);
    }
    loupe_json_end_array(json);
}

static void write_patterns(struct loupe_json *json, const struct picture *picture) {
    loupe_json_key(json, "patterns");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < picture->finding_count; i++) {
        const struct picture_finding *finding = &picture->findings[i];
        if (!finding->pattern)
            continue;
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "fingerprint", finding->fingerprint);
        loupe_json_put_text(json, "verdict", finding->verdict);
        loupe_json_put_text(json, "id", finding->pattern->id);
        loupe_json_put_text(json, "name", finding->pattern->name);
        loupe_json_put_text(json, "why", finding->pattern->why);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

/* ---- Knots as text ---- */

static struct answer_look look_of(const struct json_value *look) {
    return (struct answer_look){.host = ANSWER_IN_DEBUGGER,
                                .unicode = json_is_true(look, "unicode"),
                                .color = json_is_true(look, "color"),
                                .verbose = json_is_true(look, "verbose")};
}

static struct answer_knot_notes notes_of(const struct picture *picture,
                                         const struct json_value *knot) {
    struct loupe_span fingerprint = json_text(knot, "fingerprint"),
                      verdict = json_text(knot, "verdict");
    for (uint32_t i = 0; i < picture->finding_count; i++) {
        const struct picture_finding *finding = &picture->findings[i];
        if (finding->pattern && json_texts_equal(finding->fingerprint, fingerprint) &&
            json_texts_equal(finding->verdict, verdict))
            return (struct answer_knot_notes){.mistake = finding->pattern->name,
                                              .why = finding->pattern->why};
    }
    return (struct answer_knot_notes){.is_lost = false};
}

static enum loupe_status write_knots(struct loupe_json *json, const struct answer *answer,
                                     const struct picture *picture, const struct json_value *look) {
    struct gathered_text text = {.arena = answer->arena};
    struct answer_look looks = look_of(look);
    struct answer_lines lines;
    enum loupe_status status = LOUPE_OK;
    answer_lines_init(&lines, answer, &looks, gathered_text_sink(&text));
    loupe_json_key(json, "knots");
    loupe_json_begin_array(json);
    JSON_EACH(knot, json_member(answer->root, "knots")) {
        struct answer_knot_notes notes = notes_of(picture, knot);
        text.length = 0;
        answer_say_knot_heading(&lines, knot);
        if (!status)
            status = answer_say_knot(&lines, knot, &notes);
        loupe_json_span(json, gathered_text_get(&text));
    }
    loupe_json_end_array(json);
    return status;
}

static enum loupe_status write_best(struct loupe_json *json, const struct answer *answer,
                                    const struct json_value *look) {
    struct gathered_text text = {.arena = answer->arena};
    struct answer_look looks = look_of(look);
    struct answer_lines lines;
    enum loupe_status status = LOUPE_OK;
    answer_lines_init(&lines, answer, &looks, gathered_text_sink(&text));
    loupe_json_key(json, "best");
    loupe_json_begin_array(json);
    JSON_EACH(knot, json_member(answer->root, "knots")) {
        if (!status)
            status = answer_say_best_fix(&lines, knot);
        loupe_json_span(json, visible_text(&lines.line));
        lines.line.length = 0;
    }
    loupe_json_end_array(json);
    answer_say_doubt(&lines, "");
    loupe_json_key(json, "doubt");
    loupe_json_span(json, gathered_text_get(&text));
    return status;
}

/* ---- The whole ---- */

static enum loupe_status find_patterns(const struct json_value *answer, struct loupe_arena *arena,
                                       struct picture *ret, struct loupe_error *err) {
    struct loupe_patterns patterns;
    enum loupe_status status = picture_of_answer(answer, arena, ret, err);
    if (!status)
        status = patterns_read_shipped(arena, &patterns);
    if (!status)
        picture_find_patterns(ret, &patterns);
    return status;
}

enum loupe_status answer_write_words(const struct json_value *answer, struct loupe_arena *arena,
                                     struct loupe_sink sink, struct loupe_error *err) {
    struct picture picture;
    struct answer opened;
    struct loupe_json json;
    const struct json_value *look = json_member(answer, "look");
    enum loupe_status status = find_patterns(answer, arena, &picture, err);
    if (!status)
        status = answer_open(&opened, answer, arena);
    if (status)
        return status;
    loupe_json_init(&json, sink);
    loupe_json_begin_object(&json);
    write_fixes(&json, &opened);
    write_patterns(&json, &picture);
    if (look->kind == JSON_OBJECT)
        status = write_knots(&json, &opened, &picture, look);
    if (!status && look->kind == JSON_OBJECT)
        status = write_best(&json, &opened, look);
    loupe_json_end_object(&json);
    answer_close(&opened);
    return status ? status : loupe_json_finish(&json);
}
