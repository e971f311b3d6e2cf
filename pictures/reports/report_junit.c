/* JUnit's XML: a test case for each finding, which failed. */
#include "pictures/reports/reports.h"
#include "answers/visible.h"

#include <string.h>

struct junit {
    struct loupe_sink sink;
    enum loupe_status status;
};

static void put(struct junit *junit, const char *bytes, size_t length) {
    if (!junit->status && length)
        junit->status = junit->sink.write(junit->sink.ctx, bytes, length);
}

static void put_string(struct junit *junit, const char *text) {
    put(junit, text, strlen(text));
}

static void put_number(struct junit *junit, const char *format, uint64_t number) {
    char text[64];
    put(junit, text, loupe_format(text, sizeof(text), format, (unsigned long long)number));
}

/* A character that is not ASCII, by its number: some readers guess the encoding, whatever the file
 * says of it. Returns its last byte. */
static size_t put_character(struct junit *junit, struct loupe_span text, size_t at) {
    uint8_t lead = (uint8_t)text.bytes[at];
    unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    uint32_t character = lead & (0x3fu >> more);
    for (; more && at + 1 < text.length; more--)
        character = character << 6 | ((uint8_t)text.bytes[++at] & 0x3f);
    put_number(junit, "&#%llu;", character);
    return at;
}

/* Visible text is UTF-8 and has no character that XML forbids. */
static void put_escaped(struct junit *junit, struct loupe_span text) {
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        if (c == '&')
            put_string(junit, "&amp;");
        else if (c == '<')
            put_string(junit, "&lt;");
        else if (c == '>')
            put_string(junit, "&gt;");
        else if (c == '"')
            put_string(junit, "&quot;");
        else if ((uint8_t)c >= 0x80)
            i = put_character(junit, text, i);
        else
            put(junit, &c, 1);
    }
}

static void put_text(struct junit *junit, struct loupe_span text, size_t most) {
    struct visible words = {.length = 0};
    visible_add_text(&words, text, most);
    put_escaped(junit, visible_text(&words));
}

static void put_case(struct junit *junit, const struct report_run *run, struct loupe_span name,
                     struct loupe_span fingerprint) {
    put_string(junit, "    <testcase classname=\"loupe.");
    put_text(junit, run->picture->query, 40);
    put_string(junit, "\" name=\"");
    put_text(junit, name, 300);
    if (fingerprint.length) {
        put_string(junit, " ");
        put_text(junit, fingerprint, 40);
    }
    put_string(junit, "\"");
}

/* Each reference on a line of its own, as the ring goes. */
static void put_steps(struct junit *junit, const struct report_run *run,
                      const struct picture_finding *finding) {
    enum { MOST_LINES = 200 };
    uint32_t count = finding->ring_count ? finding->rings[0].arrows.count : 0;
    /* Cap: a line says how many more references. */
    for (uint32_t i = 0; i < count && i < MOST_LINES; i++) {
        struct visible words = {.length = 0};
        arrow_words(run->picture, &finding->arrows[finding->rings[0].arrows.items[i]], &words);
        put_escaped(junit, visible_text(&words));
        put_string(junit, "\n");
    }
    if (count > MOST_LINES)
        put_number(junit, "... and %llu more references\n", count - MOST_LINES);
}

/* What was asked for, or what the gate of leaks lets pass; that of cycles lets none. */
static bool passes(const struct report_run *run, const struct picture_finding *finding) {
    return finding->severity == LOUPE_SEVERITY_NOTE ||
           (picture_is_kept(finding) && loupe_span_equals(run->picture->query, "leaks"));
}

static void put_passed(struct junit *junit, const struct report_run *run,
                       const struct picture_finding *finding) {
    struct visible words;
    if (finding->severity == LOUPE_SEVERITY_NOTE) {
        put_string(junit, "/>\n");
        return;
    }
    finding_message(run->picture, finding, &words);
    put_string(junit, ">\n      <system-out>");
    put_escaped(junit, visible_text(&words));
    put_string(junit, "</system-out>\n    </testcase>\n");
}

static void put_finding(struct junit *junit, const struct report_run *run,
                        const struct picture_finding *finding) {
    const struct picture_place *place = report_place(run, finding);
    struct visible words;
    finding_title(finding, &words);
    put_case(junit, run, visible_text(&words), finding->fingerprint);
    if (place) {
        put_string(junit, " file=\"");
        put_text(junit, place_file(run, place), 1000);
        put_number(junit, "\" line=\"%llu\"", place->line);
    }
    if (passes(run, finding)) {
        put_passed(junit, run, finding);
        return;
    }
    put_string(junit, ">\n      <failure type=\"");
    put_text(junit, finding_rule(finding), 80);
    put_string(junit, "\" message=\"");
    finding_message(run->picture, finding, &words);
    put_escaped(junit, visible_text(&words));
    put_string(junit, "\">");
    put_steps(junit, run, finding);
    put_string(junit, "</failure>\n    </testcase>\n");
}

/* An answer that is not whole did not pass, whatever it found. */
static void put_notes(struct junit *junit, const struct report_run *run) {
    const struct picture *picture = run->picture;
    bool is_whole = loupe_span_equals(picture->status, "ok");
    put_case(junit, run, loupe_span_of("the whole answer"), (struct loupe_span){NULL, 0});
    if (is_whole && !picture->note_count) {
        put_string(junit, "/>\n");
        return;
    }
    put_string(junit, is_whole ? ">\n      <system-out>" : ">\n      <error type=\"");
    if (!is_whole) {
        put_text(junit, picture->status, 40);
        put_string(junit, "\" message=\"what was asked could not be answered in full\">");
    }
    for (uint32_t i = 0; i < picture->note_count; i++) {
        put_text(junit, picture->notes[i], 1000);
        put_string(junit, "\n");
    }
    put_string(junit, is_whole ? "</system-out>" : "</error>");
    put_string(junit, "\n    </testcase>\n");
}

static enum loupe_status write(const struct report_run *run, struct loupe_sink sink) {
    struct junit junit = {.sink = sink};
    const struct picture *picture = run->picture;
    uint64_t failures = 0;
    for (uint32_t i = 0; i < picture->finding_count; i++)
        failures += !passes(run, &picture->findings[i]);
    put_string(&junit, "  <testsuite name=\"loupe ");
    put_text(&junit, picture->query, 40);
    put_number(&junit, "\" tests=\"%llu\"", (uint64_t)picture->finding_count + 1);
    put_number(&junit, " failures=\"%llu\"", failures);
    put_number(&junit, " errors=\"%llu\" skipped=\"0\" time=\"0\">\n",
               !loupe_span_equals(picture->status, "ok"));
    for (uint32_t i = 0; i < picture->finding_count; i++)
        put_finding(&junit, run, &picture->findings[i]);
    put_notes(&junit, run);
    put_string(&junit, "  </testsuite>\n");
    return junit.status;
}

const struct report_format report_junit = {
    .name = "junit",
    .ending = ".xml",
    .head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"loupe\">\n",
    .between = "",
    .tail = "</testsuites>\n",
    .write = write,
};
