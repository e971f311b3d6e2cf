/* The report of leaks: what nothing keeps alive, those alike as one entry. */
#include "answers/columns.h"
#include "answers/parts/heap_text.h"
#include "answers/parts/knot_text.h"
#include "answers/reports/heaps/leak_entry.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"
#include "answers/parts/stack_text.h"
#include "answers/texts.h"
#include "report/class_words.h"

enum { WITHOUT_TABLE = 3 /* entries that are seen at once */, SHOWN_MISCOUNTS = 10 };

static const struct json_value *root_of(const struct answer_lines *lines) {
    return lines->answer->root;
}

static uint64_t counted(const struct answer_lines *lines, const char *what) {
    return json_uint(json_member(root_of(lines), "counts"), what);
}

static const char *new_of(const struct answer_lines *lines) {
    return json_has(root_of(lines), "hidden_by_baseline") ? "new " : "";
}

static bool hides_any(const struct answer_lines *lines) {
    return json_uint(root_of(lines), "hidden_by_baseline") ||
           json_uint(root_of(lines), "hidden_by_class");
}

static uint64_t known_leaks(const struct answer_lines *lines) {
    return json_uint(json_member(root_of(lines), "known"), "leaks");
}

/* Whether all that is lost is what libraries are known to lose. */
static bool only_known(const struct answer_lines *lines) {
    return known_leaks(lines) && !counted(lines, "entries") && !hides_any(lines);
}

static bool has_objects(const struct json_value *amount) {
    return json_uint(amount, "objects");
}

/* ---- Before the entries ---- */

static void say_none(struct answer_lines *lines) {
    const struct json_value *snapshot = json_member(root_of(lines), "snapshot");
    answer_say(lines, "No %s%sleaks%s found (searched ", counted(lines, "timers") ? "other " : "",
               new_of(lines),
               json_has(root_of(lines), "hidden_by_class") ? " of such a class" : "");
    answer_say_contents(lines);
    answer_say(lines, " from ");
    answer_say_count(lines, json_uint(snapshot, "roots"), "root");
    answer_say(lines, ")");
    answer_end_line(lines);
}

static void say_degree(struct answer_lines *lines, const char *what, const char *key) {
    const struct json_value *amount = json_member(root_of(lines), key);
    if (!has_objects(amount))
        return;
    answer_say(lines, "  %s: ", what);
    answer_say_amount(lines, amount);
    answer_end_line(lines);
}

/* "16 leaks (6 cycles), 11 distinct", and what is lost by them. */
static void say_totals(struct answer_lines *lines) {
    uint64_t leaks = counted(lines, "leaks"), cycles = counted(lines, "cycles"),
             distinct = counted(lines, "distinct");
    answer_say_number(lines, leaks);
    answer_say(lines, " %sleak%s", new_of(lines), leaks == 1 ? "" : "s");
    if (cycles) {
        answer_say(lines, " (");
        answer_say_count(lines, cycles, "cycle");
        answer_say(lines, ")");
    }
    if (distinct < leaks) {
        answer_say(lines, ", ");
        answer_say_number(lines, distinct);
        answer_say(lines, " distinct");
    }
    answer_end_line(lines);
    say_degree(lines, "unreachable", "lost");
    say_degree(lines, ANSWER_NOT_OWNED, "unowned");
}

static void say_timed(struct answer_lines *lines) {
    uint64_t timers = counted(lines, "timers");
    if (!timers)
        return;
    answer_say_count(lines, timers, "retain cycle");
    answer_say(lines, " held only by %s timer (not counted): ", timers == 1 ? "its" : "their");
    answer_say_amount(lines, json_member(root_of(lines), "timer"));
    answer_end_line(lines);
}

/* Else it is a leak among the others. */
static bool is_listed(const struct json_value *miscount) {
    return !json_is_true(miscount, "lost");
}

/* A missing release of what is reachable fails no gate, but is no footnote. */
static void say_miscounted(struct answer_lines *lines) {
    uint64_t count = 0;
    JSON_EACH(miscount, json_member(root_of(lines), "miscounted"))
    count += is_listed(miscount) ? json_uint(miscount, "count") : 0;
    if (!count)
        return;
    answer_say_count(lines, count, "reachable object");
    answer_say(lines, " whose retain counts do not add up (not counted, listed below)");
    answer_end_line(lines);
}

/* What was found comes first, be it no leak. */
static void say_heading(struct answer_lines *lines) {
    if (counted(lines, "leaks"))
        say_totals(lines);
    else if (!counted(lines, "timers"))
        say_none(lines);
    say_timed(lines);
    say_miscounted(lines);
}

/* ---- Tables ---- */

/* The first columns, so many, are numbers. */
static void begin_table(struct answer_lines *lines, struct answer_columns *columns,
                        const char *const *headings, uint32_t numbers) {
    uint32_t count = 0;
    while (headings[count])
        count++;
    answer_columns_init(columns, lines->answer->arena, count);
    columns->numbers = (1u << numbers) - 1;
    for (uint32_t i = 0; i < count; i++)
        answer_take_text(columns, lines, headings[i]);
}

static void take_number(struct answer_lines *lines, struct answer_columns *columns,
                        uint64_t number) {
    answer_say_number(lines, number);
    answer_take_cell(columns, lines);
}

/* ---- What to change, before many entries ---- */

static enum loupe_status say_one_fix(struct answer_lines *lines, const struct json_value *leak) {
    answer_begin_whole(lines, answer_paint_name);
    size_t start = lines->line.length;
    enum loupe_status status = answer_say_fix_of_leak(lines, leak, true);
    bool has_fix = lines->line.length > start;
    answer_end_whole(lines);
    if (has_fix)
        answer_end_line(lines);
    lines->line.length = 0;
    return status;
}

static enum loupe_status say_fix_table(struct answer_lines *lines, const struct json_value *leaks) {
    static const char *const headings[] = {"#", "count", "bytes", "what", "fix", NULL};
    struct answer_columns columns;
    uint64_t number = 0;
    enum loupe_status status = LOUPE_OK;
    begin_table(lines, &columns, headings, 3);
    JSON_EACH(leak, leaks) {
        take_number(lines, &columns, ++number);
        take_number(lines, &columns, json_uint(leak, "count"));
        take_number(lines, &columns, json_uint(leak, "bytes"));
        answer_say_classes_of_leak(lines, leak);
        answer_take_cell(&columns, lines);
        if (!status)
            status = answer_say_fix_of_leak(lines, leak, false);
        answer_take_cell(&columns, lines);
    }
    answer_end_line(lines);
    if (!columns.status)
        answer_say_rows(lines, &columns);
    return status ? status : columns.status;
}

static enum loupe_status say_fixes(struct answer_lines *lines, const struct json_value *leaks) {
    uint64_t entries = counted(lines, "entries");
    if (entries == 1 && leaks->first)
        return say_one_fix(lines, leaks->first);
    if (entries > WITHOUT_TABLE && !json_has(root_of(lines), "by_stack"))
        return say_fix_table(lines, leaks);
    return LOUPE_OK;
}

/* ---- By who allocated them ---- */

static void say_stack(struct answer_lines *lines, const struct json_value *number) {
    const struct json_value *frames = answer_stack(lines->answer, number);
    if (frames->count)
        answer_say_frame(lines, answer_guilty_frame(frames));
    else
        answer_say(lines, "not recorded");
}

static enum loupe_status say_by_stack(struct answer_lines *lines, const struct json_value *stacks,
                                      uint64_t most) {
    static const char *const headings[] = {"leaks", "allocations", "bytes", "allocated", NULL};
    struct answer_columns columns;
    uint64_t shown = 0;
    begin_table(lines, &columns, headings, 3);
    JSON_EACH(stack, stacks) {
        if (most && shown == most)
            break;
        shown++;
        take_number(lines, &columns, json_uint(stack, "count"));
        take_number(lines, &columns, json_uint(stack, "objects"));
        take_number(lines, &columns, json_uint(stack, "bytes"));
        say_stack(lines, json_member(stack, "allocated"));
        answer_take_cell(&columns, lines);
    }
    answer_end_line(lines);
    answer_say(lines, "By the stacks that allocated them:");
    answer_end_line(lines);
    if (!columns.status)
        answer_say_rows(lines, &columns);
    if (shown < stacks->count) {
        answer_say(lines, "  and ");
        answer_say_number(lines, stacks->count - shown);
        answer_say(lines, " more stacks (--limit 0 shows all)");
        answer_end_line(lines);
    }
    return columns.status;
}

/* ---- Below the entries ---- */

static void say_shared(struct answer_lines *lines) {
    const struct json_value *shared = json_member(root_of(lines), "shared");
    if (!has_objects(shared) || only_known(lines))
        return;
    answer_end_line(lines);
    answer_say(lines, "Shared by several leaks%s, counted to none: ",
               hides_any(lines) ? ", shown or not" : "");
    answer_say_amount(lines, shared);
    answer_say_kept(lines, json_member(root_of(lines), "shared_classes"));
    answer_end_line(lines);
}

static enum loupe_status say_lost_classes(struct answer_lines *lines) {
    const struct json_value *classes = json_member(root_of(lines), "lost_classes");
    static const char *const headings[] = {"instances", "bytes", "class", NULL};
    uint64_t found = json_uint(root_of(lines), "lost_classes_found");
    struct answer_columns columns;
    if (!classes->count || only_known(lines))
        return LOUPE_OK;
    begin_table(lines, &columns, headings, 2);
    JSON_EACH(row, classes) {
        take_number(lines, &columns, json_uint(row, "count"));
        take_number(lines, &columns, json_uint(row, "size"));
        answer_say_class_of(lines, row);
        answer_take_cell(&columns, lines);
    }
    answer_end_line(lines);
    answer_say(lines, "Unreachable, %sby class:", hides_any(lines) ? "shown or not, " : "");
    answer_end_line(lines);
    if (!columns.status)
        answer_say_rows(lines, &columns);
    if (found > classes->count) {
        answer_say(lines, "  and ");
        answer_say_plural(lines, found - classes->count, "more class", "more classes");
        answer_end_line(lines);
    }
    return columns.status;
}

static void say_miscount(struct answer_lines *lines, const struct json_value *miscount) {
    struct loupe_span name = json_text(miscount, "class");
    answer_say(lines, "  ");
    answer_say_times(lines, json_uint(miscount, "count"));
    answer_say_plain_class(lines, name);
    answer_say(lines, ", ");
    answer_say_text(lines, json_text(miscount, "verdict"));
    answer_say(lines, ": ");
    answer_say_text(lines, json_text(miscount, "verdict_reason"));
    answer_say(lines, " (");
    answer_say_plain_class(lines, name);
    answer_say(lines, " ");
    answer_say_text(lines, json_text(miscount, "example"));
    answer_say(lines, ")");
    answer_end_line(lines);
}

static void say_miscounts(struct answer_lines *lines) {
    uint32_t count = 0;
    JSON_EACH(miscount, json_member(root_of(lines), "miscounted")) {
        if (!is_listed(miscount))
            continue;
        if (!count) {
            answer_end_line(lines);
            answer_say(lines, "Reachable, but the retain counts do not add up:");
            answer_end_line(lines);
        }
        if (count++ < SHOWN_MISCOUNTS)
            say_miscount(lines, miscount);
    }
    if (count <= SHOWN_MISCOUNTS)
        return;
    answer_say(lines, "  and ");
    answer_say_plural(lines, count - SHOWN_MISCOUNTS, "more class", "more classes");
    answer_say(lines, " (--json has all)");
    answer_end_line(lines);
}

/* ---- What libraries are known to leak ---- */

static bool is_named_before(const struct json_value *by, const struct json_value *item) {
    for (const struct json_value *other = by->first; other && other != item; other = other->next) {
        if (json_texts_equal(json_text(other, "library"), json_text(item, "library")))
            return true;
    }
    return false;
}

static void say_known_item(struct answer_lines *lines, const struct json_value *item) {
    answer_say(lines, "  ");
    answer_say_times(lines, json_uint(item, "count"));
    answer_say_class_of(lines, item);
    answer_say(lines, ", ");
    answer_say_amount(lines, item);
    answer_say(lines, ", of ");
    answer_say_text(lines, json_text(item, "library"));
    answer_say(lines, " ");
    answer_say_text(lines, json_text(item, "versions"));
    answer_say(lines, ":");
    answer_end_line(lines);
    answer_say(lines, "    ");
    answer_say_long_text(lines, json_text(item, "proof"));
    answer_end_line(lines);
}

/* "2 known leaks of libobjc and gnustep-base: 96 bytes": each library once. */
static void say_known(struct answer_lines *lines, bool shows_each) {
    const struct json_value *known = json_member(root_of(lines), "known"),
                            *by = json_member(known, "by");
    const char *before = "";
    if (!known_leaks(lines))
        return;
    answer_say_count(lines, known_leaks(lines), "known leak");
    answer_say(lines, " of ");
    JSON_EACH(item, by) {
        if (is_named_before(by, item))
            continue;
        answer_say(lines, "%s", before);
        answer_say_text(lines, json_text(item, "library"));
        before = " and ";
    }
    answer_say(lines, ": ");
    answer_say_bytes(lines, json_uint(known, "bytes"));
    answer_say(lines, "%s", shows_each ? "" : " (--known shows them)");
    answer_end_line(lines);
    if (shows_each) {
        JSON_EACH(item, by)
        say_known_item(lines, item);
    }
}

/* ---- What is hidden ---- */

static void say_hidden_by(struct answer_lines *lines, const char *what, uint64_t count) {
    if (!count)
        return;
    answer_say(lines, "Hidden by %s: ", what);
    answer_say_count(lines, count, "distinct leak");
    answer_end_line(lines);
}

static void say_hidden(struct answer_lines *lines) {
    const struct json_value *root = root_of(lines), *known = json_member(root, "known"),
                            *hidden = json_member(root, "not_shown");
    say_hidden_by(lines, "the baseline", json_uint(root, "hidden_by_baseline"));
    say_hidden_by(lines, "--class", json_uint(root, "hidden_by_class"));
    if (!hides_any(lines))
        return;
    answer_say(lines, "Hidden in all: ");
    answer_say_sum(lines, json_uint(hidden, "objects") - json_uint(known, "objects"),
                   json_uint(hidden, "others") - json_uint(known, "others"),
                   json_uint(hidden, "bytes") - json_uint(known, "bytes"));
    answer_end_line(lines);
}

static void say_filters(struct answer_lines *lines) {
    uint64_t edges = 0;
    JSON_EACH(filter, json_member(root_of(lines), "hidden"))
    edges += json_uint(filter, "edges");
    if (!edges)
        return;
    answer_say(lines, "Hidden by filters: ");
    answer_say_count(lines, edges, "reference");
    answer_say(lines, " (--json says which)");
    answer_end_line(lines);
}

static void say_stale(struct answer_lines *lines) {
    const struct json_value *on_stacks = json_member(root_of(lines), "on_stacks_only");
    if (!has_objects(on_stacks))
        return;
    answer_say(lines, "Reachable only from stacks and registers, where values may be stale: ");
    answer_say_amount(lines, on_stacks);
    answer_say(lines, "%s",
               has_objects(json_member(root_of(lines), "unowned")) ? " (may include leaks above)"
                                                                   : "");
    answer_end_line(lines);
}

static void say_not_searched(struct answer_lines *lines) {
    uint64_t beyond = counted(lines, "not_searched");
    if (!beyond)
        return;
    answer_say(lines, "incomplete: ");
    answer_say_number(lines, beyond);
    answer_say(lines, ANSWER_CYCLES_NOT_SEARCHED, beyond == 1 ? " was" : "s were");
    answer_end_line(lines);
}

void answer_say_written_baseline(struct answer_lines *lines) {
    const struct json_value *written = json_member(root_of(lines), "written_baseline");
    if (written->kind != JSON_OBJECT)
        return;
    answer_end_line(lines);
    answer_say(lines, "The baseline ");
    answer_say_text(lines, json_text(written, "file"));
    answer_say(lines, " has ");
    answer_say_count(lines, json_uint(written, "fingerprints"), "fingerprint");
    answer_say(lines, " now");
    answer_end_line(lines);
}

static enum loupe_status say_rest(struct answer_lines *lines, bool shows_known) {
    say_shared(lines);
    enum loupe_status status = say_lost_classes(lines);
    say_miscounts(lines);
    answer_say_dangling(lines);
    answer_end_line(lines);
    say_stale(lines);
    say_known(lines, shows_known);
    say_hidden(lines);
    say_filters(lines);
    say_not_searched(lines);
    answer_say_recorder(lines);
    answer_say_written_baseline(lines);
    answer_say_heap_notes(lines, json_uint(root_of(lines), "lost_classes_found"));
    return status;
}

/* ---- All of it ---- */

static bool has_possible(const struct json_value *leaks) {
    JSON_EACH(leak, leaks) {
        if (json_member(json_member(leak, "knot"), "certain")->kind == JSON_FALSE)
            return true;
    }
    return false;
}

static enum loupe_status say_entries(struct answer_lines *lines, const struct json_value *leaks) {
    enum loupe_status status = LOUPE_OK;
    uint64_t number = 0, entries = counted(lines, "entries");
    if (has_possible(leaks))
        answer_say_doubt(lines, "");
    JSON_EACH(leak, leaks) {
        if (!status)
            status = answer_say_leak(lines, leak, ++number);
    }
    if (entries <= leaks->count)
        return status;
    answer_end_line(lines);
    answer_say(lines, "… and ");
    answer_say_number(lines, entries - leaks->count);
    answer_say(lines, " more (--limit 0 shows all)");
    answer_end_line(lines);
    return status;
}

enum loupe_status answer_say_leaks(struct answer_lines *lines, const struct answer_report *report) {
    const struct json_value *root = root_of(lines), *leaks = json_member(root, "leaks"),
                            *stacks = json_member(root, "by_stack");
    say_heading(lines);
    enum loupe_status status = say_fixes(lines, leaks);
    if (!counted(lines, "leaks") && counted(lines, "timers"))
        say_none(lines);
    if (!status)
        status = stacks->kind == JSON_ARRAY ? say_by_stack(lines, stacks, report->most)
                                            : say_entries(lines, leaks);
    return status ? status : say_rest(lines, report->shows_known);
}
