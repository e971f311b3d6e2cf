/* The report of compare: which findings of many heaps are new, have grown or are gone. */
#include "answers/reports/parts.h"
#include "answers/reports/report.h"

static void say_finding(struct answer_lines *lines, const struct json_value *finding) {
    const struct json_value *root = lines->answer->root;
    struct loupe_span culprit = json_text(finding, "culprit");
    answer_say(lines, "  ");
    answer_say_text(lines, json_text(finding, "kind"));
    answer_say(lines, " of ");
    answer_say_text(lines, culprit.length ? culprit : json_text(finding, "class"));
    answer_say(lines, ": in %llu of %llu heaps, was in %llu of %llu",
               (unsigned long long)json_uint(finding, "heaps_new"),
               (unsigned long long)json_uint(root, "heaps_new"),
               (unsigned long long)json_uint(finding, "heaps_base"),
               (unsigned long long)json_uint(root, "heaps_base"));
    answer_say(lines, "; ");
    answer_say_bytes(lines, json_uint(finding, "bytes_new"));
    answer_say(lines, ", was ");
    answer_say_bytes(lines, json_uint(finding, "bytes_base"));
    answer_say(lines, "  ");
    answer_say_text(lines, json_text(finding, "fingerprint"));
    answer_end_line(lines);
}

static void say_below(struct answer_lines *lines, struct loupe_span text) {
    if (!text.length)
        return;
    answer_say(lines, "    ");
    answer_say_text(lines, text);
    answer_end_line(lines);
}

static void say_findings(struct answer_lines *lines, const char *heading,
                         const struct json_value *findings) {
    if (!findings->count)
        return;
    answer_end_line(lines);
    answer_say(lines, "%s", heading);
    answer_end_line(lines);
    JSON_EACH(finding, findings) {
        say_finding(lines, finding);
        say_below(lines, json_text(finding, "path"));
        say_below(lines, json_text(finding, "advice"));
    }
}

enum loupe_status answer_say_compared(struct answer_lines *lines,
                                      const struct answer_report *report) {
    const struct json_value *root = lines->answer->root, *are_new = json_member(root, "new"),
                            *grown = json_member(root, "grown"), *gone = json_member(root, "gone");
    uint64_t base = json_uint(root, "unreadable_base"), now = json_uint(root, "unreadable_new");
    (void)report;
    answer_say(lines, "%u new, %u grown, %u gone: %llu heaps compared with %llu%s", are_new->count,
               grown->count, gone->count, (unsigned long long)json_uint(root, "heaps_new"),
               (unsigned long long)json_uint(root, "heaps_base"),
               json_is_true(root, "few") ? "; few: nothing can be told with confidence" : "");
    answer_end_line(lines);
    if (base || now) {
        answer_say(lines, "incomplete: %llu files of BASE and %llu of NEW could not be read",
                   (unsigned long long)base, (unsigned long long)now);
        answer_end_line(lines);
    }
    say_findings(lines, "New:", are_new);
    say_findings(lines, "Grown:", grown);
    say_findings(lines, "Gone:", gone);
    return LOUPE_OK;
}
