/* A knot in words. */
#include "answers/knot_text.h"

#include "answers/ring_text.h"

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
    answer_say(lines, "%s", certain ? "" : "Possibly ");
    if (objects == 1) {
        answer_say(lines, "%s object that keeps itself alive", certain ? "An" : "an");
        return;
    }
    answer_say(lines, "%s %s of ", certain ? "A" : "a", is_ring ? "ring" : "knot");
    answer_say_count(lines, objects, "object");
    if (is_ring)
        return;
    answer_say(lines, " and ");
    answer_say_count(lines, edges, "reference");
    if (has_one_ring && shortest) {
        answer_say(lines, ", its shortest ring of ");
        answer_say_number(lines, shortest);
    }
}

struct holders {
    uint64_t seen, unseen; /* references from objects that were walked, and from elsewhere */
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
        answer_say_count(lines, count, "reference");
    else
        answer_say(lines, "something");
    answer_say(lines, " from outside keep%s it alive too", count > 1 ? "" : "s");
}

void answer_say_verdict(struct answer_lines *lines, const struct json_value *knot) {
    struct loupe_span verdict = json_text(knot, "verdict"),
                      reason = json_text(knot, "verdict_reason");
    if (loupe_span_equals(verdict, "leaked")) {
        answer_say(lines, "leaked: nothing outside keeps it alive");
    } else if (loupe_span_equals(verdict, "held")) {
        say_held(lines, knot);
    } else {
        answer_say(lines, "leaked or still in use: ");
        answer_say_text(lines, reason.length ? reason : loupe_span_of("cannot be told"));
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

enum { MOST_RINGS = 4096 }; /* of a knot, whatever is asked for (core/cycles/more_rings.h) */

static void say_more_rings(struct answer_lines *lines, const struct json_value *knot) {
    uint32_t shown = json_member(knot, "rings")->count;
    if (json_member(knot, "all_rings")->kind != JSON_FALSE || further_references(knot) <= 0)
        return;
    answer_say(lines, "  There are more rings in it");
    if (shown >= MOST_RINGS)
        answer_say(lines, "; 4,096 of a knot are the most that are looked for");
    else if (lines->look.host == ANSWER_IN_DEBUGGER) {
        uint32_t more = shown ? 10 * shown : 10;
        answer_say(lines, " (-n %u shows up to %u)", more < MOST_RINGS ? more : MOST_RINGS,
                   more < MOST_RINGS ? more : MOST_RINGS);
    }
    answer_end_line(lines);
}

/* ---- Who else keeps it ---- */

/* Of the objects that a debugger walked from. */
static void say_not_walked(struct answer_lines *lines, uint64_t count) {
    answer_say(lines, "  Held by ");
    answer_say_count(lines, count, "reference");
    answer_say(lines, " from where Loupe did not walk (a variable, a run loop, ...)");
    answer_say(lines, "%s", lines->look.host == ANSWER_IN_DEBUGGER ? ":" : "");
    answer_end_line(lines);
    if (lines->look.host != ANSWER_IN_DEBUGGER)
        return;
    answer_say(lines, "    strong-refs --incoming looks there");
    answer_end_line(lines);
}

/* Of a whole heap. Nobody could still give back a retain of what is lost: it was forgotten. */
static void say_unexplained(struct answer_lines *lines, uint64_t count, bool is_lost) {
    if (is_lost)
        answer_say(lines, "  %s missing, too: no reference explains ",
                   count == 1 ? "A release is" : "Releases are");
    else
        answer_say(lines, "  Held by ");
    answer_say_count(lines, count, "retain");
    answer_say(lines, "%s",
               is_lost ? ", and breaking the ring is not enough"
                       : " that no reference explains: of a variable, a run loop, ...");
    answer_end_line(lines);
}

static void say_holders(struct answer_lines *lines, const struct json_value *knot, bool is_lost) {
    const struct json_value *known = json_member(knot, "held_by");
    struct holders holders = holders_of(knot);
    if (!loupe_span_equals(json_text(knot, "verdict"), "held"))
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
        answer_say_count(lines, holders.seen - known->count, "further reference");
        answer_end_line(lines);
    }
    if (holders.unseen && lines->look.host == ANSWER_IN_TERMINAL)
        say_unexplained(lines, holders.unseen, is_lost);
    else if (holders.unseen)
        say_not_walked(lines, holders.unseen);
}

/* ---- What speaks for and against one that is only possible ---- */

/* Classes whose references are assumed to own. */
static struct answer_names assumed_owners(struct answer_lines *lines,
                                          const struct json_value *knot) {
    struct answer_names owners = {.count = 0};
    JSON_EACH(ring, json_member(knot, "rings")) {
        JSON_EACH(edge, json_member(ring, "edges")) {
            struct loupe_span from = json_text(edge, "from");
            const struct json_value *holder = answer_object(lines->answer, from);
            bool is_block = loupe_span_equals(json_text(holder, "kind"), "block");
            if (loupe_span_equals(json_text(edge, "ownership"), "assumed"))
                answer_add_name(&owners, is_block ? loupe_span_of("blocks")
                                                  : answer_class(lines->answer, from));
        }
    }
    return owners;
}

static void say_counts(struct answer_lines *lines, const struct json_value *knot) {
    const struct json_value *counts = json_member(knot, "counts");
    struct loupe_span example = json_text(knot, "verdict_example");
    struct holders holders = holders_of(knot);
    uint64_t excess = json_uint(counts, "excess");
    if (excess) {
        answer_say(lines, "  Against it: retain counts are too small by %llu",
                   (unsigned long long)excess);
        if (example.length) {
            answer_say(lines, " (such as ");
            answer_say_thing(lines, example);
            answer_say(lines, ")");
        }
        answer_say(lines, ", so that many of the references");
        answer_end_line(lines);
        answer_say(lines, "  found own nothing.");
        answer_end_line(lines);
    } else if (counts->count && !json_uint(counts, "not_counted") && !holders.seen &&
               !holders.unseen) {
        answer_say(lines, "  For it: all of these owning would explain the retain counts exactly.");
        answer_end_line(lines);
    }
}

static void say_doubts(struct answer_lines *lines, const struct json_value *knot) {
    if (is_certain(knot))
        return;
    struct answer_names owners = assumed_owners(lines, knot);
    answer_say(lines,
               "  Possible, not certain: the runtime does not record whether the references");
    for (uint32_t i = 0; i < owners.count; i++) {
        answer_say(lines, "%s",
                   !i                                          ? " of "
                   : i + 1 == owners.count && !owners.has_more ? " and "
                                                               : ", ");
        answer_say_text(lines, owners.items[i]);
    }
    answer_say(lines, "%s marked", owners.has_more ? " and others" : "");
    answer_end_line(lines);
    answer_say(lines, "  assumed own what they point to (manual retain/release).");
    answer_end_line(lines);
    say_counts(lines, knot);
}

/* ---- The whole ---- */

static void say_mistake(struct answer_lines *lines, const struct answer_knot_notes *notes) {
    if (!notes->mistake.length)
        return;
    answer_say(lines, "  Known mistake: ");
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
            answer_say(lines, "  another ring of the same knot:");
            answer_end_line(lines);
        }
        answer_say_ring(lines, ring, knot);
    }
    say_more_rings(lines, knot);
    say_holders(lines, knot, notes->is_lost);
    say_doubts(lines, knot);
    enum loupe_status status = answer_say_fixes(lines, knot);
    say_mistake(lines, notes);
    return status ? status : lines->status;
}
