/* The sentences and the known mistakes of an answer, as JSON. */
#include "pictures/words.h"

#include "answers/parts/gathered_text.h"
#include "answers/reports/report.h"
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

static struct answer_knot_notes notes_for(const void *ctx, const struct json_value *knot) {
    return notes_of(ctx, knot);
}

static enum loupe_status write_report(struct loupe_json *json, const struct answer *answer,
                                      const struct picture *picture,
                                      const struct json_value *look) {
    struct gathered_text text = {.arena = answer->arena};
    struct answer_look looks = look_of(look);
    struct answer_report report = {.asked = json_text(answer->root, "asked"),
                                   .width = (uint32_t)json_uint(look, "width"),
                                   .notes = notes_for,
                                   .ctx = picture};
    struct answer_lines lines;
    answer_lines_init(&lines, answer, &looks, gathered_text_sink(&text));
    enum loupe_status status = answer_say_report(&lines, &report);
    loupe_json_key(json, "report");
    loupe_json_span(json, gathered_text_get(&text));
    return status;
}

static bool is_about_knots(const struct json_value *answer) {
    struct loupe_span query = json_text(answer, "query");
    return loupe_span_equals(query, "retain-cycles") || loupe_span_equals(query, "cycles");
}

static void write_headline(struct loupe_json *json, const struct answer *answer) {
    struct answer_look plain = {.host = ANSWER_IN_DEBUGGER, .unicode = true};
    struct gathered_text text = {.arena = answer->arena};
    struct answer_lines lines;
    answer_lines_init(&lines, answer, &plain, gathered_text_sink(&text));
    answer_say_headline(&lines, json_text(answer->root, "asked"));
    answer_end_line(&lines);
    answer_say_filters(&lines);
    loupe_json_put_text(json, "headline", gathered_text_get(&text));
    answer_say_found(&lines);
    loupe_json_put_text(json, "found", visible_text(&lines.line));
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

static enum loupe_status write(struct loupe_json *json, const struct answer *answer,
                               const struct picture *picture) {
    const struct json_value *look = json_member(answer->root, "look");
    enum loupe_status status = LOUPE_OK;
    loupe_json_begin_object(json);
    if (look->kind == JSON_OBJECT) {
        status = write_report(json, answer, picture, look);
    } else {
        write_fixes(json, answer);
        write_patterns(json, picture);
    }
    if (is_about_knots(answer->root))
        write_headline(json, answer);
    loupe_json_end_object(json);
    return status ? status : loupe_json_finish(json);
}

enum loupe_status answer_write_words(const struct json_value *answer, struct loupe_arena *arena,
                                     struct loupe_sink sink, struct loupe_error *err) {
    struct picture picture = {.finding_count = 0};
    struct answer opened;
    struct loupe_json json;
    bool has_pictures = is_about_knots(answer) || json_member(answer, "look")->kind != JSON_OBJECT;
    enum loupe_status status =
        has_pictures ? find_patterns(answer, arena, &picture, err) : LOUPE_OK;
    if (!status)
        status = answer_open(&opened, answer, arena);
    if (status)
        return status;
    loupe_json_init(&json, sink);
    status = write(&json, &opened, &picture);
    answer_close(&opened);
    return status;
}
