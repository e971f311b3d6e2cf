/* The fixes of a knot as changes in the source, best first. */
#include "answers/parts/knot_text.h"
#include "answers/texts.h"

#include <string.h>

enum { SHOWN = 3 };

/* One change in the source. Several fixes can be one: two objects of a class, a __block variable
 * that two blocks share. */
struct proposal {
    const struct json_value *fix; /* the best of them */
    struct loupe_span text, kept_by;
    enum { BREAKS_KNOT, BREAKS_EVERYWHERE, BREAKS_RING } breaks;
    enum { FREES_UNKNOWN, FREES_NOT, FREES } frees;
    bool second_best; /* something speaks against it */
    bool together;    /* one of those that break the rings shown, where the best breaks one */
    bool is_worth_it; /* nothing better makes it superfluous */
    bool is_shown;
};

struct proposals {
    struct proposal *items;
    uint32_t count;
};

/* ---- Fixes that are one change ---- */

static bool is_about_ivars(const struct json_value *fix) {
    JSON_EACH(subject, json_member(fix, "subjects")) {
        if (!loupe_span_equals(json_text(json_member(subject, "edge"), "kind"), "ivar"))
            return false;
    }
    return json_member(fix, "subjects")->count;
}

/* An ivar is in all objects of its class. */
static bool are_same_ivars(const struct answer *answer, const struct json_value *a,
                           const struct json_value *b) {
    const struct json_value *other = json_member(b, "subjects")->first;
    if (!json_texts_equal(json_text(a, "do"), json_text(b, "do")) ||
        json_member(a, "subjects")->count != json_member(b, "subjects")->count)
        return false;
    JSON_EACH(subject, json_member(a, "subjects")) {
        const struct json_value *edge = json_member(subject, "edge"),
                                *other_edge = json_member(other, "edge");
        if (!json_texts_equal(answer_class(answer, json_text(edge, "from")),
                              answer_class(answer, json_text(other_edge, "from"))) ||
            !json_texts_equal(answer_path(edge), answer_path(other_edge)))
            return false;
        other = other->next;
    }
    return true;
}

static struct proposal *find_same(const struct answer *answer, const struct proposals *proposals,
                                  const struct json_value *fix, struct loupe_span text) {
    bool has_ivars = is_about_ivars(fix);
    for (uint32_t i = 0; i < proposals->count; i++) {
        struct proposal *proposal = &proposals->items[i];
        bool both = has_ivars && is_about_ivars(proposal->fix);
        if (both ? are_same_ivars(answer, fix, proposal->fix)
                 : json_texts_equal(text, proposal->text))
            return proposal;
    }
    return NULL;
}

static struct proposal propose(const struct json_value *fix, struct loupe_span text) {
    const struct json_value *frees = json_member(fix, "frees");
    struct proposal proposal = {.fix = fix,
                                .text = text,
                                .kept_by = json_text(fix, "kept_by"),
                                .second_best = json_member(fix, "against")->count,
                                .together = json_is_true(fix, "together"),
                                .breaks = BREAKS_RING,
                                .frees = FREES_UNKNOWN};
    if (loupe_span_equals(json_text(fix, "breaks"), "knot"))
        proposal.breaks = BREAKS_KNOT;
    else if (loupe_span_equals(json_text(fix, "everywhere"), "knot"))
        proposal.breaks = BREAKS_EVERYWHERE;
    if (json_is_true(fix, "enough") || frees->kind == JSON_TRUE)
        proposal.frees = FREES;
    else if (frees->kind == JSON_FALSE)
        proposal.frees = FREES_NOT;
    return proposal;
}

static void merge(struct proposal *into, const struct proposal *from) {
    into->together |= from->together;
    into->breaks = from->breaks < into->breaks ? from->breaks : into->breaks;
    if (from->second_best && !into->second_best) /* what speaks against one of them is told */
        into->text = from->text;
}

static enum loupe_status add_fix(struct answer_lines *lines, const struct json_value *fix,
                                 struct proposals *ret) {
    char text[ANSWER_LONGEST_FIX];
    size_t length = answer_fix_text(lines->answer, fix, text, sizeof(text));
    char *copy = loupe_arena_copy_string(lines->answer->arena, (struct loupe_span){text, length});
    if (!copy)
        return LOUPE_ENOMEM;
    struct proposal proposal = propose(fix, (struct loupe_span){copy, length});
    struct proposal *same = find_same(lines->answer, ret, fix, proposal.text);
    if (same)
        merge(same, &proposal);
    else
        ret->items[ret->count++] = proposal;
    return LOUPE_OK;
}

static enum loupe_status read_proposals(struct answer_lines *lines, const struct json_value *knot,
                                        struct proposals *ret) {
    const struct json_value *fixes = json_member(knot, "fixes");
    enum loupe_status status = LOUPE_OK;
    ret->count = 0;
    ret->items = loupe_arena_alloc_array(lines->answer->arena, (size_t)fixes->count + 1,
                                         sizeof(*ret->items));
    if (!ret->items)
        return LOUPE_ENOMEM;
    JSON_EACH(fix, fixes) {
        if (!status)
            status = add_fix(lines, fix, ret);
    }
    return status;
}

/* ---- Which are shown ---- */

static bool is_enough(const struct proposal *proposal) {
    return proposal->frees == FREES;
}

/* What is on the wrong side of the ring is left out where there is something better; the first is
 * what the engine says to do. */
static bool has_better(const struct proposals *proposals) {
    for (uint32_t i = 0; i < proposals->count; i++) {
        if ((i == 0 || !proposals->items[i].second_best) && is_enough(&proposals->items[i]))
            return true;
    }
    return false;
}

/* Returns whether they are several that are needed together. */
static bool choose(const struct proposals *proposals, uint32_t *shown_ret) {
    bool several = false, better = has_better(proposals);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < proposals->count; i++)
        several |= proposals->items[i].together;
    for (uint32_t i = 0; i < proposals->count; i++) {
        struct proposal *proposal = &proposals->items[i];
        proposal->is_worth_it = i == 0 || !better || !proposal->second_best;
        proposal->is_shown = several ? proposal->together : proposal->is_worth_it && shown < SHOWN;
        shown += proposal->is_shown;
    }
    *shown_ret = shown;
    return several;
}

/* Those of a cycle, and which of them are shown; *several_ret: they are needed together. */
static enum loupe_status find_proposals(struct answer_lines *lines, const struct json_value *knot,
                                        struct proposals *ret, uint32_t *shown_ret,
                                        bool *several_ret) {
    enum loupe_status status = read_proposals(lines, knot, ret);
    *several_ret = !status && choose(ret, shown_ret) && *shown_ret > 1;
    return status;
}

/* ---- Lines ---- */

static void say_heading(struct answer_lines *lines, const struct json_value *knot,
                        const struct proposals *proposals, uint32_t shown) {
    bool enough = false, enough_breaks = false, breaks = false;
    for (uint32_t i = 0; i < proposals->count; i++) {
        const struct proposal *proposal = &proposals->items[i];
        if (!proposal->is_shown)
            continue;
        enough |= is_enough(proposal);
        breaks |= proposal->breaks != BREAKS_RING;
        enough_breaks |= is_enough(proposal) && proposal->breaks != BREAKS_RING;
    }
    const char *order = shown > 1 ? ", best first:" : ":", *end = shown > 1 ? "" : "s";
    const char *these = shown > 1 ? "These break" : "This breaks";
    answer_say(lines, "  ");
    if (enough_breaks) {
        answer_say(lines, "Fix%s%s", shown > 1 ? "es" : "", order);
    } else if (enough && json_is_true(knot, "contains_seed")) {
        answer_say(lines, "Fix%s that free%s ", shown > 1 ? "es" : "", end);
        answer_say_thing(lines, json_text(lines->answer->root, "seed"));
        answer_say(lines, "%s", order);
    } else if (enough) {
        answer_say(lines,
                   "Fix%s (an object held from outside the cycle is then freed with its holder):",
                   shown > 1 ? "es" : "");
    } else if (breaks) {
        answer_say(lines, "No single fix frees these objects. %s the cycle:", these);
    } else {
        answer_say(lines, "No single fix breaks every loop. %s the one shown:", these);
    }
    answer_end_line(lines);
}

/* What the change does, where that is not to break all of the knot by this reference alone.
 * in_ring: for one that breaks a ring only. */
static void say_extent(struct answer_lines *lines, const struct proposal *proposal,
                       const char *in_ring) {
    const struct json_value *edge = json_member(proposal->fix, "edge");
    struct loupe_span class_name = answer_class(lines->answer, json_text(edge, "from"));
    bool observes = loupe_span_equals(json_text(proposal->fix, "do"), "remove-observer");
    if (proposal->kept_by.length) {
        answer_say(lines, " (breaks the loop, but ");
        answer_say_thing(lines, proposal->kept_by);
        answer_say(lines, " is kept from elsewhere and still reaches the object)");
    } else if (proposal->breaks != BREAKS_RING && proposal->frees == FREES_UNKNOWN) {
        answer_say(lines,
                   " (not checked: something outside the cycle retains other objects of it)");
    } else if (proposal->breaks == BREAKS_EVERYWHERE && observes) {
        answer_say(lines, " (breaks every loop if each ");
        answer_say_text(lines, answer_class(lines->answer, json_text(edge, "to")));
        answer_say(lines, " is removed)");
    } else if (proposal->breaks == BREAKS_EVERYWHERE && json_is_true(edge, "manual")) {
        answer_say(lines, " (breaks every loop if no ");
        answer_say_text(lines, class_name);
        answer_say(lines, " retains it)");
    } else if (proposal->breaks == BREAKS_EVERYWHERE) {
        answer_say(lines, " (breaks every loop if weak in all ");
        answer_say_text(lines, class_name);
        answer_say(lines, ")");
    } else if (proposal->breaks == BREAKS_RING && !is_enough(proposal)) {
        answer_say(lines, "%s", in_ring);
    }
}

static void say_proposals(struct answer_lines *lines, const struct proposals *proposals,
                          bool is_shown, const char *in_ring) {
    for (uint32_t i = 0; i < proposals->count; i++) {
        if (proposals->items[i].is_shown != is_shown)
            continue;
        bool is_best = i == 0 || proposals->items[i].together;
        answer_say(lines, "    %s ", lines->glyphs->bullet);
        if (is_best)
            answer_paint_name(lines);
        visible_add_text(&lines->line, proposals->items[i].text, ANSWER_LONGEST_FIX);
        if (is_best)
            answer_paint_end(lines);
        if (in_ring)
            say_extent(lines, &proposals->items[i], in_ring);
        answer_end_line(lines);
    }
}

static const char *for_ring(const struct json_value *knot, const struct proposals *proposals) {
    bool whole = false;
    for (uint32_t i = 0; i < proposals->count; i++)
        whole |= proposals->items[i].breaks != BREAKS_RING || is_enough(&proposals->items[i]);
    if (!whole)
        return "";
    return json_member(knot, "rings")->count == 1 ? " (" ANSWER_BREAKS_RING ")"
                                                  : " (" ANSWER_BREAKS_ONE_RING ")";
}

/* Where the others are to be seen. */
static const char *for_more(const struct answer_lines *lines, bool several) {
    static const char *const places[][2] = {
        [ANSWER_IN_DEBUGGER] = {" with -v", " (-v shows them)"},
        [ANSWER_IN_TERMINAL] = {" (--json has them)", " (--json has them)"},
        [ANSWER_IN_PROGRAM] = {", in lldb", " (in lldb)"}};
    return places[lines->look.host][several];
}

static void say_others(struct answer_lines *lines, const struct proposals *proposals, bool several,
                       const char *in_ring) {
    if (several) {
        answer_say(lines, "  Others:");
        answer_end_line(lines);
    }
    say_proposals(lines, proposals, false, in_ring);
}

/* A debugger shows all of them on demand; elsewhere what is not worth it is not spoken of. */
static void say_how_many_more(struct answer_lines *lines, const struct proposals *proposals,
                              bool several) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < proposals->count; i++) {
        const struct proposal *proposal = &proposals->items[i];
        bool counts = proposal->is_worth_it || lines->look.host == ANSWER_IN_DEBUGGER;
        count += counts && !proposal->is_shown;
    }
    if (!count)
        return;
    if (several) {
        answer_say(lines, "  Not needed besides: ");
        answer_say_count(lines, count, "other change");
        answer_say(lines, "%s", for_more(lines, true));
    } else {
        answer_say(lines, "      and %llu more%s", (unsigned long long)count,
                   for_more(lines, false));
    }
    answer_end_line(lines);
}

/* Those that are needed together, in one line. */
static void say_together(struct answer_lines *lines, const struct proposals *proposals) {
    const char *before = ANSWER_ALL_FIXES;
    for (uint32_t i = 0; i < proposals->count; i++) {
        if (!proposals->items[i].is_shown)
            continue;
        answer_say(lines, "%s", before);
        visible_add_text(&lines->line, proposals->items[i].text, ANSWER_LONGEST_FIX);
        before = "; ";
    }
}

enum loupe_status answer_say_best_fix(struct answer_lines *lines, const struct json_value *knot) {
    struct proposals proposals;
    uint32_t shown;
    bool several;
    enum loupe_status status = find_proposals(lines, knot, &proposals, &shown, &several);
    if (status || !proposals.count)
        return status;
    if (!several && !is_enough(&proposals.items[0]))
        return LOUPE_OK;
    answer_paint_name(lines);
    if (several) {
        say_together(lines, &proposals);
    } else {
        answer_say(lines, ANSWER_FIX);
        visible_add_text(&lines->line, proposals.items[0].text, ANSWER_LONGEST_FIX);
    }
    answer_paint_end(lines);
    return LOUPE_OK;
}

enum loupe_status answer_say_fixes(struct answer_lines *lines, const struct json_value *knot) {
    struct proposals proposals;
    uint32_t shown;
    bool several;
    enum loupe_status status = find_proposals(lines, knot, &proposals, &shown, &several);
    if (status || !proposals.count)
        return status;
    const char *in_ring = for_ring(knot, &proposals);
    if (several) {
        bool is_enough =
            json_is_true(knot, "together_are_enough") || json_is_true(knot, "all_rings");
        answer_say(lines,
                   "  These together break %s:", is_enough ? "every loop" : "the loops shown");
        answer_end_line(lines);
    } else {
        say_heading(lines, knot, &proposals, shown);
    }
    say_proposals(lines, &proposals, true, several ? NULL : in_ring);
    if (shown == proposals.count)
        return LOUPE_OK;
    if (lines->look.verbose)
        say_others(lines, &proposals, several, in_ring);
    else
        say_how_many_more(lines, &proposals, several);
    return LOUPE_OK;
}
