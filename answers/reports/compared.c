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

/* "2 new, 1 gone": what there is of each. */
static void say_counts(struct answer_lines *lines, const struct json_value *root) {
    static const char *const keys[] = {"new", "grown", "gone"};
    bool is_any = false;
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        uint32_t count = json_member(root, keys[i])->count;
        if (!count)
            continue;
        answer_say(lines, "%s", is_any ? ", " : "");
        answer_say_number(lines, count);
        answer_say(lines, " %s", keys[i]);
        is_any = true;
    }
    if (!is_any)
        answer_say(lines, "Nothing new, grown or gone");
}

enum loupe_status answer_say_compared(struct answer_lines *lines,
                                      const struct answer_report *report) {
    const struct json_value *root = lines->answer->root;
    uint64_t base = json_uint(root, "unreadable_base"), now = json_uint(root, "unreadable_new");
    (void)report;
    say_counts(lines, root);
    answer_say(lines, " (");
    answer_say_count(lines, json_uint(root, "heaps_new"), "heap");
    answer_say(lines, " compared with ");
    answer_say_number(lines, json_uint(root, "heaps_base"));
    answer_say(lines, "%s)", json_is_true(root, "few") ? ": too few to be reliable" : "");
    answer_end_line(lines);
    if (base || now) {
        answer_say(lines, "incomplete: ");
        answer_say_count(lines, base, "file");
        answer_say(lines, " of BASE and ");
        answer_say_number(lines, now);
        answer_say(lines, " of NEW could not be read");
        answer_end_line(lines);
    }
    say_findings(lines, "New:", json_member(root, "new"));
    say_findings(lines, "Grown:", json_member(root, "grown"));
    say_findings(lines, "Gone:", json_member(root, "gone"));
    return LOUPE_OK;
}
