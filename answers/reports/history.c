/* The reports of history and of where one object was allocated. */
#include "answers/reports/parts.h"
#include "answers/parts/stack_text.h"

/* ---- Where one object was allocated ---- */

enum loupe_status answer_say_allocated(struct answer_lines *lines,
                                       const struct answer_report *report) {
    struct loupe_span address = answer_asked_object(lines->answer);
    const struct json_value *number =
        json_member(answer_object(lines->answer, address), "allocated");
    const struct json_value *frames = answer_stack(lines->answer, number);
    (void)report;
    answer_begin_whole(lines, answer_paint_name);
    answer_say_thing(lines, address);
    answer_end_whole(lines);
    if (frames->count) {
        answer_say(lines, " was allocated ");
        answer_paint_place(lines);
        answer_say_frame(lines, answer_guilty_frame(frames));
        answer_paint_end(lines);
    } else {
        answer_say(lines, ": who allocated it was not recorded");
    }
    answer_end_line(lines);
    answer_say_frames(lines, frames, "      ");
    if (frames->count && !answer_stack_is_whole(lines->answer, number)) {
        answer_say(lines, "      frames further out were not recorded");
        answer_end_line(lines);
    }
    answer_say_recorder(lines);
    return LOUPE_OK;
}

/* ---- Who retained and released it ---- */

/* "retain count 1 when it began, 2 now". */
static void say_counts(struct answer_lines *lines, const struct json_value *history) {
    struct loupe_span ended = json_text(history, "ended");
    bool is_whole = loupe_span_equals(json_text(history, "since"), "allocated");
    answer_begin_whole(lines, answer_paint_name);
    answer_say_text(lines, json_text(history, "name"));
    answer_end_whole(lines);
    answer_say(lines, ": retain count %llu when %s",
               (unsigned long long)json_uint(history, "before"),
               is_whole ? "it was allocated" : "it began");
    if (ended.length) {
        answer_say(lines, ", ");
        answer_say_text(lines, ended);
    } else if (json_member(history, "groups")->count) {
        answer_say(lines, ", %llu now", (unsigned long long)json_uint(history, "now"));
    } else {
        answer_say(lines, "; nothing happened yet");
    }
    answer_end_line(lines);
}

static bool is_of(const struct json_value *group, const char *kind) {
    return loupe_span_equals(json_text(group, "kind"), kind);
}

/* "  +2  retained", the sign at the right. */
static void say_change(struct answer_lines *lines, const struct json_value *group) {
    static const char *const words[][2] = {
        {"alloc", "allocated"},    {"retain", "retained"},
        {"release", "released"},   {"autorelease", "autoreleased"},
        {"weak", "stored weakly"}, {"change", "changed its count"}};
    char sign[24] = "  ";
    bool is_release = is_of(group, "release");
    size_t length = sizeof("  ") - 1;
    if (is_of(group, "alloc") || is_of(group, "retain") || is_release)
        length = loupe_format(
            sign, sizeof(sign), "%c%llu", is_release ? '-' : '+',
            is_of(group, "alloc") ? 1 : (unsigned long long)json_uint(group, "change"));
    answer_say(lines, "  ");
    answer_say_spaces(lines, length < 4 ? 4 - length : 0);
    answer_say(lines, "%s  ", sign);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (is_of(group, words[i][0]))
            answer_say(lines, "%s ", words[i][1]);
    }
}

static const struct json_value *own_frame(const struct json_value *frames,
                                          const struct json_value *group) {
    uint64_t number = json_uint(group, "frame"), at = 0;
    JSON_EACH(frame, frames) {
        if (at++ == number)
            return frame;
    }
    return NULL;
}

static void say_group(struct answer_lines *lines, const struct json_value *group) {
    const struct json_value *frames = answer_stack(lines->answer, json_member(group, "stack"));
    const struct json_value *own = own_frame(frames, group);
    uint64_t events = json_uint(group, "count"), open = json_uint(group, "without_release");
    say_change(lines, group);
    answer_paint_place(lines);
    if (own)
        answer_say_frame(lines, own);
    else
        answer_say(lines, "(unknown)");
    answer_paint_end(lines);
    if (events > 1)
        answer_say(lines, ", %llu times", (unsigned long long)events);
    if (open) {
        answer_begin_whole(lines, answer_paint_cut);
        answer_say(lines, "  <- ");
        if (open < json_uint(group, "change"))
            answer_say(lines, "%llu of them: ", (unsigned long long)open);
        answer_say(lines, "no matching release");
        answer_end_whole(lines);
    }
    answer_end_line(lines);
    if (lines->look.verbose)
        answer_say_frames(lines, frames, "          ");
}

struct balance {
    uint64_t retains, releases, open;
    bool is_alloc_open;
};

static struct balance balance_of(const struct json_value *groups) {
    struct balance balance = {.retains = 0};
    JSON_EACH(group, groups) {
        uint64_t change = json_uint(group, "change"), open = json_uint(group, "without_release");
        balance.retains += is_of(group, "retain") ? change : 0;
        balance.releases += is_of(group, "release") ? change : 0;
        balance.open += is_of(group, "retain") ? open : 0;
        balance.is_alloc_open |= is_of(group, "alloc") && open;
    }
    return balance;
}

/* "3 retains, 2 releases: 1 retain without a release". */
static void say_balance(struct answer_lines *lines, const struct json_value *groups) {
    struct balance balance = balance_of(groups);
    if (!groups->count)
        return;
    answer_say_count(lines, balance.retains, "retain");
    answer_say(lines, ", ");
    answer_say_count(lines, balance.releases, "release");
    answer_say(lines, "%s", balance.open || balance.is_alloc_open ? ": " : "");
    if (balance.open)
        answer_say_count(lines, balance.open, "retain");
    answer_say(lines, "%s%s", balance.open && balance.is_alloc_open ? " and " : "",
               balance.is_alloc_open ? "the allocation" : "");
    answer_say(lines, "%s", balance.open || balance.is_alloc_open ? " without a release" : "");
    answer_end_line(lines);
}

enum loupe_status answer_say_history(struct answer_lines *lines,
                                     const struct answer_report *report) {
    const struct json_value *histories = json_member(lines->answer->root, "histories");
    (void)report;
    JSON_EACH(history, histories) {
        const struct json_value *groups = json_member(history, "groups");
        if (history != histories->first)
            answer_end_line(lines);
        say_counts(lines, history);
        JSON_EACH(group, groups)
        say_group(lines, group);
        say_balance(lines, groups);
        JSON_EACH(problem, json_member(history, "problems")) {
            answer_say_text(lines, problem->text);
            answer_end_line(lines);
        }
    }
    return LOUPE_OK;
}
