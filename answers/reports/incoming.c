/* The report of strong-refs --incoming: who holds an object, and why that is alive itself. */
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"

enum { HOLDERS = 10, STEPS = 12, POINTERS = 3 };

static void say_text_of(struct answer_lines *lines, const struct json_value *value,
                        const char *name) {
    answer_say_text(lines, json_text(value, name));
}

/* How much more there is can be seen. */
static const char *for_all(const struct answer_lines *lines) {
    return lines->look.host == ANSWER_IN_DEBUGGER ? " (-v shows more)" : " (--json has more)";
}

/* ---- The verdict, then who holds it ---- */

void answer_say_object_verdict(struct answer_lines *lines) {
    const struct json_value *verdict = json_member(lines->answer->root, "verdict");
    struct loupe_span kind = json_text(verdict, "kind"), reason = json_text(verdict, "reason");
    if (!kind.length) {
        bool is_held = json_uint(lines->answer->root, "holders_found");
        answer_say(lines, "%s", is_held ? " is held" : ": no verdict");
        return;
    }
    answer_say(lines, "%s", loupe_span_equals(kind, "unknown") ? ", " : " is ");
    answer_say_text(lines, kind);
    if (!reason.length)
        return;
    answer_say(lines, "%s",
               loupe_span_contains(reason, " missing: ")  ? ", "
               : loupe_span_starts_with(reason, "until ") ? " "
                                                          : ": ");
    answer_say_text(lines, reason);
}

/* "Held by 2 references"; "No object holds it; 1 pointer in non-object memory may". */
static void say_how_many(struct answer_lines *lines, uint64_t found) {
    const struct json_value *root = lines->answer->root;
    bool is_unfinished = loupe_span_equals(json_text(root, "status"), "incomplete");
    uint64_t pointers = json_uint(root, "memory_found");
    answer_say(lines, found ? "Held by " : "No object");
    if (found)
        answer_say_count(lines, found, "reference");
    else
        answer_say(lines, "%s holds it", is_unfinished ? " found so far" : "");
    if (pointers) {
        answer_say(lines, "; ");
        answer_say_count(lines, pointers, "pointer");
        answer_say(lines, " in non-object memory may%s", found ? " too" : "");
    }
    answer_end_line(lines);
}

/* The marks of the object asked about, if it was freed for certain; else NULL. */
static const struct json_value *freed_for_certain(const struct answer *answer) {
    const struct json_value *freed = json_member(answer->root, "freed");
    if (freed->kind != JSON_OBJECT)
        freed = json_member(answer_object(answer, answer_asked_object(answer)), "freed");
    return json_is_true(freed, "certain") ? freed : NULL;
}

static enum loupe_status say_first_lines(struct answer_lines *lines,
                                         const struct answer_report *report,
                                         const struct json_value *freed) {
    answer_begin_whole(lines, freed ? answer_paint_cut : answer_paint_name);
    answer_say_subject(lines, report->asked, answer_asked_object(lines->answer));
    if (freed)
        answer_say_was_freed(lines, freed);
    else
        answer_say_object_verdict(lines);
    answer_end_whole(lines);
    answer_end_line(lines);
    if (freed)
        return LOUPE_OK;
    enum loupe_status status = answer_say_freed(lines);
    say_how_many(lines, json_uint(lines->answer->root, "holders_found"));
    return status;
}

/* ---- Roots ---- */

/* "shared (static in AppDelegate.m)"; "register rbx of thread 1". */
static void say_root(struct answer_lines *lines, const struct json_value *root) {
    answer_say_native_root(lines, root);
    if (answer_is_set(json_member(root, "may_be_stale")))
        answer_say(lines, ", possibly stale");
}

/* ---- A holder ---- */

/* What keeps a holder alive that nothing outside leads to, as far as it is known. */
static void say_without_root(struct answer_lines *lines, const struct json_value *holder) {
    const struct json_value *lost = json_member(holder, "lost"),
                            *ring = json_member(holder, "ring");
    bool is_lost = answer_is_set(lost);
    uint64_t rest = json_uint(holder, "unexplained");
    if (answer_is_set(ring)) {
        answer_say(lines, "kept alive only by ");
        answer_say_thing(lines, answer_asked_object(lines->answer));
        answer_say(lines, " itself: a %sretain cycle",
                   loupe_span_equals(ring->text, "possible") ? "possible " : "");
    } else {
        answer_say(lines, "%s",
                   lost->kind == JSON_NULL ? "reached by no root that was searched"
                   : is_lost               ? "itself unreachable"
                                           : "owned by nothing that is alive");
    }
    if (!rest || is_lost)
        return;
    const struct json_value *owner =
        answer_object(lines->answer, json_text(json_member(holder, "edge"), "from"));
    uint64_t retains = json_uint(owner, "retain_count");
    answer_say(lines, "; ");
    answer_say_number(lines, rest);
    answer_say(lines, " of its ");
    answer_say_count(lines, retains ? retains : rest, "retain");
    answer_say(lines, " %s unaccounted for, so something else may hold it",
               rest == 1 ? "is" : "are");
}

/* "from shared (static in AppDelegate.m)", then a line for each of the last steps. */
static void say_way(struct answer_lines *lines, const struct json_value *holder,
                    const struct json_value *root) {
    const struct json_value *steps = json_member(holder, "way");
    uint64_t length = json_uint(holder, "way_length");
    uint32_t folded = steps->count > STEPS ? steps->count - STEPS : 0, number = 0;
    uint64_t left_out = folded + (length > steps->count ? length - steps->count : 0);
    answer_say(lines, "    from ");
    say_root(lines, root);
    answer_say(lines, " %s ", lines->glyphs->arrow);
    answer_say_thing_in_full(lines, json_text(root, "to"));
    answer_end_line(lines);
    if (left_out) {
        answer_say(lines, "      ... ");
        answer_say_count(lines, left_out, "step");
        answer_end_line(lines);
    }
    JSON_EACH(step, steps) {
        if (number++ < folded)
            continue;
        answer_say_step(lines, step);
    }
}

static void say_holder(struct answer_lines *lines, const struct json_value *holder) {
    const struct json_value *edge = json_member(holder, "edge"),
                            *root = json_member(holder, "root");
    answer_say(lines, "  ");
    answer_say_path(lines, edge);
    answer_say(lines, "  ");
    answer_say_kind(lines, edge);
    answer_say(lines, "  of ");
    answer_say_thing_or_memory(lines, json_text(edge, "from"));
    answer_end_line(lines);
    if (!json_texts_equal(json_text(edge, "from"), json_text(edge, "to")) && root->count) {
        say_way(lines, holder, root);
        return;
    }
    answer_say(lines, "    ");
    if (json_texts_equal(json_text(edge, "from"), json_text(edge, "to")))
        answer_say(lines, "the object itself");
    else
        say_without_root(lines, holder);
    answer_end_line(lines);
}

static void say_holders(struct answer_lines *lines, const char *name, const char *found,
                        const char *noun, const char *nouns) {
    const struct json_value *holders = json_member(lines->answer->root, name);
    uint64_t all = json_uint(lines->answer->root, found), shown = 0;
    JSON_EACH(holder, holders) {
        if (shown == HOLDERS && !lines->look.verbose)
            break;
        answer_end_line(lines);
        say_holder(lines, holder);
        shown++;
    }
    if (all <= shown)
        return;
    answer_end_line(lines);
    answer_say(lines, "and ");
    answer_say_plural(lines, all - shown, noun, nouns);
    answer_say(lines, "%s", shown < holders->count ? for_all(lines) : "");
    answer_end_line(lines);
}

/* ---- What points to it beside references ---- */

static uint64_t pointers_in(const struct json_value *words, bool with_pools) {
    uint64_t total = 0;
    JSON_EACH(count, words) {
        if (with_pools || !loupe_span_equals(count->key, "autorelease-pool"))
            total += json_number(count);
    }
    return total;
}

static void say_direct(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *roots = json_member(root, "roots");
    uint64_t all = pointers_in(json_member(json_member(root, "counts"), "words"), true), shown = 0;
    if (!roots->count)
        return;
    answer_say(lines, "Also pointed to by globals, stacks, registers (may not own it):");
    answer_end_line(lines);
    JSON_EACH(one, roots) {
        if (shown == HOLDERS && !lines->look.verbose)
            break;
        answer_say(lines, "  ");
        say_root(lines, one);
        answer_end_line(lines);
        shown++;
    }
    if (all > shown) {
        answer_say(lines, "  and ");
        answer_say_number(lines, all - shown);
        answer_say(lines, " more");
        answer_end_line(lines);
    }
}

/* Whether a place stands among the pointers that were told with their holders. */
static bool is_told(const struct answer_lines *lines, struct loupe_span place) {
    JSON_EACH(item, json_member(lines->answer->root, "memory")) {
        if (json_texts_equal(json_text(json_member(item, "edge"), "slot"), place))
            return true;
    }
    return false;
}

/* What the search of all memory found beside references and roots. */
static void say_other_pointers(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *search = json_member(root, "search");
    uint64_t words = json_uint(search, "words"), told = json_uint(root, "memory_found"),
             freed = json_uint(search, "freed"), shown = 0;
    uint64_t found = words > told ? words - told : 0;
    if (found) {
        answer_say(lines, "Pointers in non-object memory: ");
        JSON_EACH(place, json_member(search, "examples")) {
            if (is_told(lines, place->text) || (shown == POINTERS && !lines->look.verbose))
                continue;
            answer_say(lines, "%s", shown++ ? ", " : "");
            answer_say_text(lines, place->text);
            answer_hand_on(lines);
        }
        if (found > shown) {
            answer_say(lines, " and ");
            answer_say_number(lines, found - shown);
            answer_say(lines, " more");
        }
        answer_end_line(lines);
    }
    if (freed) {
        answer_say(lines, "Pointers in freed memory, which own nothing: ");
        answer_say_number(lines, freed);
        answer_end_line(lines);
    }
}

/* ---- What its retain count comes to ---- */

/* "2 references and 1 autorelease pool entry (1 of them assumed)". Whether there is any. */
static bool say_known(struct answer_lines *lines, const struct json_value *counts) {
    uint64_t found = json_uint(counts, "found"), pools = json_uint(counts, "autoreleased"),
             assumed = json_uint(counts, "assumed"), shared = json_uint(counts, "shared");
    if (found)
        answer_say_count(lines, found, "reference");
    if (pools) {
        answer_say(lines, "%s", found ? " and " : "");
        answer_say_plural(lines, pools, "autorelease pool entry", "autorelease pool entries");
    }
    if (assumed) {
        answer_say(lines, " (");
        answer_say_number(lines, assumed);
        answer_say(lines, " of them assumed)");
    }
    if (shared) {
        answer_say(lines, " (");
        answer_say_number(lines, shared);
        answer_say(lines, " of them by a pointer shared with another)");
    }
    return found || pools;
}

static void say_unknown_count(struct answer_lines *lines, const struct json_value *counts) {
    bool is_any = json_uint(counts, "found") || json_uint(counts, "autoreleased");
    answer_say(lines, "%s%s", json_is_true(counts, "immortal") ? "never freed" : "unknown",
               is_any ? ": " : "");
    if (is_any)
        say_known(lines, counts);
}

static void say_rest(struct answer_lines *lines, const struct json_value *counts, uint64_t rest) {
    uint64_t words = pointers_in(json_member(counts, "words"), false);
    if (say_known(lines, counts))
        answer_say(lines, ", ");
    answer_say_count(lines, rest, "retain");
    answer_say(lines, " unaccounted for");
    if (words)
        answer_say(lines, " (may be %s of the pointers above)",
                   words > rest && rest > 1 ? "some"
                   : rest == 1              ? "one"
                                            : "those");
}

/* "Retain count 3: 2 references, 1 retain unaccounted for". */
static void say_arithmetic(struct answer_lines *lines) {
    const struct json_value *counts = json_member(lines->answer->root, "counts");
    uint64_t rest = json_uint(counts, "unexplained"), excess = json_uint(counts, "excess");
    bool is_any = json_uint(counts, "found") || json_uint(counts, "autoreleased");
    answer_say(lines, "Retain count ");
    if (json_member(counts, "retains")->kind != JSON_NUMBER) {
        say_unknown_count(lines, counts);
    } else {
        answer_say_number(lines, json_uint(counts, "retains"));
        answer_say(lines, "%s", excess || rest || is_any ? ": " : "");
        if (excess) {
            say_known(lines, counts);
            answer_say(lines, ", ");
            answer_say_number(lines, excess);
            answer_say(lines, " more than retains");
        } else if (rest) {
            say_rest(lines, counts, rest);
        } else if (is_any) {
            answer_say(lines, "all from the ");
            say_known(lines, counts);
            answer_say(lines, " above");
        }
    }
    answer_end_line(lines);
}

/* What goes with it. */
static void say_kept(struct answer_lines *lines) {
    const struct json_value *keeps = json_member(lines->answer->root, "keeps");
    uint64_t objects = json_uint(keeps, "objects");
    if (objects < 2)
        return;
    answer_say(lines, "It alone keeps ");
    answer_say_count(lines, objects - 1, "other allocation");
    answer_say(lines, " alive; ");
    answer_say_bytes(lines, json_uint(keeps, "bytes"));
    answer_say(lines, " with its own");
    answer_end_line(lines);
}

/* ---- What was not searched ---- */

static bool is_from_given(const struct json_value *root) {
    JSON_EACH(gap, json_member(root, "not_scanned")) {
        if (loupe_span_equals(json_text(gap, "what"), "beyond-given"))
            return true;
    }
    return false;
}

static void say_not_searched(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *gaps = json_member(root, "not_walked");
    /* Of a walk, where nobody named what it was to begin at. */
    bool is_walk = loupe_span_equals(json_text(root, "extent"), "walk") && !is_from_given(root);
    uint64_t count = gaps->count + is_walk, i = 0;
    if (!count)
        return;
    answer_say(lines, "Not searched: ");
    JSON_EACH(gap, gaps) {
        answer_say_joint(lines, i++, count);
        answer_say_text(lines, gap->text);
    }
    if (is_walk) {
        answer_say_joint(lines, i, count);
        answer_say(lines, "objects that no root reaches (");
        say_text_of(lines, root, "extent_reason");
        answer_say(lines, ")");
    }
    answer_end_line(lines);
}

/* ---- The whole ---- */

enum loupe_status answer_say_incoming(struct answer_lines *lines,
                                      const struct answer_report *report) {
    const struct json_value *freed = freed_for_certain(lines->answer);
    enum loupe_status status = say_first_lines(lines, report, freed);
    say_holders(lines, "holders", "holders_found", "more reference", "more references");
    say_holders(lines, "memory", "memory_found", "more pointer in non-object memory",
                "more pointers in non-object memory");
    answer_end_line(lines);
    say_direct(lines);
    if (!status)
        status = answer_say_unowned_holders(lines);
    say_other_pointers(lines);
    if (freed) { /* it counts nothing, and keeps nothing */
        answer_say_others_freed(lines);
    } else {
        say_arithmetic(lines);
        say_kept(lines);
    }
    say_not_searched(lines);
    answer_say_not_followed(lines);
    answer_say_unnamed(lines);
    answer_say_cost(lines);
    return status;
}
