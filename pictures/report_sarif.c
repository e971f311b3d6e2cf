/* SARIF 2.1.0: a run with the rules that its results are about. */
#include "pictures/patterns.h"
#include "pictures/reports.h"
#include "pictures/visible.h"

#include <string.h>

enum { MOST_LOCATIONS = 200 };

struct sarif {
    struct loupe_json json;
    const struct report_run *run;
    const struct picture_finding **rules; /* the first finding of each rule */
    uint32_t rule_count;
};

static void put_message(struct sarif *sarif, const char *key, struct loupe_span text) {
    loupe_json_key(&sarif->json, key);
    loupe_json_begin_object(&sarif->json);
    loupe_json_key(&sarif->json, "text");
    loupe_json_span(&sarif->json, text);
    loupe_json_end_object(&sarif->json);
}

/* ---- Rules ---- */

static bool is_same_rule(const struct picture_finding *a, const struct picture_finding *b) {
    return a->pattern == b->pattern && (a->pattern || a->kind == b->kind);
}

static uint32_t rule_of(struct sarif *sarif, const struct picture_finding *finding) {
    uint32_t i = 0;
    while (i < sarif->rule_count && !is_same_rule(sarif->rules[i], finding))
        i++;
    if (i == sarif->rule_count)
        sarif->rules[sarif->rule_count++] = finding;
    return i;
}

static const char *plain_rule(const struct picture_finding *finding) {
    static const char *const texts[] = {
        [PICTURE_KNOT] = "Objects keep each other alive",
        [PICTURE_LEAK] = "Nothing leads to an object that was never freed",
        [PICTURE_SUSPECT] = "An object that should be gone is held",
        [PICTURE_PATH] = "A path from a root keeps an object alive"};
    return texts[finding->kind];
}

static void put_help(struct sarif *sarif, const struct pattern *pattern) {
    struct loupe_json *json = &sarif->json;
    static const char frame[] =
        "%.*s\n\nBefore:\n\n```objc\n%.*s\n```\n\nAfter:\n\n```objc\n%.*s\n```\n";
    char text[4096];
    size_t length =
        loupe_format(text, sizeof(text), frame, (int)pattern->why.length, pattern->why.bytes,
                     (int)pattern->before.length, pattern->before.bytes, (int)pattern->after.length,
                     pattern->after.bytes);
    loupe_json_key(json, "help");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "text", pattern->why);
    loupe_json_put_text(json, "markdown", (struct loupe_span){text, length});
    loupe_json_end_object(json);
}

static void put_rules(struct sarif *sarif) {
    struct loupe_json *json = &sarif->json;
    loupe_json_key(json, "rules");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < sarif->rule_count; i++) {
        const struct picture_finding *finding = sarif->rules[i];
        const struct pattern *pattern = finding->pattern;
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "id", finding_rule(finding));
        put_message(sarif, "shortDescription",
                    pattern ? pattern->name : loupe_span_of(plain_rule(finding)));
        put_message(sarif, "fullDescription",
                    pattern ? pattern->why : loupe_span_of(plain_rule(finding)));
        if (pattern)
            put_help(sarif, pattern);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

/* ---- Places ---- */

/* A path as a URI: what is not plain in one is escaped byte by byte. */
static size_t to_uri(struct loupe_span file, char *uri, size_t room) {
    static const char plain[] = "-._~/", digits[] = "0123456789ABCDEF", scheme[] = "file://";
    bool is_absolute = file.length && file.bytes[0] == '/';
    size_t length = is_absolute ? sizeof(scheme) - 1 : 0;
    memcpy(uri, scheme, length);
    for (size_t i = 0; i < file.length && length + 4 < room; i++) {
        unsigned char c = (unsigned char)file.bytes[i];
        bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                        (c >= 'A' && c <= 'Z') || (c && strchr(plain, c));
        if (!is_plain)
            uri[length++] = '%';
        uri[length++] = is_plain ? (char)c : digits[c >> 4];
        if (!is_plain)
            uri[length++] = digits[c & 15];
    }
    return length;
}

static void put_physical(struct sarif *sarif, const struct picture_place *place) {
    struct loupe_json *json = &sarif->json;
    char uri[3200];
    size_t length = to_uri(place_file(sarif->run, place), uri, sizeof(uri));
    loupe_json_key(json, "physicalLocation");
    loupe_json_begin_object(json);
    loupe_json_key(json, "artifactLocation");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "uri", (struct loupe_span){uri, length});
    loupe_json_end_object(json);
    if (place->line) {
        loupe_json_key(json, "region");
        loupe_json_begin_object(json);
        loupe_json_put_uint(json, "startLine", place->line);
        loupe_json_end_object(json);
    }
    loupe_json_end_object(json);
}

static void put_logical(struct sarif *sarif, const struct picture_thing *thing) {
    struct loupe_json *json = &sarif->json;
    struct visible name = {.length = 0};
    visible_add_text(&name, picture_name(thing, sarif->run->picture->arena), 200);
    loupe_json_key(json, "logicalLocations");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "name", visible_text(&name));
    loupe_json_put_string(json, "kind", "type");
    loupe_json_end_object(json);
    loupe_json_end_array(json);
}

static void put_locations(struct sarif *sarif, const struct picture_finding *finding) {
    struct loupe_json *json = &sarif->json;
    const struct picture *picture = sarif->run->picture;
    const struct picture_place *place = finding_place(picture, finding);
    uint32_t thing = finding->head;
    if (thing == PICTURE_NONE && finding->arrow_count)
        thing = finding->arrows[0].from;
    loupe_json_key(json, "locations");
    loupe_json_begin_array(json);
    if (place || thing != PICTURE_NONE) {
        loupe_json_begin_object(json);
        if (place)
            put_physical(sarif, place);
        if (thing != PICTURE_NONE)
            put_logical(sarif, &picture->things[thing]);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

/* The ring as a walk: a location for each reference. */
static void put_flow(struct sarif *sarif, const struct picture_finding *finding) {
    struct loupe_json *json = &sarif->json;
    const struct picture *picture = sarif->run->picture;
    const struct picture_arrows *arrows = &finding->rings[0].arrows;
    loupe_json_key(json, "codeFlows");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    loupe_json_key(json, "threadFlows");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    loupe_json_key(json, "locations");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < arrows->count && i < MOST_LOCATIONS; i++) {
        const struct picture_arrow *arrow = &finding->arrows[arrows->items[i]];
        const struct picture_place *place = arrow_place(picture, arrow);
        struct visible words = {.length = 0};
        arrow_words(picture, arrow, &words);
        if (i + 1 == MOST_LOCATIONS && arrows->count > MOST_LOCATIONS) {
            visible_add(&words, " ... and ");
            visible_add_number(&words, arrows->count - MOST_LOCATIONS);
            visible_add(&words, " more references");
        }
        loupe_json_begin_object(json);
        loupe_json_key(json, "location");
        loupe_json_begin_object(json);
        put_message(sarif, "message", visible_text(&words));
        if (place)
            put_physical(sarif, place);
        put_logical(sarif, &picture->things[arrow->from]);
        loupe_json_end_object(json);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    loupe_json_end_array(json);
}

/* ---- Results ---- */

static void put_result(struct sarif *sarif, const struct picture_finding *finding) {
    static const char *const levels[] = {"note", "warning", "error"};
    struct loupe_json *json = &sarif->json;
    struct visible words;
    finding_message(sarif->run->picture, finding, &words);
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "ruleId", finding_rule(finding));
    loupe_json_put_uint(json, "ruleIndex", rule_of(sarif, finding));
    loupe_json_put_string(json, "level", levels[finding_level(finding)]);
    put_message(sarif, "message", visible_text(&words));
    put_locations(sarif, finding);
    if (finding->ring_count && finding->rings[0].arrows.count)
        put_flow(sarif, finding);
    if (finding->fingerprint.length) {
        loupe_json_key(json, "partialFingerprints");
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "loupe/v1", finding->fingerprint);
        loupe_json_end_object(json);
    }
    loupe_json_put_uint(json, "occurrenceCount", finding->count ? finding->count : 1);
    loupe_json_end_object(json);
}

/* What was left out is told as the tool's own notices; a run that is not whole was no success. */
static void put_invocation(struct sarif *sarif) {
    struct loupe_json *json = &sarif->json;
    const struct picture *picture = sarif->run->picture;
    bool is_whole = loupe_span_equals(picture->status, "ok");
    loupe_json_key(json, "invocations");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    loupe_json_put_bool(json, "executionSuccessful", is_whole);
    loupe_json_key(json, "toolExecutionNotifications");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < picture->note_count; i++) {
        struct visible words = {.length = 0};
        visible_add_text(&words, picture->notes[i], 1000);
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "level", is_whole ? "note" : "error");
        put_message(sarif, "message", visible_text(&words));
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    loupe_json_end_array(json);
}

static void put_run(struct sarif *sarif) {
    struct loupe_json *json = &sarif->json;
    const struct picture *picture = sarif->run->picture;
    for (uint32_t i = 0; i < picture->finding_count; i++)
        rule_of(sarif, &picture->findings[i]);
    loupe_json_begin_object(json);
    loupe_json_key(json, "tool");
    loupe_json_begin_object(json);
    loupe_json_key(json, "driver");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "name", "Loupe");
    loupe_json_put_string(json, "semanticVersion", sarif->run->version);
    put_rules(sarif);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
    put_invocation(sarif);
    loupe_json_key(json, "results");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < picture->finding_count; i++)
        put_result(sarif, &picture->findings[i]);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

static enum loupe_status write(const struct report_run *run, struct loupe_sink sink) {
    struct sarif sarif = {.run = run};
    sarif.rules =
        loupe_arena_alloc_array(run->picture->arena, (size_t)run->picture->finding_count + 1,
                                sizeof(const struct picture_finding *));
    if (!sarif.rules)
        return LOUPE_ENOMEM;
    loupe_json_init(&sarif.json, sink);
    put_run(&sarif);
    return loupe_json_finish(&sarif.json);
}

const struct report_format report_sarif = {
    .name = "sarif",
    .ending = ".sarif",
    .head = "{\"$schema\":\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
            "sarif-schema-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[\n",
    .between = ",\n",
    .tail = "\n]}\n",
    .write = write,
};
