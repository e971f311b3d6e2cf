/* Workflow commands of GitHub Actions: a line becomes an annotation of the source. */
#include "pictures/reports/reports.h"
#include "answers/visible.h"

#include <string.h>

struct github {
    struct loupe_sink sink;
    enum loupe_status status;
};

static void put(struct github *github, const char *bytes, size_t length) {
    if (!github->status && length)
        github->status = github->sink.write(github->sink.ctx, bytes, length);
}

/* In values of properties a colon and a comma would end them. */
static void put_escaped(struct github *github, struct loupe_span text, bool is_property) {
    static const char escaped[] = "%\r\n:,";
    static const char *const codes[] = {"%25", "%0D", "%0A", "%3A", "%2C"};
    for (size_t i = 0; i < text.length; i++) {
        const char *found = text.bytes[i] ? strchr(escaped, text.bytes[i]) : NULL;
        size_t code = found ? (size_t)(found - escaped) : 0;
        if (found && (is_property || code < 3))
            put(github, codes[code], 3);
        else
            put(github, &text.bytes[i], 1);
    }
}

static void put_string(struct github *github, const char *text) {
    put(github, text, strlen(text));
}

static void put_place(struct github *github, const struct report_run *run,
                      const struct picture_place *place) {
    struct visible file = {.length = 0};
    char line[32];
    visible_add_text(&file, place_file(run, place), 1000);
    put_string(github, "file=");
    put_escaped(github, visible_text(&file), true);
    if (place->line)
        put(github, line, loupe_format(line, sizeof(line), ",line=%u", (unsigned)place->line));
    put_string(github, ",");
}

static void put_finding(struct github *github, const struct report_run *run,
                        const struct picture_finding *finding) {
    static const char *const levels[] = {"::notice ", "::warning ", "::error "};
    const struct picture_place *place = report_place(run, finding);
    struct visible words;
    put_string(github, levels[finding->severity]);
    if (place)
        put_place(github, run, place);
    finding_title(finding, &words);
    put_string(github, "title=Loupe: ");
    put_escaped(github, visible_text(&words), true);
    put_string(github, "::");
    finding_message(run->picture, finding, &words);
    put_escaped(github, visible_text(&words), false);
    put_string(github, "\n");
}

static enum loupe_status write(const struct report_run *run, struct loupe_sink sink) {
    struct github github = {.sink = sink};
    const struct picture *picture = run->picture;
    for (uint32_t i = 0; i < picture->finding_count; i++)
        put_finding(&github, run, &picture->findings[i]);
    for (uint32_t i = 0; i < picture->note_count; i++) {
        struct visible words = {.length = 0};
        visible_add_text(&words, picture->notes[i], 1000);
        bool is_whole = loupe_span_equals(picture->status, "ok");
        put_string(&github, is_whole ? "::notice title=Loupe::" : "::warning title=Loupe::");
        put_escaped(&github, visible_text(&words), false);
        put_string(&github, "\n");
    }
    return github.status;
}

const struct report_format report_github = {.name = "github",
                                            .ending = ".annotations",
                                            .head = "",
                                            .between = "",
                                            .tail = "",
                                            .write = write};
