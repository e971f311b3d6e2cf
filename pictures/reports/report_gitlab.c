/* GitLab's code quality: an array of issues, each at a line of a file and with a fingerprint. */
#include "pictures/reports/reports.h"
#include "answers/visible.h"

#include "base/fnv.h"

static void put_location(struct loupe_json *json, const struct report_run *run,
                         const struct picture_place *place) {
    struct visible file = {.length = 0};
    visible_add_text(&file, place_file(run, place), 1000);
    loupe_json_key(json, "location");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "path", visible_text(&file));
    loupe_json_key(json, "lines");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "begin", place->line ? place->line : 1);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
}

/* GitLab shows one of those with equal fingerprints, so a finding without one has that of its
 * words. */
static void put_fingerprint(struct loupe_json *json, const struct picture_finding *finding,
                            struct loupe_span words) {
    char text[32];
    if (finding->fingerprint.length) {
        loupe_json_put_text(json, "fingerprint", finding->fingerprint);
        return;
    }
    size_t length = loupe_format(text, sizeof(text), "%llx",
                                 (unsigned long long)loupe_fnv_span(LOUPE_FNV_BASIS, words));
    loupe_json_put_text(json, "fingerprint", (struct loupe_span){text, length});
}

static void put_finding(struct loupe_json *json, const struct report_run *run,
                        const struct picture_finding *finding) {
    static const char *const severities[] = {"info", "minor", "major"};
    static const struct picture_place nowhere = {.file = {"unknown", 7}, .line = 1};
    const struct picture_place *place = report_place(run, finding);
    struct visible words;
    if (!place)
        place = run->program.file.length ? &run->program : &nowhere;
    finding_message(run->picture, finding, &words);
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "description", visible_text(&words));
    loupe_json_put_text(json, "check_name", finding_rule(finding));
    put_fingerprint(json, finding, visible_text(&words));
    loupe_json_put_string(json, "severity", severities[finding->severity]);
    put_location(json, run, place);
    loupe_json_end_object(json);
}

static enum loupe_status write(const struct report_run *run, struct loupe_sink sink) {
    struct loupe_json json;
    loupe_json_init(&json, sink);
    loupe_json_begin_array(&json);
    for (uint32_t i = 0; i < run->picture->finding_count; i++)
        put_finding(&json, run, &run->picture->findings[i]);
    loupe_json_end_array(&json);
    enum loupe_status status = loupe_json_finish(&json);
    return status ? status : sink.write(sink.ctx, "\n", 1);
}

const struct report_format report_gitlab = {.name = "gitlab",
                                            .ending = ".gitlab.json",
                                            .head = "",
                                            .between = "",
                                            .tail = NULL,
                                            .write = write};
