#include "words.h"

#include "base/fnv.h"
#include "shared/chunks.h"
#include "code_name.h"
#include "cycles/knots/fingerprint.h"

#include <string.h>

/* ---- Reading ---- */

/* An answer that nobody gave says nothing. */
static bool open_line(const struct watch_text *line, struct loupe_arena *arena,
                      struct answer *ret) {
    static const struct json_value nothing = {.kind = JSON_NULL};
    struct loupe_error err = {0};
    const struct json_value *root = &nothing;
    struct loupe_span text = {watch_text_get(line), line->length};
    bool is_read = !line->length || json_read(text, arena, &root, &err) == LOUPE_OK;
    bool is_open = is_read && answer_open(ret, root, arena) == LOUPE_OK;
    if (!is_open)
        *ret = (struct answer){.root = &nothing, .arena = arena};
    ret->code = watch_block_code;
    ret->variable = watch_data_name;
    return is_open;
}

void watch_read_answers(const struct watch_answers *answers, struct watch_reading *ret) {
    *ret = (struct watch_reading){.problem = answers->problem};
    loupe_arena_init(&ret->arena, &watch_chunks);
    bool is_whole = open_line(&answers->cycles, &ret->arena, &ret->cycles);
    ret->has_incoming =
        open_line(&answers->incoming, &ret->arena, &ret->incoming) && answers->incoming.length;
    if (!is_whole && !ret->problem)
        ret->problem = "the answer cannot be read: ask in lldb";
}

void watch_reading_end(struct watch_reading *reading) {
    answer_close(&reading->cycles);
    answer_close(&reading->incoming);
    loupe_arena_deinit(&reading->arena);
}

/* ---- Words ---- */

static enum loupe_status append(void *context, const char *bytes, size_t length) {
    struct watch_text *text = context;
    watch_text_add_bytes(text, bytes, length);
    return text->is_cut ? LOUPE_ENOMEM : LOUPE_OK;
}

void watch_words(const struct watch_reading *reading, const struct answer_watched *watched,
                 bool is_unicode, struct watch_text *out) {
    struct answer_look look = {.host = ANSWER_IN_PROGRAM, .unicode = is_unicode};
    struct answer_lines lines;
    answer_lines_init(&lines, &reading->cycles, &look, (struct loupe_sink){append, out});
    if (answer_say_watched(&lines, reading->has_incoming ? &reading->incoming : NULL, watched))
        watch_text_add(out, "  incomplete: out of memory\n");
}

void watch_end_words(const struct answer_watched *watched, bool is_late, uint64_t milliseconds,
                     struct watch_text *out) {
    static const struct answer nothing;
    struct answer_look look = {.host = ANSWER_IN_PROGRAM};
    struct answer_lines lines;
    answer_lines_init(&lines, &nothing, &look, (struct loupe_sink){append, out});
    if (is_late)
        answer_say_late(&lines, watched, milliseconds);
    else
        answer_say_used_again(&lines, watched);
}

const char *watch_class_of_answer(const struct watch_reading *reading, char *dst, size_t cap) {
    struct answer_look look = {.host = ANSWER_IN_PROGRAM};
    struct answer_lines lines;
    struct loupe_span seed = json_text(reading->cycles.root, "seed");
    const struct json_value *object = answer_object(&reading->cycles, seed);
    struct loupe_span name = answer_class(&reading->cycles, seed);
    if (loupe_span_equals(json_text(object, "kind"), "block"))
        name = loupe_span_of("block");
    answer_lines_init(&lines, &reading->cycles, &look, (struct loupe_sink){NULL, NULL});
    answer_say_text(&lines, name.length ? name : loupe_span_of("object"));
    loupe_format(dst, cap, "%.*s", (int)lines.line.length, lines.line.bytes);
    return dst;
}

/* ---- Fingerprints ---- */

static struct loupe_span owner_of(const struct answer *answer, struct loupe_span address) {
    const struct json_value *object = answer_object(answer, address);
    struct loupe_span name = answer_class(answer, address);
    if (loupe_span_equals(json_text(object, "kind"), "block"))
        return loupe_span_of("block");
    return name.length ? name : loupe_span_of("object");
}

/* By classes and names: addresses are others in each run. */
static uint64_t holder_hash(const struct watch_reading *reading, const char *reason) {
    struct answer_look look = {.host = ANSWER_IN_PROGRAM};
    struct answer_lines path;
    char name[200];
    const struct json_value *holders = json_member(reading->incoming.root, "holders");
    const struct json_value *edge = json_member(holders->first ? holders->first : holders, "edge");
    struct loupe_span owner = owner_of(&reading->incoming, json_text(edge, "from"));
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, loupe_span_of(reason));
    watch_class_of_answer(reading, name, sizeof(name));
    hash = loupe_fnv_span(hash, loupe_span_of(name));
    hash = loupe_fnv_span(hash, owner);
    answer_lines_init(&path, &reading->incoming, &look, (struct loupe_sink){NULL, NULL});
    answer_say_path(&path, edge);
    return loupe_fnv_span(hash, visible_text(&path.line));
}

bool watch_fingerprint(const struct watch_reading *reading, const char *reason,
                       char ret[WATCH_FINGERPRINT_SIZE]) {
    const struct json_value *knot = answer_own_knot(&reading->cycles);
    const struct json_value *ring = knot ? json_member(knot, "rings")->first : NULL;
    ret[0] = '\0';
    if (reading->cycles.root->kind != JSON_OBJECT)
        return false;
    if (ring) {
        struct loupe_span text = json_text(ring, "fingerprint");
        loupe_format(ret, WATCH_FINGERPRINT_SIZE, "%.*s", (int)text.length, text.bytes);
        return true;
    }
    loupe_fingerprint_text(holder_hash(reading, reason), ret);
    return false;
}
