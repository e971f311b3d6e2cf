/* The report of suspects: what should be gone and is not, by its causes, and who keeps most. */
#include "answers/parts/heap_text.h"
#include "answers/parts/knot_text.h"
#include "answers/reports/heaps/leak_entry.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"
#include "answers/texts.h"

enum { SHOWN_EQUAL = 4 };

static bool is_kind(const struct json_value *suspect, const char *kind) {
    return loupe_span_equals(json_text(suspect, "kind"), kind);
}

static uint32_t count_of_kind(const struct json_value *suspects, const char *kind) {
    uint32_t count = 0;
    JSON_EACH(suspect, suspects)
    count += is_kind(suspect, kind);
    return count;
}

static const char *other(uint64_t hidden) {
    return hidden ? "other " : "";
}

static void say_more_causes(struct answer_lines *lines, uint64_t found, uint64_t shown) {
    if (shown >= found)
        return;
    answer_end_line(lines);
    answer_say(lines, "… and ");
    answer_say_number(lines, found - shown);
    answer_say(lines, " more causes (--limit 0 shows all)");
    answer_end_line(lines);
}

/* ---- One cause ---- */

/* "The same with 0x1f00, 0x2f00 and 3 more"; nothing where there is only one. */
static void say_equal_ones(struct answer_lines *lines, const struct json_value *cause) {
    const struct json_value *addresses = json_member(cause, "addresses");
    uint32_t i = 0;
    JSON_EACH(address, addresses) {
        if (i && i <= SHOWN_EQUAL) {
            answer_say(lines, i == 1 ? "  The same with " : ", ");
            answer_say_text(lines, address->text);
        }
        i++;
    }
    if (i > SHOWN_EQUAL + 1) {
        answer_say(lines, " and ");
        answer_say_number(lines, i - 1 - SHOWN_EQUAL);
        answer_say(lines, " more");
    }
    if (i > 1)
        answer_end_line(lines);
}

static enum loupe_status say_knot(struct answer_lines *lines, const struct json_value *knot) {
    struct answer_knot_notes notes = {.mistake = json_text(knot, "mistake")};
    answer_say(lines, "  ");
    answer_say_size(lines, knot);
    answer_say(lines, ", ");
    answer_say_verdict(lines, knot);
    answer_end_line(lines);
    enum loupe_status status = answer_say_knot(lines, knot, &notes);
    answer_say_ring_allocations(lines, knot);
    return status;
}

/* The retain cycle that its first object is in, which has objects and stacks of its own. */
static enum loupe_status say_own_cycle(struct answer_lines *lines, const struct json_value *cause) {
    const struct json_value *knot = json_member(cause, "knots")->first;
    const struct answer *whole = lines->answer;
    struct answer part;
    if (!knot)
        return LOUPE_OK;
    enum loupe_status status = answer_open(&part, cause, whole->arena);
    if (status)
        return status;
    part.code = whole->code;
    part.variable = whole->variable;
    lines->answer = &part;
    status = say_knot(lines, knot);
    lines->answer = whole;
    answer_close(&part);
    return status;
}

static void say_mistake(struct answer_lines *lines, const struct json_value *cause) {
    struct loupe_span mistake = json_text(cause, "mistake");
    if (!mistake.length)
        return;
    answer_say(lines, "  " ANSWER_KNOWN_MISTAKE);
    answer_say_text(lines, mistake);
    answer_end_line(lines);
}

static void say_level(struct answer_lines *lines, struct loupe_span level) {
    if (loupe_span_equals(level, "late"))
        answer_say(lines, "  Held " ANSWER_OVER_LATE);
    else if (loupe_span_equals(level, "stack"))
        answer_say(lines, "  Held " ANSWER_FROM_STACK);
    else
        return;
    answer_end_line(lines);
}

/* ---- What is held ---- */

static enum loupe_status say_held(struct answer_lines *lines, const struct json_value *cause) {
    const struct json_value *path = json_member(cause, "path");
    struct loupe_span reason = json_text(cause, "reason");
    answer_end_line(lines);
    answer_say_times(lines, json_uint(cause, "count"));
    answer_say_class_of(lines, cause);
    answer_say(lines, ", ");
    answer_say_long_text(lines, reason);
    answer_say(lines, "%sfingerprint ", reason.length ? "; " : "");
    answer_say_text(lines, json_text(cause, "fingerprint"));
    answer_end_line(lines);
    say_level(lines, json_text(path, "level"));
    enum loupe_status status = answer_say_way(lines, path);
    if (!status)
        status = say_own_cycle(lines, cause);
    say_mistake(lines, cause);
    say_equal_ones(lines, cause);
    return status;
}

static void say_how_many(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root;
    uint64_t found = json_uint(root, "found");
    if (!found) {
        answer_say(lines, "No %ssuspects (", other(json_uint(root, "hidden_by_baseline")));
        answer_say_number(lines, json_uint(root, "rules"));
        answer_say(lines, " rules");
        if (!count_of_kind(json_member(root, "suspects"), "share"))
            answer_say(lines, "; no owner over %u %%", (unsigned)json_uint(root, "percent"));
        answer_say(lines, ")");
    } else {
        answer_say_count(lines, found, "object");
        answer_say(lines, " should be gone but %s held (", found == 1 ? "is" : "are");
        answer_say_count(lines, json_uint(root, "groups"), "distinct cause");
        answer_say(lines, "); %s ", found == 1 ? "it keeps" : "they keep");
        answer_say_things(lines, json_uint(root, "retained_objects"),
                          json_uint(root, "retained_others"));
        answer_say(lines, ", ");
        answer_say_bytes(lines, json_uint(root, "retained"));
        answer_say(lines, " alive");
    }
    answer_end_line(lines);
}

static void say_held_by_others(struct answer_lines *lines, uint64_t count) {
    if (!count)
        return;
    answer_end_line(lines);
    answer_say_number(lines, count);
    answer_say(lines, " more should be gone and %s held by these only", count == 1 ? "is" : "are");
    answer_end_line(lines);
}

static void say_garbage(struct answer_lines *lines, uint64_t count) {
    if (!count)
        return;
    answer_end_line(lines);
    answer_say_count(lines, count, "object");
    answer_say(lines, " that should be gone will be freed: %s",
               count == 1 ? "it is garbage" : "they are garbage");
    answer_end_line(lines);
}

static enum loupe_status say_all_held(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *suspects = json_member(root, "suspects");
    enum loupe_status status = LOUPE_OK;
    say_how_many(lines);
    JSON_EACH(suspect, suspects) {
        if (!status && is_kind(suspect, "rule"))
            status = say_held(lines, suspect);
    }
    say_more_causes(lines, json_uint(root, "groups"), count_of_kind(suspects, "rule"));
    say_held_by_others(lines, json_uint(root, "held_by_suspects"));
    return status;
}

/* ---- What leaked ---- */

static void say_holder(struct answer_lines *lines, const struct json_value *holder) {
    if (holder->kind != JSON_OBJECT) {
        answer_say(lines, "  " ANSWER_RELEASE_IS_MISSING);
        answer_end_line(lines);
        return;
    }
    answer_say(lines, "  " ANSWER_NOT_IN_CYCLE ". Held by ");
    answer_say_heap_link(lines, holder);
    answer_say(lines, " of ");
    answer_say_heap_object(lines, json_member(holder, "object"), ANSWER_SHORT_VALUE);
    answer_say(lines, ", which is leaked itself");
    answer_end_line(lines);
}

static enum loupe_status say_leaked(struct answer_lines *lines, const struct json_value *cause) {
    answer_end_line(lines);
    answer_say_times(lines, json_uint(cause, "count"));
    answer_say_heap_object(lines, json_member(cause, "object"), ANSWER_SHORT_VALUE);
    answer_say(lines, "; fingerprint ");
    answer_say_text(lines, json_text(cause, "fingerprint"));
    answer_end_line(lines);
    answer_say(lines, "  leaking");
    answer_say_rule(lines, cause);
    answer_end_line(lines);
    enum loupe_status status = say_own_cycle(lines, cause);
    if (!json_member(cause, "knots")->count)
        say_holder(lines, json_member(cause, "holder"));
    say_equal_ones(lines, cause);
    return status;
}

static enum loupe_status say_all_leaked(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *leaked = json_member(root, "leaked");
    uint64_t found = json_uint(root, "leaked_found"),
             not_searched = json_uint(root, "leaked_not_searched");
    enum loupe_status status = LOUPE_OK;
    if (!found)
        return LOUPE_OK;
    answer_end_line(lines);
    answer_say_count(lines, found, "object");
    answer_say(lines, " that should be gone %s leaked: unreachable", found == 1 ? "is" : "are");
    answer_end_line(lines);
    JSON_EACH(cause, leaked) {
        if (!status)
            status = say_leaked(lines, cause);
    }
    say_more_causes(lines, json_uint(root, "leaked_groups"), leaked->count);
    if (!not_searched)
        return status;
    answer_say(lines, "incomplete: ");
    answer_say_number(lines, not_searched);
    answer_say(lines, " more were not searched");
    answer_end_line(lines);
    return status;
}

/* ---- Owners ---- */

/* "Registry.sessions", "local variable of thread "main" in Main.run(Main.java:12)". */
static void say_culprit(struct answer_lines *lines, const struct json_value *suspect) {
    const struct json_value *root = json_member(json_member(suspect, "path"), "root");
    if (json_texts_equal(json_text(suspect, "culprit"), json_text(root, "kind")))
        answer_say_heap_root(lines, root);
    else
        answer_say_long_text(lines, json_text(suspect, "culprit"));
}

/* "Registry.sessions keeps 612.4 MB, 83 % of what is alive: 1,533,458 × Session". */
static enum loupe_status say_owner(struct answer_lines *lines, const struct json_value *suspect) {
    const struct json_value *kept = json_member(suspect, "kept");
    uint64_t owners = json_uint(suspect, "owners");
    answer_end_line(lines);
    if (owners > 1) {
        answer_say_number(lines, owners);
        answer_say(lines, " ");
        answer_say_class_of(lines, suspect);
        answer_say(lines, " keep ");
    } else {
        say_culprit(lines, suspect);
        answer_say(lines, " keeps ");
    }
    answer_say_bytes(lines, json_uint(suspect, "retained"));
    answer_say(lines, ", %u" ANSWER_OF_ALIVE, (unsigned)json_uint(suspect, "share"));
    if (owners <= 1 && kept->kind == JSON_OBJECT) {
        answer_say(lines, ": ");
        answer_say_times(lines, json_uint(kept, "count"));
        answer_say_class_of(lines, kept);
    }
    answer_say(lines, "; fingerprint ");
    answer_say_text(lines, json_text(suspect, "fingerprint"));
    answer_end_line(lines);
    return answer_say_way(lines, json_member(suspect, "path"));
}

static void say_what_owners_are(struct answer_lines *lines, bool are_some) {
    const struct json_value *root = lines->answer->root;
    const char *more = other(json_uint(root, "hidden_owners"));
    unsigned percent = (unsigned)json_uint(root, "percent");
    answer_end_line(lines);
    if (are_some)
        answer_say(lines, "What keeps %u %% or more of the ", percent);
    else
        answer_say(lines, "No %sobject, and no %sclass of objects, keeps %u %% of the ", more, more,
                   percent);
    answer_say_bytes(lines, json_uint(root, "alive"));
    answer_say(lines, are_some ? " that are alive, whether it should or not:" : " alive");
    answer_end_line(lines);
}

static enum loupe_status say_owners(struct answer_lines *lines) {
    const struct json_value *suspects = json_member(lines->answer->root, "suspects");
    enum loupe_status status = LOUPE_OK;
    say_what_owners_are(lines, count_of_kind(suspects, "share"));
    JSON_EACH(suspect, suspects) {
        if (!status && is_kind(suspect, "share"))
            status = say_owner(lines, suspect);
    }
    return status;
}

/* ---- All of them ---- */

static void say_hidden(struct answer_lines *lines, uint64_t hidden) {
    if (!hidden)
        return;
    answer_end_line(lines);
    answer_say(lines, "Hidden by the baseline: ");
    answer_say_count(lines, hidden, "cause");
    answer_end_line(lines);
}

/* Of a heap of which only classes were counted. */
static void say_large_classes(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *suspects = json_member(root, "suspects");
    answer_say_text(lines, json_text(root, "format"));
    answer_say(lines, ": ");
    answer_say_contents(lines);
    answer_say(lines, ", ");
    answer_say_bytes(lines, json_uint(json_member(root, "snapshot"), "bytes"));
    answer_end_line(lines);
    answer_say_summary(lines);
    answer_end_line(lines);
    answer_say(lines,
               suspects->first ? "Classes with %u %% of the bytes or more:"
                               : "No class has %u %% of the bytes",
               (unsigned)json_uint(root, "percent"));
    answer_end_line(lines);
    JSON_EACH(suspect, suspects) {
        answer_say(lines, "  ");
        answer_say_times(lines, json_uint(suspect, "count"));
        answer_say_class_of(lines, suspect);
        answer_say(lines, ", ");
        answer_say_bytes(lines, json_uint(suspect, "size"));
        answer_say(lines, ", %u %%", (unsigned)json_uint(suspect, "share"));
        answer_end_line(lines);
    }
    answer_say_heap_notes(lines, false);
}

enum loupe_status answer_say_suspects(struct answer_lines *lines,
                                      const struct answer_report *report) {
    const struct json_value *root = lines->answer->root;
    (void)report;
    if (json_is_true(root, "summary")) {
        say_large_classes(lines);
        return LOUPE_OK;
    }
    enum loupe_status status = say_all_held(lines);
    if (!status && answer_is_native(lines->answer))
        status = say_all_leaked(lines);
    else
        say_garbage(lines, json_uint(root, "not_held"));
    if (!status)
        status = say_owners(lines);
    say_hidden(lines, json_uint(root, "hidden_by_baseline"));
    answer_say_recorder(lines);
    answer_say_written_baseline(lines);
    answer_say_heap_notes(lines, json_uint(root, "leaked_found") > 0);
    return status;
}
