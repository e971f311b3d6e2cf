/* The report of an answer, by its question. */
#include "answers/reports/report.h"

#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"

struct loupe_span answer_asked_object(const struct answer *answer) {
    static const char *const names[] = {"seed", "object", "block"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const struct json_value *what = json_member(answer->root, names[i]);
        if (what->kind == JSON_TEXT && what->text.length)
            return what->text;
        if (what->kind == JSON_OBJECT)
            return json_text(what, "address");
    }
    return (struct loupe_span){NULL, 0};
}

void answer_say_subject(struct answer_lines *lines, struct loupe_span asked,
                        struct loupe_span address) {
    answer_say_text(lines, asked);
    answer_say(lines, "%s", asked.length ? " (" : "");
    answer_say_thing(lines, address);
    answer_say(lines, "%s", asked.length ? ")" : "");
}

/* Before it had an answer. */
static bool has_ended(const struct json_value *root) {
    const struct json_value *first = json_member(root, "not_followed")->first;
    return first && loupe_span_equals(json_text(first, "code"), "ended");
}

static bool is_refused_as_freed(const struct json_value *root) {
    return loupe_span_equals(json_text(root, "status"), "error") &&
           json_member(root, "freed")->kind == JSON_OBJECT;
}

static const struct {
    const char *query;
    enum loupe_status (*say)(struct answer_lines *lines, const struct answer_report *report);
} reports[] = {
    {"allocated", answer_say_allocated}, {"backtraces", answer_say_backtraces},
    {"block-layout", answer_say_block},  {"compare", answer_say_compared},
    {"cycles", answer_say_cycles},       {"diff", answer_say_growth},
    {"find", answer_say_instances},      {"heap", answer_say_classes},
    {"history", answer_say_history},     {"incoming-refs", answer_say_incoming},
    {"ivar-layout", answer_say_ivars},   {"leaks", answer_say_leaks},
    {"path", answer_say_paths},          {"retain-cycles", answer_say_cycles},
    {"retained", answer_say_retained},   {"show", answer_say_shown},
    {"snapshot", answer_say_saved},      {"strong-refs", answer_say_held},
    {"suspects", answer_say_suspects},   {"threads", answer_say_threads},
    {"tree", answer_say_tree},
};

enum loupe_status answer_say_report(struct answer_lines *lines,
                                    const struct answer_report *report) {
    struct loupe_span query = json_text(lines->answer->root, "query");
    if (is_refused_as_freed(lines->answer->root))
        return answer_say_freed_object(lines, report);
    if (has_ended(lines->answer->root)) {
        answer_say_heap_notes(lines, false);
        return lines->status;
    }
    if (loupe_span_equals(query, "cycles") &&
        (json_has(lines->answer->root, "counts") || !answer_is_native(lines->answer))) {
        enum loupe_status status = answer_is_native(lines->answer)
                                       ? answer_say_heap_cycles(lines)
                                       : answer_say_collected_cycles(lines);
        return status ? status : lines->status;
    }
    for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
        if (!loupe_span_equals(query, reports[i].query))
            continue;
        enum loupe_status status = reports[i].say(lines, report);
        return status ? status : lines->status;
    }
    return LOUPE_EUSAGE;
}
