/* An object that should have died, in words. */
#include "answers/parts/watched_text.h"

#include "answers/parts/heap_text.h"
#include "answers/parts/knot_text.h"
#include "answers/texts.h"

enum { MOST_HOLDERS = 3 };

/* ---- Where a way begins ---- */

static bool variable_at(const struct answer_lines *lines, struct loupe_span slot, char *dst,
                        size_t cap) {
    char at[32];
    loupe_format(at, sizeof(at), "%.*s", slot.length < sizeof(at) ? (int)slot.length : 0,
                 slot.bytes);
    return lines->answer->variable && lines->answer->variable(at, dst, cap);
}

static void say_root(struct answer_lines *lines, const struct json_value *root) {
    struct loupe_span slot = json_text(root, "slot"), kind = json_text(root, "kind");
    char variable[256];
    if (loupe_span_equals(kind, "data") && !json_text(root, "name").length &&
        variable_at(lines, slot, variable, sizeof(variable)))
        answer_say_named_root(lines, root, loupe_span_of(variable));
    else
        answer_say_native_root(lines, root);
}

static void say_way(struct answer_lines *lines, const struct json_value *holder) {
    const struct json_value *root = json_member(holder, "root");
    if (root->kind != JSON_OBJECT)
        return;
    answer_say(lines, "    from ");
    say_root(lines, root);
    answer_say(lines, " %s ", lines->glyphs->arrow);
    answer_say_thing_in_full(lines, json_text(root, "to"));
    answer_end_line(lines);
    JSON_EACH(step, json_member(holder, "way")) {
        answer_say_step(lines, step);
    }
}

/* ---- Who holds it ---- */

static void say_holder(struct answer_lines *lines, const struct json_value *holder) {
    const struct json_value *edge = json_member(holder, "edge");
    answer_say(lines, "  Held by ");
    answer_say_path(lines, edge);
    answer_say(lines, " (");
    answer_say_kind(lines, edge);
    answer_say(lines, ") of ");
    answer_say_thing_in_full(lines, json_text(edge, "from"));
    answer_end_line(lines);
    say_way(lines, holder);
}

static void say_known_holders(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root;
    uint64_t found = json_uint(root, "holders_found"), shown = 0;
    JSON_EACH(holder, json_member(root, "holders")) {
        if (shown == MOST_HOLDERS)
            break;
        say_holder(lines, holder);
        shown++;
    }
    if (found <= shown)
        return;
    answer_say(lines, "  and by ");
    answer_say_count(lines, found - shown, "more reference");
    answer_end_line(lines);
}

static void say_possible_holders(struct answer_lines *lines) {
    const struct json_value *roots = json_member(lines->answer->root, "roots");
    uint32_t shown = 0;
    JSON_EACH(root, roots) {
        if (shown == MOST_HOLDERS)
            break;
        answer_say(lines, "  Possibly held by ");
        say_root(lines, root);
        answer_end_line(lines);
        shown++;
    }
    if (roots->count <= shown)
        return;
    answer_say(lines, "  and possibly by ");
    answer_say_count(lines, roots->count - shown, "more place");
    answer_end_line(lines);
}

static void say_holders(struct answer_lines *lines) {
    const struct json_value *verdict = json_member(lines->answer->root, "verdict");
    say_known_holders(lines);
    say_possible_holders(lines);
    answer_say(lines, "  Verdict: ");
    answer_say_text(lines, json_text(verdict, "kind"));
    answer_say(lines, ": ");
    answer_say_text(lines, json_text(verdict, "reason"));
    answer_end_line(lines);
}

/* ---- The whole ---- */

const struct json_value *answer_own_knot(const struct answer *answer) {
    JSON_EACH(knot, json_member(answer->root, "knots")) {
        if (json_is_true(knot, "contains_seed"))
            return knot;
    }
    return NULL;
}

static void say_object(struct answer_lines *lines, const struct answer_watched *watched) {
    answer_say(lines, "loupe: ");
    answer_say_text(lines, watched->class_name);
    answer_say(lines, " 0x%llx ", (unsigned long long)watched->address);
}

static void say_first_line(struct answer_lines *lines, const struct answer_watched *watched) {
    say_object(lines, watched);
    answer_say(lines, "should have died and is alive: ");
    answer_say_text(lines, watched->reason);
    if (watched->children) {
        answer_say(lines, "; and ");
        answer_say_count(lines, watched->children, "object");
        answer_say(lines, " that should have died with it");
    }
    answer_end_line(lines);
}

static void say_problem(struct answer_lines *lines, const char *what) {
    const struct json_value *root = lines->answer->root;
    struct loupe_span status = json_text(root, "status");
    bool is_error = loupe_span_equals(status, "error");
    if (!is_error && !loupe_span_equals(status, "incomplete"))
        return;
    answer_say(lines, "  %s: ", what);
    if (is_error)
        answer_say_text(lines, json_text(json_member(root, "error"), "message"));
    else
        answer_say(lines, "some references could not be followed (docs: not_followed)");
    answer_end_line(lines);
}

static enum loupe_status say_what_keeps_it(struct answer_lines *lines,
                                           const struct answer *incoming) {
    const struct json_value *knot = answer_own_knot(lines->answer);
    enum loupe_status status = LOUPE_OK;
    if (knot) {
        static const struct answer_knot_notes none;
        answer_say_knot_heading(lines, knot);
        if (json_member(knot, "certain")->kind == JSON_FALSE)
            answer_say_doubt(lines, "  ");
        status = answer_say_knot(lines, knot, &none);
    }
    say_problem(lines, knot ? "More retain cycles are possible" : "A retain cycle is possible");
    if (knot || !incoming)
        return status;
    lines->answer = incoming;
    answer_say(lines, ANSWER_NOT_IN_CYCLE);
    answer_end_line(lines);
    say_holders(lines);
    return status;
}

enum loupe_status answer_say_watched(struct answer_lines *lines, const struct answer *incoming,
                                     const struct answer_watched *watched) {
    say_first_line(lines, watched);
    if (watched->repeated.length) {
        answer_say(lines, "  the same cause as before: fingerprint ");
        answer_say_text(lines, watched->repeated);
        answer_end_line(lines);
        return lines->status;
    }
    if (watched->problem) {
        answer_say(lines, "  Not searched: %s", watched->problem);
        answer_end_line(lines);
    }
    enum loupe_status status = say_what_keeps_it(lines, incoming);
    return status ? status : lines->status;
}

void answer_say_late(struct answer_lines *lines, const struct answer_watched *watched,
                     uint64_t milliseconds) {
    uint64_t tenths = (milliseconds + 50) / 100;
    say_object(lines, watched);
    answer_say(lines, "freed %llu.%llu s late: not a leak", (unsigned long long)(tenths / 10),
               (unsigned long long)(tenths % 10));
    answer_end_line(lines);
}

void answer_say_used_again(struct answer_lines *lines, const struct answer_watched *watched) {
    say_object(lines, watched);
    answer_say(lines, "in use again: not a leak");
    answer_end_line(lines);
}
