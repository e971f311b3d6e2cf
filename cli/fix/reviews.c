/* Fixes for reviews and editors. */
#include "fix/reviews.h"

#include <string.h>

/* A text of any length; without bytes: no memory. */
struct text {
    struct loupe_arena *arena;
    char *bytes;
    size_t length;
    uint32_t capacity;
};

static void put(struct text *text, struct loupe_span more) {
    for (size_t i = 0; i < more.length; i++) {
        text->bytes =
            loupe_arena_grow(text->arena, text->bytes, (uint32_t)text->length, &text->capacity, 1);
        if (!text->bytes)
            return;
        text->bytes[text->length++] = more.bytes[i];
    }
}

static void put_words(struct text *text, const char *words) {
    put(text, loupe_span_of(words));
}

static struct loupe_span span_of(const struct text *text) {
    return (struct loupe_span){text->bytes, text->bytes ? text->length : 0};
}

/* ---- GitHub ---- */

/* Names of a program's make no Markdown and mention nobody. */
static void put_plain(struct text *text, const char *words) {
    static const char marks[] = "\\`*_{}[]()#+-.!|~>\"'$";
    for (const char *c = words; *c; c++) {
        if (*c == '<' || *c == '&' || *c == '@') {
            put_words(text, *c == '<' ? "&lt;" : *c == '&' ? "&amp;" : "&#64;");
            continue;
        }
        if (strchr(marks, *c))
            put_words(text, "\\");
        put(text, (struct loupe_span){c, 1});
    }
}

/* Longer than any in the text. */
static void put_fence(struct text *text, struct loupe_span code) {
    size_t longest = 2, run = 0;
    for (size_t i = 0; i < code.length; i++) {
        run = code.bytes[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        put_words(text, "`");
}

/* What it rests on is said at its first place alone. */
static void put_body(struct loupe_json *json, const struct fix_made *made,
                     const struct fix_place *place, bool is_first, struct loupe_arena *arena) {
    struct text body = {.arena = arena};
    struct loupe_span code = place->after;
    put_words(&body, is_first ? "" : "Together with the comment before: ");
    put_plain(&body, made->choice.text);
    if (is_first) {
        put_words(&body, "\n\nRests on: ");
        put_plain(&body, made->rests_on);
        put_words(&body, " (confidence: ");
        put_words(&body, made->confidence);
        put_words(&body, "). ");
        put_plain(&body, made->compiled);
    }
    put_words(&body, "\n\n");
    put_fence(&body, code);
    put_words(&body, "suggestion\n");
    put(&body, code);
    if (code.length && code.bytes[code.length - 1] != '\n')
        put_words(&body, "\n");
    put_fence(&body, code);
    put_words(&body, "\n");
    loupe_json_put_text(json, "body", span_of(&body));
}

static void put_comment(struct loupe_json *json, const struct fix_made *made, const char *path,
                        const struct fix_place *place, bool is_first, struct loupe_arena *arena) {
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "path", path);
    if (place->first_line < place->last_line) {
        loupe_json_put_uint(json, "start_line", place->first_line);
        loupe_json_put_string(json, "start_side", "RIGHT");
    }
    loupe_json_put_uint(json, "line", place->last_line);
    loupe_json_put_string(json, "side", "RIGHT");
    put_body(json, made, place, is_first, arena);
    loupe_json_end_object(json);
}

void fix_put_review(struct loupe_json *json, const struct fix_made *made, uint32_t count,
                    struct loupe_arena *arena) {
    char body[64];
    struct fix_place place;
    loupe_format(body, sizeof(body), "Loupe has %u %s", (unsigned)count,
                 count == 1 ? "fix" : "fixes");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "event", "COMMENT");
    loupe_json_put_string(json, "body", body);
    loupe_json_key(json, "comments");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < count; i++) {
        bool is_first = true;
        for (uint32_t k = 0; k < made[i].change.count; k++) {
            const struct fix_patch *patch = &made[i].change.patches[k];
            for (uint32_t next = 0; fix_next_place(patch, &next, arena, &place); is_first = false)
                put_comment(json, &made[i], patch->file->path, &place, is_first, arena);
        }
    }
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

/* ---- SARIF ---- */

static void put_message(struct loupe_json *json, const char *key, const char *text) {
    loupe_json_key(json, key);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "text", text);
    loupe_json_end_object(json);
}

/* As a relative URI: what is not plain in one is escaped byte by byte. */
static void put_artifact(struct loupe_json *json, const char *path, struct loupe_arena *arena) {
    static const char plain[] = "-._~/", digits[] = "0123456789ABCDEF";
    struct text uri = {.arena = arena};
    for (const char *c = path; *c; c++) {
        bool is_plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
                        (*c >= 'A' && *c <= 'Z') || strchr(plain, *c);
        char escaped[] = {'%', digits[(unsigned char)*c >> 4], digits[*c & 15]};
        put(&uri,
            is_plain ? (struct loupe_span){c, 1} : (struct loupe_span){escaped, sizeof(escaped)});
    }
    loupe_json_key(json, "artifactLocation");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "uri", span_of(&uri));
    loupe_json_end_object(json);
}

static uint64_t characters_in(struct loupe_span text) {
    uint64_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += ((unsigned char)text.bytes[i] & 0xc0) != 0x80;
    return count;
}

/* All of the lines; the last of a file may have no end. */
static void put_region(struct loupe_json *json, const char *key, const struct fix_place *place) {
    struct loupe_span text = place->before;
    bool ends = text.length && text.bytes[text.length - 1] == '\n';
    size_t last = text.length;
    while (!ends && last > 0 && text.bytes[last - 1] != '\n')
        last--;
    struct loupe_span tail = {text.bytes + last, text.length - last};
    loupe_json_key(json, key);
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "startLine", place->first_line);
    loupe_json_put_uint(json, "startColumn", 1);
    loupe_json_put_uint(json, "endLine", place->last_line + ends);
    loupe_json_put_uint(json, "endColumn", ends ? 1 : characters_in(tail) + 1);
    loupe_json_end_object(json);
}

static void put_change(struct loupe_json *json, const struct fix_patch *patch,
                       struct loupe_arena *arena) {
    struct fix_place place;
    loupe_json_begin_object(json);
    put_artifact(json, patch->file->path, arena);
    loupe_json_key(json, "replacements");
    loupe_json_begin_array(json);
    for (uint32_t next = 0; fix_next_place(patch, &next, arena, &place);) {
        loupe_json_begin_object(json);
        put_region(json, "deletedRegion", &place);
        loupe_json_key(json, "insertedContent");
        loupe_json_begin_object(json);
        loupe_json_key(json, "text");
        loupe_json_span(json, place.after);
        loupe_json_end_object(json);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

static void put_location(struct loupe_json *json, const struct fix_patch *patch,
                         struct loupe_arena *arena) {
    struct fix_place place;
    uint32_t next = 0;
    loupe_json_key(json, "locations");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    loupe_json_key(json, "physicalLocation");
    loupe_json_begin_object(json);
    put_artifact(json, patch->file->path, arena);
    if (fix_next_place(patch, &next, arena, &place))
        put_region(json, "region", &place);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
    loupe_json_end_array(json);
}

static void put_fingerprint(struct loupe_json *json, const struct json_value *entry) {
    const struct json_value *knot = json_member(entry, "knot");
    struct loupe_span fingerprint = json_text(entry, "fingerprint");
    if (!fingerprint.length)
        fingerprint = json_text(knot, "fingerprint");
    if (!fingerprint.length)
        return;
    loupe_json_key(json, "partialFingerprints");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "loupe/v1", fingerprint);
    loupe_json_end_object(json);
}

static void put_result(struct loupe_json *json, const struct fix_made *made,
                       struct loupe_arena *arena) {
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "ruleId", "fix");
    loupe_json_put_uint(json, "ruleIndex", 0);
    loupe_json_put_string(json, "level", "warning");
    put_message(json, "message", made->choice.text);
    put_location(json, &made->change.patches[0], arena);
    put_fingerprint(json, made->choice.found);
    loupe_json_key(json, "fixes");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    put_message(json, "description", made->rests_on);
    loupe_json_key(json, "artifactChanges");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < made->change.count; i++)
        put_change(json, &made->change.patches[i], arena);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

static void put_driver(struct loupe_json *json) {
    loupe_json_key(json, "tool");
    loupe_json_begin_object(json);
    loupe_json_key(json, "driver");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "name", "Loupe");
    loupe_json_put_string(json, "semanticVersion", LOUPE_VERSION);
    loupe_json_put_string(json, "informationUri", LOUPE_DOCS_URL "fix.md");
    loupe_json_key(json, "rules");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "id", "fix");
    loupe_json_put_string(json, "name", "LeakFix");
    put_message(json, "shortDescription", "A change that ends a leak");
    put_message(json, "fullDescription",
                "An object is never freed; with this change of the source it is.");
    put_message(json, "help",
                "Look at what the fix rests on before you take it, and see that whoever used the "
                "object still has it.");
    loupe_json_put_string(json, "helpUri", LOUPE_DOCS_URL "fix.md");
    loupe_json_key(json, "defaultConfiguration");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "level", "warning");
    loupe_json_end_object(json);
    loupe_json_end_object(json);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
}

void fix_put_sarif(struct loupe_json *json, const struct fix_made *made, uint32_t count,
                   struct loupe_arena *arena) {
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    loupe_json_put_string(json, "version", "2.1.0");
    loupe_json_key(json, "runs");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    put_driver(json);
    loupe_json_key(json, "automationDetails");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "id", "loupe/fix/");
    loupe_json_end_object(json);
    loupe_json_put_string(json, "columnKind", "unicodeCodePoints");
    loupe_json_key(json, "results");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        put_result(json, &made[i], arena);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}
