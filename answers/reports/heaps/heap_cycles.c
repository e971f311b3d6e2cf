/* The report of cycles about an Objective-C heap: all of it, or what one object leads to. */
#include "answers/parts/heap_text.h"
#include "answers/parts/knot_text.h"
#include "answers/reports/found.h"
#include "answers/reports/heaps/leak_entry.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"
#include "answers/texts.h"

static uint64_t counted(const struct answer_lines *lines, const char *what) {
    return json_uint(json_member(lines->answer->root, "counts"), what);
}

/* Whether the object that is asked about is in the only one. */
static bool is_in_it(const struct answer_lines *lines, uint64_t found) {
    return found == 1 &&
           json_is_true(json_member(lines->answer->root, "knots")->first, "contains_seed");
}

/* "1 leaked retain cycle through it", "2 leaked retain cycles reachable from it, 1 distinct". */
static void say_heading(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root;
    uint64_t found = counted(lines, "cycles"), distinct = counted(lines, "entries");
    struct answer_found counts = {.certain = found - counted(lines, "possible"),
                                  .possible = counted(lines, "possible"),
                                  .described = found,
                                  .leaked = counted(lines, "leaked"),
                                  .held = counted(lines, "held"),
                                  .is_new = json_has(root, "hidden_by_baseline")};
    answer_say_how_many_found(lines, &counts);
    if (!found && json_uint(root, "memory_circles"))
        answer_say(lines, " of objects alone");
    if (json_text(root, "seed").length)
        answer_say(lines, is_in_it(lines, found) ? " through it" : " reachable from it");
    if (distinct < found) {
        answer_say(lines, ", ");
        answer_say_number(lines, distinct);
        answer_say(lines, " distinct");
    }
    answer_end_line(lines);
}

/* Through memory: nobody knows what owns there. */
static void say_circles(struct answer_lines *lines, uint64_t circles) {
    if (!circles)
        return;
    answer_say_count(lines, circles, "possible cycle");
    answer_say(lines, " through untyped memory %s unreachable: loupe leaks shows %s",
               circles == 1 ? "is" : "are", circles == 1 ? "it" : "them");
    answer_end_line(lines);
}

static enum loupe_status say_only_fix(struct answer_lines *lines, const struct json_value *knot) {
    bool was_colored = lines->look.color;
    lines->look.color = false;
    enum loupe_status status = answer_say_best_fix(lines, knot);
    lines->look.color = was_colored;
    if (lines->line.length && !status)
        answer_end_line(lines);
    lines->line.length = 0;
    return status;
}

static enum loupe_status say_knot(struct answer_lines *lines, const struct json_value *knot,
                                  uint32_t number) {
    struct answer_knot_notes notes = {.mistake = json_text(knot, "mistake")};
    uint64_t count = json_uint(knot, "count"), leaked = json_uint(knot, "leaked");
    answer_end_line(lines);
    answer_say_number(lines, number);
    answer_say(lines, ". ");
    if (count > 1) {
        answer_say_times(lines, count);
    }
    answer_say_size(lines, knot);
    answer_say(lines, ", ");
    answer_say_verdict(lines, knot);
    if (leaked && leaked < count) {
        answer_say(lines, "; ");
        answer_say_number(lines, leaked);
        answer_say(lines, " of them leaked");
    }
    answer_end_line(lines);
    enum loupe_status status = answer_say_knot(lines, knot, &notes);
    answer_say_ring_allocations(lines, knot);
    answer_say(lines, "  fingerprint ");
    answer_say_text(lines, json_text(knot, "fingerprint"));
    answer_end_line(lines);
    return status;
}

static bool has_possible(const struct json_value *knots) {
    JSON_EACH(knot, knots) {
        if (json_member(knot, "certain")->kind == JSON_FALSE)
            return true;
    }
    return false;
}

static void say_rest(struct answer_lines *lines, uint64_t shown) {
    uint64_t entries = counted(lines, "entries"), beyond = counted(lines, "not_searched"),
             hidden = json_uint(lines->answer->root, "hidden_by_baseline");
    if (shown < entries) {
        answer_end_line(lines);
        answer_say(lines, "… and ");
        answer_say_number(lines, entries - shown);
        answer_say(lines, " more (--limit 0 shows all)");
        answer_end_line(lines);
    }
    if (hidden) {
        answer_say(lines, "Hidden by the baseline: ");
        answer_say_count(lines, hidden, "distinct cycle");
        answer_end_line(lines);
    }
    if (beyond) {
        answer_say(lines, "incomplete: ");
        answer_say_number(lines, beyond);
        answer_say(lines, ANSWER_CYCLES_NOT_SEARCHED, beyond == 1 ? " was" : "s were");
        answer_end_line(lines);
    }
    answer_say_recorder(lines);
    answer_say_written_baseline(lines);
    answer_say_heap_notes(lines, false);
}

enum loupe_status answer_say_heap_cycles(struct answer_lines *lines) {
    const struct json_value *knots = json_member(lines->answer->root, "knots");
    enum loupe_status status = LOUPE_OK;
    uint32_t number = 0;
    say_heading(lines);
    say_circles(lines, json_uint(lines->answer->root, "memory_circles"));
    if (counted(lines, "entries") == 1 && knots->first)
        status = say_only_fix(lines, knots->first);
    if (has_possible(knots))
        answer_say_doubt(lines, "");
    JSON_EACH(knot, knots) {
        if (!status)
            status = say_knot(lines, knot, ++number);
    }
    say_rest(lines, knots->count);
    return status;
}
