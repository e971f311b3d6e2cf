/* The sentences and the known mistakes of an answer, as JSON. */
#include "pictures/words.h"

#include "answers/answer.h"
#include "pictures/answer.h"
#include "pictures/patterns.h"

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

static enum loupe_status find_patterns(const struct json_value *answer, struct loupe_arena *arena,
                                       struct picture *ret, struct loupe_error *err) {
    struct patterns patterns;
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
    enum loupe_status status = find_patterns(answer, arena, &picture, err);
    if (!status)
        status = answer_open(&opened, answer, arena);
    if (status)
        return status;
    loupe_json_init(&json, sink);
    loupe_json_begin_object(&json);
    write_fixes(&json, &opened);
    write_patterns(&json, &picture);
    loupe_json_end_object(&json);
    answer_close(&opened);
    return loupe_json_finish(&json);
}
