/* A knot in words. */
#include "answers/parts/knot_text.h"

#include "answers/leak_words.h"
#include "answers/parts/ring_text.h"
#include "answers/texts.h"
#include "answers/verdict_words.h"

/* ---- The first line ---- */

static const struct json_value *first_ring(const struct json_value *knot) {
    const struct json_value *rings = json_member(knot, "rings");
    return rings->first ? rings->first : rings;
}

static bool is_certain(const struct json_value *knot) {
    return json_member(knot, "certain")->kind != JSON_FALSE;
}

/* References of the knot that are not on its first ring, nor beside one that is. */
static int64_t further_references(const struct json_value *knot) {
    int64_t left = (int64_t)json_uint(knot, "edges");
    left -= (int64_t)json_uint(first_ring(knot), "length");
    JSON_EACH(fix, json_member(knot, "fixes"))
    left -= json_member(fix, "with")->count;
    return left;
}

void answer_say_size(struct answer_lines *lines, const struct json_value *knot) {
    uint64_t objects = json_uint(knot, "objects"), edges = json_uint(knot, "edges"),
             shortest = json_uint(first_ring(knot), "length");
    bool is_ring = edges == objects || (objects == shortest && further_references(knot) <= 0);
    bool has_one_ring =
        json_member(knot, "rings")->count == 1 && !answer_is_set(json_member(knot, "hidden_rings"));
    bool certain = is_certain(knot);
    if (objects == 1) {
        answer_say(lines, "%s", certain ? ANSWER_RETAINS_ITSELF : ANSWER_MAY_RETAIN_ITSELF);
        return;
    }
    answer_say(lines, "%s of ", certain ? "Retain cycle" : "Possible retain cycle");
    answer_say_count(lines, objects, "object");
    if (is_ring)
        return;
    answer_say(lines, " and ");
    answer_say_count(lines, edges, "reference");
    if (has_one_ring && shortest) {
        answer_say(lines, " (shortest loop: ");
        answer_say_number(lines, shortest);
        answer_say(lines, ")");
    }
}

struct holders {
    uint64_t seen, unseen; /* references from objects that were searched, and retains of others */
};

static struct holders holders_of(const struct json_value *knot) {
    const struct json_value *counts = json_member(knot, "counts");
    return (struct holders){json_uint(counts, "outside"), json_uint(counts, "unexplained")};
}

static void say_held(struct answer_lines *lines, const struct json_value *knot) {
    struct holders holders = holders_of(knot);
    uint64_t count = holders.seen + holders.unseen;
    answer_say(lines, "held: ");
    if (count)
        answer_say_count(lines, count, "retain");
    else
        answer_say(lines, "a retain");
    answer_say(lines, " come%s from outside the cycle", count > 1 ? "" : "s");
}

static bool is_timed(const struct json_value *knot) {
    return loupe_degree_named(json_text(knot, "degree")) == LOUPE_DEGREE_TIMER;
}

void answer_say_verdict(struct answer_lines *lines, const struct json_value *knot) {
    struct loupe_span verdict = json_text(knot, "verdict"),
                      reason = json_text(knot, "verdict_reason");
    if (is_timed(knot)) {
        answer_say_text(lines, answer_degree_sentence(json_text(knot, "degree")));
    } else if (loupe_span_equals(verdict, "leaked")) {
        answer_say(lines, ANSWER_NOTHING_RETAINS);
    } else if (loupe_span_equals(verdict, "held")) {
        say_held(lines, knot);
    } else {
        answer_say(lines, "unknown%s", reason.length ? ": " : "");
        answer_say_text(lines, reason);
    }
}

void answer_say_knot_heading(struct answer_lines *lines, const struct json_value *knot) {
    answer_paint_name(lines);
    answer_say_size(lines, knot);
    answer_paint_end(lines);
    answer_say(lines, ", ");
    answer_say_verdict(lines, knot);
    answer_end_line(lines);
}

/* ---- More rings ---- */

enum { MOST_RINGS = 4096 }; /* of a knot, whatever is asked for (core/cycles/rings/more_rings.h) */

/* Where the question was about cycles, which takes it. NULL: nowhere else. */
static const char *option_for_more(const struct answer_lines *lines) {
    struct loupe_span query = json_text(lines->answer->root, "query");
    if (lines->look.host == ANSWER_IN_DEBUGGER)
        return "-n";
    return lines->look.host == ANSWER_IN_TERMINAL &&
                   (loupe_span_equals(query, "cycles") || loupe_span_equals(query, "retain-cycles"))
               ? "--max-rings"
               : NULL;
}

static void say_more_rings(struct answer_lines *lines, const struct json_value *knot) {
    uint32_t shown = json_member(knot, "rings")->count;
    const char *option = option_for_more(lines);
    if (json_member(knot, "all_rings")->kind != JSON_FALSE || further_references(knot) <= 0)
        return;
    answer_say(lines, "  More loops exist");
    if (shown >= MOST_RINGS)
        answer_say(lines, "; at most 4,096 of a cycle are searched for");
    else if (option) {
        uint32_t more = shown ? 10 * shown : 10;
        more = more < MOST_RINGS ? more : MOST_RINGS;
        answer_say(lines, " (%s %u shows up to %u)", option, more, more);
    }
    answer_end_line(lines);
}

/* ---- Who else keeps it ---- */

static const char *and_so_on(const struct answer_lines *lines) {
    return lines->look.unicode ? "…" : "...";
}

/* An object of the cycle to ask about: the one that was asked about, where it is in it. */
static struct loupe_span object_to_ask(const struct answer_lines *lines,
                                       const struct json_value *knot) {
    const struct json_value *edges = json_member(first_ring(knot), "edges");
    if (json_is_true(knot, "contains_seed"))
        return json_text(lines->answer->root, "seed");
    return edges->first ? json_text(edges->first, "from") : (struct loupe_span){NULL, 0};
}

/* Of the objects that a debugger searched from. */
static void say_not_searched(struct answer_lines *lines, const struct json_value *knot,
                             uint64_t count) {
    answer_say(lines, "  ");
    answer_say_count(lines, count, "retain");
    answer_say(lines, " %s from something not searched (a variable, a run loop, %s)",
               count == 1 ? "is" : "are", and_so_on(lines));
    if (lines->look.host == ANSWER_IN_DEBUGGER) {
        answer_say(lines, ". To find %s: strong-refs --incoming ", count == 1 ? "it" : "them");
        answer_say_text(lines, object_to_ask(lines, knot));
    }
    answer_end_line(lines);
}

/* Of a whole heap. */
static void say_unexplained(struct answer_lines *lines, uint64_t count, bool is_lost) {
    char text[ANSWER_LONGEST_VERDICT];
    answer_say(lines, "  ");
    if (is_lost) {
        answer_missing_besides_cycle(count, text, sizeof(text));
        answer_say(lines, "%s", text);
    } else {
        answer_say_count(lines, count, "retain");
        answer_say(lines, " %s no known reference (a variable, a run loop, %s)",
                   count == 1 ? "has" : "have", and_so_on(lines));
    }
    answer_end_line(lines);
}

static void say_holders(struct answer_lines *lines, const struct json_value *knot, bool is_lost) {
    const struct json_value *known = json_member(knot, "held_by");
    struct holders holders = holders_of(knot);
    bool is_held = loupe_span_equals(json_text(knot, "verdict"), "held");
    is_lost = is_lost || loupe_span_equals(json_text(knot, "verdict"), "leaked");
    if (is_timed(knot) || !(is_held || is_lost)) /* what is lost counts though nobody holds it */
        return;
    JSON_EACH(edge, known) {
        answer_say(lines, "  Held by ");
        answer_say_path(lines, edge);
        answer_say(lines, " of ");
        answer_say_thing_in_full(lines, json_text(edge, "from"));
        answer_end_line(lines);
    }
    if (holders.seen > known->count) {
        answer_say(lines, "  Held by ");
        answer_say_count(lines, holders.seen - known->count, "more reference");
        answer_end_line(lines);
    }
    if (holders.unseen && (is_lost || lines->look.host == ANSWER_IN_TERMINAL))
        say_unexplained(lines, holders.unseen, is_lost);
    else if (holders.unseen)
        say_not_searched(lines, knot, holders.unseen);
}

/* ---- Evidence for and against one that is only possible ---- */

static void say_counts(struct answer_lines *lines, const struct json_value *knot) {
    const struct json_value *counts = json_member(knot, "counts");
    struct loupe_span example = json_text(knot, "verdict_example");
    struct holders holders = holders_of(knot);
    uint64_t excess = json_uint(counts, "excess");
    if (excess) {
        answer_say(lines, "  Evidence against: %llu more %s than retains",
                   (unsigned long long)excess, excess == 1 ? "reference" : "references");
        if (example.length) {
            answer_say(lines, " (e.g. to ");
            answer_say_thing(lines, example);
            answer_say(lines, ")");
        }
        answer_say(lines, ", so at least %llu of these references %s nothing.",
                   (unsigned long long)excess, excess == 1 ? "owns" : "own");
        answer_end_line(lines);
    } else if (counts->count && !json_uint(counts, "not_counted") && !holders.seen &&
               !holders.unseen) {
        answer_say(lines, "  Evidence for: if all of them own, the retain counts add up exactly.");
        answer_end_line(lines);
    }
}

static void say_evidence(struct answer_lines *lines, const struct json_value *knot) {
    if (!is_certain(knot))
        say_counts(lines, knot);
}

void answer_say_doubt(struct answer_lines *lines, const char *indent) {
    bool is_plain = loupe_span_equals(json_text(lines->answer->root, "abi"), "none");
    answer_paint_faint(lines);
    answer_say(lines, "%sPossible only: references marked assumed may not own their objects; %s",
               indent, is_plain ? "C++" : "the runtime");
    answer_end_line(lines);
    answer_say(lines, "%skeeps no record of ownership for them%s.", indent,
               is_plain ? "" : " (manual retain/release)");
    answer_paint_end(lines);
    answer_end_line(lines);
}

/* ---- The whole ---- */

static void say_mistake(struct answer_lines *lines, const struct answer_knot_notes *notes) {
    if (!notes->mistake.length)
        return;
    answer_say(lines, "  " ANSWER_KNOWN_MISTAKE);
    answer_say_text(lines, notes->mistake);
    answer_end_line(lines);
    if (!lines->look.verbose)
        return;
    answer_say(lines, "    ");
    visible_add_text(&lines->line, notes->why, VISIBLE_ROOM);
    answer_end_line(lines);
}

enum loupe_status answer_say_knot(struct answer_lines *lines, const struct json_value *knot,
                                  const struct answer_knot_notes *notes) {
    const struct json_value *rings = json_member(knot, "rings");
    JSON_EACH(ring, rings) {
        if (ring != rings->first) {
            answer_end_line(lines);
            answer_say(lines, "  another loop of the same cycle:");
            answer_end_line(lines);
        }
        answer_say_ring(lines, ring, knot);
    }
    say_more_rings(lines, knot);
    say_holders(lines, knot, notes->is_lost);
    say_evidence(lines, knot);
    enum loupe_status status = answer_say_fixes(lines, knot);
    say_mistake(lines, notes);
    return status ? status : lines->status;
}
