/* The report of retain-cycles. The first line is the verdict, the second the best fix. Then each
 * cycle. What was folded, hidden or not followed is counted at the end, and what the search cost:
 * "no retain cycle" means that everything reachable was searched. */
#include "answers/amounts.h"
#include "answers/reports/gathered_knots.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"

enum { LONGEST_RING = 32, BEGINNING = 12, END = 8 }; /* references of a ring that are shown */

void answer_say_found(struct answer_lines *lines) {
    struct answer_found found = answer_found_of(lines->answer->root);
    answer_say_how_many_found(lines, &found);
}

/* ---- The first lines ---- */

static bool is_whole_heap(const struct answer_lines *lines) {
    return json_member(lines->answer->root, "seed")->kind == JSON_NULL;
}

static void say_what_was_asked(struct answer_lines *lines, struct loupe_span asked) {
    if (is_whole_heap(lines))
        answer_say(lines, "the whole heap");
    else
        answer_say_subject(lines, asked, json_text(lines->answer->root, "seed"));
}

static bool is_incomplete(const struct answer_lines *lines) {
    return loupe_span_equals(json_text(lines->answer->root, "status"), "incomplete");
}

static void say_why_incomplete(struct answer_lines *lines) {
    JSON_EACH(item, json_member(lines->answer->root, "not_followed")) {
        const char *out = answer_way_out(lines, json_text(item, "code"));
        if (!out)
            continue;
        answer_say(lines, ": ");
        answer_say_text(lines, json_text(item, "reason"));
        answer_say(lines, " (%s)", out);
        return;
    }
}

static void say_nothing_found(struct answer_lines *lines, struct loupe_span asked) {
    bool whole = is_whole_heap(lines), incomplete = is_incomplete(lines);
    answer_begin_whole(lines, incomplete ? answer_paint_cut : answer_paint_good);
    answer_say(lines, "No %sretain cycle", json_has(lines->answer->root, "baseline") ? "new " : "");
    answer_say(lines, "%s%s ", incomplete ? " found" : "",
               whole        ? " in"
               : incomplete ? " from"
                            : " reachable from");
    say_what_was_asked(lines, asked);
    if (incomplete) {
        answer_say(lines, ", but the search is incomplete");
        say_why_incomplete(lines);
    }
    answer_end_whole(lines);
}

void answer_say_headline(struct answer_lines *lines, struct loupe_span asked) {
    const struct json_value *knots = json_member(lines->answer->root, "knots");
    struct answer_found found = answer_found_of(lines->answer->root);
    uint64_t all = found.certain + found.possible;
    uint32_t through = 0;
    if (!knots->count) {
        say_nothing_found(lines, asked);
        return;
    }
    JSON_EACH(knot, knots)
    through += json_is_true(knot, "contains_seed");
    bool whole = is_whole_heap(lines), is_through = through == all;
    answer_begin_whole(lines, answer_paint_cut);
    answer_say_found(lines);
    answer_say(lines, " %s ", whole ? "in" : is_through ? "through" : "reachable from");
    say_what_was_asked(lines, asked);
    if (!whole && !is_through && all <= 1) {
        answer_say(lines, ", which is not in it");
    } else if (!whole && !is_through) {
        answer_say(lines, ", which is in ");
        if (through)
            answer_say_number(lines, through);
        else
            answer_say(lines, "none");
        answer_say(lines, " of them");
    }
    answer_end_whole(lines);
}

void answer_say_filters(struct answer_lines *lines) {
    const struct json_value *file = json_member(lines->answer->root, "filters");
    if (json_text(file, "refused").length) {
        answer_say(lines, "Not used: ");
        answer_say_text(lines, json_text(file, "file"));
        answer_say(lines, ": ");
        answer_say_text(lines, json_text(file, "refused"));
        answer_say(lines, " (--filters FILE takes any)");
        answer_end_line(lines);
    } else if (json_uint(file, "hidden")) {
        answer_say_count(lines, json_uint(file, "hidden"), "reference");
        answer_say(lines, " hidden by ");
        answer_say_text(lines, json_text(file, "file"));
        answer_say(lines, " (--filters none hides nothing)");
        answer_end_line(lines);
    }
}

/* ---- A knot ---- */

/* What its rings show. */
static enum loupe_status add_shown_things(const struct answer_lines *lines,
                                          const struct json_value *knot,
                                          struct answer_things *things) {
    enum loupe_status status = LOUPE_OK;
    JSON_EACH(ring, json_member(knot, "rings")) {
        const struct json_value *edges = json_member(ring, "edges");
        bool folds = edges->count > LONGEST_RING && !lines->look.verbose;
        uint32_t number = 0;
        JSON_EACH(edge, edges) {
            uint32_t at = number++;
            if (!status && !(folds && at >= BEGINNING && at < edges->count - END))
                status = answer_add_thing(things, json_text(edge, "from"));
        }
    }
    return status;
}

static enum loupe_status say_allocations(struct answer_lines *lines,
                                         const struct json_value *knot) {
    struct answer_things things;
    answer_things_init(&things, lines->answer);
    enum loupe_status status = add_shown_things(lines, knot, &things);
    answer_say_allocations(lines, &things);
    answer_things_deinit(&things);
    return status;
}

/* Of the knot, and of the rings, as a baseline records them: sorted, equal ones once. */
static void say_fingerprints(struct answer_lines *lines, const struct json_value *knot) {
    struct answer_names rings = {.count = 0};
    JSON_EACH(ring, json_member(knot, "rings"))
    answer_add_name(&rings, json_text(ring, "fingerprint"));
    answer_begin_whole(lines, answer_paint_faint);
    answer_say(lines, "  fingerprint of the cycle ");
    answer_say_text(lines, json_text(knot, "fingerprint"));
    answer_say(lines, ", of the loop%s ", rings.count == 1 ? "" : "s");
    for (uint32_t i = 0; i < rings.count; i++) {
        answer_say_joint(lines, i, rings.count + rings.has_more);
        answer_say_text(lines, rings.items[i]);
    }
    answer_say(lines, "%s", rings.has_more ? " and more" : "");
    answer_end_whole(lines);
    answer_end_line(lines);
}

/* "3 more are like it, such as that of PhotoCell 0x1f00 (-v shows them)". */
static void say_others_alike(struct answer_lines *lines, const struct answer_alike *group) {
    const struct json_value *ring = json_member(group->second, "rings")->first;
    const struct json_value *edge = ring ? json_member(ring, "edges")->first : NULL;
    bool is_one = group->count == 2;
    answer_say(lines, "  ");
    answer_say_number(lines, group->count - 1);
    answer_say(lines, " more %s like it", is_one ? "is" : "are");
    if (edge) {
        answer_say(lines, ", such as that of ");
        answer_say_thing(lines, json_text(edge, "from"));
    }
    if (lines->look.host == ANSWER_IN_DEBUGGER)
        answer_say(lines, " (-v shows %s)", is_one ? "it" : "them");
    answer_end_line(lines);
}

static enum loupe_status say_knot(struct answer_lines *lines, const struct answer_report *report,
                                  const struct answer_alike *group, uint32_t number) {
    const struct json_value *knot = group->first;
    struct answer_knot_notes notes = {.mistake = json_text(knot, "mistake")};
    uint64_t count = answer_knots_of(knot);
    if (report->notes)
        notes = report->notes(report->ctx, knot);
    answer_end_line(lines);
    if (number)
        answer_say(lines, "%u. ", number);
    answer_say_knot_heading(lines, knot);
    enum loupe_status status = answer_say_knot(lines, knot, &notes);
    if (!status)
        status = say_allocations(lines, knot);
    if (lines->look.verbose || json_has(lines->answer->root, "baseline"))
        say_fingerprints(lines, knot);
    if (count > 1) {
        char text[32];
        answer_number_text(count - 1, text, sizeof(text));
        answer_say(lines, "  %s more like it", text);
        answer_end_line(lines);
    }
    if (group->count > 1)
        say_others_alike(lines, group);
    return status;
}

/* ---- What to ask next, and what was left out ---- */

/* For an object in no ring: why is it alive then? */
static void say_next_question(struct answer_lines *lines, struct loupe_span asked) {
    const struct json_value *root = lines->answer->root;
    struct loupe_span seed = json_text(root, "seed");
    bool is_in_one = false;
    JSON_EACH(knot, json_member(root, "knots"))
    is_in_one |= json_is_true(knot, "contains_seed");
    if (json_has(root, "baseline") || is_whole_heap(lines) || is_in_one)
        return;
    answer_say(lines, "What holds it: strong-refs --incoming ");
    answer_say_text(lines, asked.length ? asked : seed);
    answer_end_line(lines);
}

/* What a search from one object leaves open, the whole heap may decide. */
static void say_who_decides(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root;
    bool is_open = false;
    JSON_EACH(knot, json_member(root, "knots"))
    is_open |= loupe_span_equals(json_text(knot, "verdict"), "unknown");
    if (!is_open || is_whole_heap(lines) || lines->look.host != ANSWER_IN_DEBUGGER ||
        json_is_true(root, "heap_searched"))
        return;
    answer_say(lines, "Whether it leaked: loupe leaks (searches the whole heap)");
    answer_end_line(lines);
}

/* "Folded: 2 more cycles (-v shows them)". */
static void say_folded(struct answer_lines *lines, uint64_t count, const char *before,
                       const char *noun, const char *behind) {
    if (!count)
        return;
    answer_say(lines, "%s", before);
    answer_say_count(lines, count, noun);
    answer_say(lines, "%s %s)", behind, count == 1 ? "it" : "them");
    answer_end_line(lines);
}

static void say_amount(struct answer_lines *lines, const char *before, uint64_t count,
                       const char *noun) {
    if (!count)
        return;
    answer_say(lines, "%s", before);
    answer_say_count(lines, count, noun);
    answer_end_line(lines);
}

static void say_baseline(struct answer_lines *lines) {
    const struct json_value *baseline = json_member(lines->answer->root, "baseline");
    say_amount(lines, "Hidden by the baseline: ", json_uint(baseline, "hidden_rings"), "loop");
    say_amount(lines, "Not compared with the baseline: more loops of ",
               json_uint(baseline, "knots_not_compared"), "cycle");
    if (lines->look.verbose)
        say_amount(lines, "In the baseline, not found here: ", json_uint(baseline, "not_met"),
                   "loop");
}

/* How much was hidden; verbose, by which filter and why, and where the project's filters stand. */
static void say_hidden(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *hidden = json_member(root, "hidden"),
                            *file = json_member(root, "filters");
    uint64_t total = 0;
    JSON_EACH(item, hidden)
    total += json_uint(item, "edges");
    if (hidden->count) {
        answer_say(lines, "Hidden by filters: ");
        answer_say_count(lines, total, "reference");
        answer_say(lines, "%s", lines->look.verbose ? ":" : " (-v says which)");
        answer_end_line(lines);
    }
    if (!lines->look.verbose)
        return;
    JSON_EACH(item, hidden) {
        answer_say(lines, "  %llu by ", (unsigned long long)json_uint(item, "edges"));
        answer_say_text(lines, json_text(item, "filter"));
        answer_say(lines, ": ");
        answer_say_text(lines, json_text(item, "reason"));
        answer_end_line(lines);
    }
    if (file->count) {
        answer_say(lines, "Filters: %llu of ", (unsigned long long)json_uint(file, "count"));
        answer_say_text(lines, json_text(file, "file"));
        answer_end_line(lines);
    }
}

static void say_reads(struct answer_lines *lines) {
    const struct json_value *stats = json_member(lines->answer->root, "stats");
    answer_begin_whole(lines, answer_paint_faint);
    answer_say(lines, "%llu reads, %llu bytes, abi ", (unsigned long long)json_uint(stats, "reads"),
               (unsigned long long)json_uint(stats, "bytes"));
    answer_say_text(lines, json_text(lines->answer->root, "abi"));
    answer_end_whole(lines);
    answer_end_line(lines);
}

static void say_left_out(struct answer_lines *lines, const struct answer_gathered *gathered) {
    say_folded(lines, gathered->folded, "Folded: ", "cycle",
               " of framework classes alone (-v shows");
    say_amount(lines, "Not shown: ", gathered->unshown, "more cycle");
    say_baseline(lines);
    answer_say_weak_rings(lines);
    answer_say_not_followed(lines);
    say_hidden(lines);
    answer_say_unnamed(lines);
    answer_say_recorder(lines);
    if (lines->look.verbose)
        say_reads(lines);
}

/* ---- The whole ---- */

static enum loupe_status say_best_fix(struct answer_lines *lines, const struct json_value *knot) {
    enum loupe_status status = answer_say_best_fix(lines, knot);
    if (lines->line.length)
        answer_end_line(lines);
    return status;
}

static bool is_possible(const struct answer_alike *group) {
    return json_member(group->first, "certain")->kind == JSON_FALSE;
}

enum loupe_status answer_say_cycles(struct answer_lines *lines,
                                    const struct answer_report *report) {
    struct answer_gathered gathered;
    enum loupe_status status = answer_gather_knots(lines, &gathered);
    if (status)
        return status;
    bool has_doubt = false;
    answer_say_headline(lines, report->asked);
    answer_end_line(lines);
    answer_say_freed(lines);
    if (gathered.count == 1)
        status = say_best_fix(lines, gathered.groups[0].first);
    answer_say_filters(lines);
    for (uint32_t i = 0; i < gathered.shown; i++)
        has_doubt |= is_possible(&gathered.groups[i]);
    if (has_doubt)
        answer_say_doubt(lines, "");
    for (uint32_t i = 0; i < gathered.shown && !status; i++)
        status = say_knot(lines, report, &gathered.groups[i], gathered.count > 1 ? i + 1 : 0);
    answer_end_line(lines);
    say_next_question(lines, report->asked);
    say_who_decides(lines);
    say_folded(lines, gathered.further, "Folded: ", "more cycle", " (-v shows");
    say_folded(lines, gathered.told, "Already shown at this stop: ", "cycle",
               " it reaches (-v repeats");
    say_left_out(lines, &gathered);
    answer_say_cost(lines);
    return status;
}
