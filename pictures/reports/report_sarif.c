/* SARIF 2.1.0: a run with the rules that its results are about. */
#include "mistakes/patterns.h"
#include "answers/texts.h"
#include "pictures/reports/reports.h"
#include "answers/visible.h"

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
        [PICTURE_LEAK] = "An object was never freed, and nothing can free it any more",
        [PICTURE_SUSPECT] = "An object that should be gone is held",
        [PICTURE_PATH] = "A path from a root keeps an object alive"};
    return texts[finding->kind];
}

/* The page of the documentation that is about it, and what to do where no pattern says it. */
static const struct rule_help {
    const char *page, *text;
    enum loupe_severity level; /* of a certain one; each result says its own */
} rule_helps[] = {
    [PICTURE_KNOT] = {"cycles.md", ANSWER_HELP_CYCLE, LOUPE_SEVERITY_ERROR},
    [PICTURE_LEAK] = {"leaks.md", ANSWER_HELP_LEAK, LOUPE_SEVERITY_ERROR},
    [PICTURE_SUSPECT] = {"heap_dumps.md",
                         "Follow the path from its root: one of the references on it has to be "
                         "cleared when the object is done.",
                         LOUPE_SEVERITY_WARNING},
    [PICTURE_PATH] = {"why_is_it_alive.md", "The path says which references keep the object alive.",
                      LOUPE_SEVERITY_NOTE}};

static void put_help(struct sarif *sarif, const struct picture_finding *finding) {
    struct loupe_json *json = &sarif->json;
    static const char frame[] =
        "%.*s\n\nBefore:\n\n```objc\n%.*s\n```\n\nAfter:\n\n```objc\n%.*s\n```\n";
    const struct loupe_pattern *pattern = finding->pattern;
    const struct rule_help *help = &rule_helps[finding->kind];
    char text[4096];
    loupe_json_key(json, "help");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "text", pattern ? pattern->why : loupe_span_of(help->text));
    if (pattern) {
        size_t length =
            loupe_format(text, sizeof(text), frame, (int)pattern->why.length, pattern->why.bytes,
                         (int)pattern->before.length, pattern->before.bytes,
                         (int)pattern->after.length, pattern->after.bytes);
        loupe_json_put_text(json, "markdown", (struct loupe_span){text, length});
    }
    loupe_json_end_object(json);
    size_t length = loupe_format(text, sizeof(text), "%s%s", sarif->run->docs, help->page);
    loupe_json_put_text(json, "helpUri", (struct loupe_span){text, length});
}

/* "timer-target" as "TimerTarget". */
static void put_name(struct sarif *sarif, struct loupe_span id) {
    char name[80];
    size_t length = 0;
    bool begins = true;
    for (size_t i = 0; i < id.length && length < sizeof(name); i++) {
        char c = id.bytes[i];
        if (c != '-')
            name[length++] = begins && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
        begins = c == '-';
    }
    loupe_json_put_text(&sarif->json, "name", (struct loupe_span){name, length});
}

static void put_default_level(struct sarif *sarif, const struct picture_finding *finding) {
    struct loupe_json *json = &sarif->json;
    loupe_json_key(json, "defaultConfiguration");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "level", loupe_severity_name(rule_helps[finding->kind].level));
    loupe_json_end_object(json);
}

static void put_rules(struct sarif *sarif) {
    struct loupe_json *json = &sarif->json;
    loupe_json_key(json, "rules");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < sarif->rule_count; i++) {
        const struct picture_finding *finding = sarif->rules[i];
        const struct loupe_pattern *pattern = finding->pattern;
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "id", finding_rule(finding));
        put_name(sarif, finding_rule(finding));
        put_message(sarif, "shortDescription",
                    pattern ? pattern->name : loupe_span_of(plain_rule(finding)));
        put_message(sarif, "fullDescription",
                    pattern ? pattern->why : loupe_span_of(plain_rule(finding)));
        put_help(sarif, finding);
        put_default_level(sarif, finding);
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
    const struct picture_place *place = report_place(sarif->run, finding);
    uint32_t thing = finding->head;
    if (thing == PICTURE_NONE && finding->arrow_count)
        thing = finding->arrows[0].from;
    /* GitHub takes no result without a file. */
    if (!place && sarif->run->program.file.length)
        place = &sarif->run->program;
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
    /* Cap: the last location says how many more. */
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
    struct loupe_json *json = &sarif->json;
    struct visible words;
    finding_message(sarif->run->picture, finding, &words);
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "ruleId", finding_rule(finding));
    loupe_json_put_uint(json, "ruleIndex", rule_of(sarif, finding));
    loupe_json_put_string(json, "level", loupe_severity_name(finding->severity));
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

/* Each run has its own: of several with the same, GitHub takes only one. What stands before the
 * last slash is the category by which results of today are compared with those of last time. */
static void put_automation(struct sarif *sarif) {
    struct loupe_json *json = &sarif->json;
    struct loupe_span query = sarif->run->picture->query;
    char id[160];
    size_t length =
        loupe_format(id, sizeof(id), "loupe/%.*s", picture_cut(query, 100), query.bytes);
    if (sarif->run->number > 1)
        length += loupe_format(id + length, sizeof(id) - length, "-%u", sarif->run->number);
    length += loupe_format(id + length, sizeof(id) - length, "/");
    loupe_json_key(json, "automationDetails");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "id", (struct loupe_span){id, length});
    loupe_json_end_object(json);
}

static void put_run(struct sarif *sarif) {
    struct loupe_json *json = &sarif->json;
    const struct picture *picture = sarif->run->picture;
    char uri[400];
    size_t length = loupe_format(uri, sizeof(uri), "%s%s", sarif->run->docs, "ci.md");
    for (uint32_t i = 0; i < picture->finding_count; i++)
        rule_of(sarif, &picture->findings[i]);
    loupe_json_begin_object(json);
    loupe_json_key(json, "tool");
    loupe_json_begin_object(json);
    loupe_json_key(json, "driver");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "name", "Loupe");
    loupe_json_put_string(json, "semanticVersion", sarif->run->version);
    loupe_json_put_text(json, "informationUri", (struct loupe_span){uri, length});
    put_rules(sarif);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
    put_automation(sarif);
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
