/* One entry of leaks. */
#include "answers/reports/heaps/leak_entry.h"

#include "answers/parts/heap_text.h"
#include "answers/parts/knot_text.h"
#include "answers/leak_words.h"
#include "answers/parts/stack_text.h"
#include "answers/texts.h"
#include "report/class_words.h"

#include <string.h>

enum { SHOWN_EXAMPLES = 4, SHOWN_KEPT = 3, LONGEST_VALUE = 96, MOST_OF_RING = 32 };

static bool is_degree(const struct json_value *leak, const char *degree) {
    return loupe_span_equals(json_text(leak, "degree"), degree);
}

static bool is_cycle(const struct json_value *leak) {
    return loupe_span_equals(json_text(leak, "kind"), "cycle");
}

static const struct json_value *knot_of(const struct json_value *leak) {
    return json_member(leak, "knot");
}

/* ---- Amounts and classes ---- */

void answer_say_sum(struct answer_lines *lines, uint64_t objects, uint64_t others, uint64_t bytes) {
    if (objects) {
        answer_say_things(lines, objects, others);
        answer_say(lines, ", ");
    }
    answer_say_bytes(lines, bytes);
}

void answer_say_amount(struct answer_lines *lines, const struct json_value *amount) {
    answer_say_sum(lines, json_uint(amount, "objects"), json_uint(amount, "others"),
                   json_uint(amount, "bytes"));
}

void answer_say_kept(struct answer_lines *lines, const struct json_value *kept) {
    uint64_t others = 0;
    uint32_t shown = 0;
    JSON_EACH(item, kept) {
        struct loupe_span name = json_text(item, "class");
        if (shown == SHOWN_KEPT || !name.length) {
            others += json_uint(item, "count");
            continue;
        }
        answer_say(lines, "%s", shown++ ? ", " : ": ");
        answer_say_number(lines, json_uint(item, "count"));
        answer_say(lines, " ");
        answer_say_text(lines, name);
    }
    if (!others)
        return;
    answer_say(lines, " and ");
    answer_say_number(lines, others);
    answer_say(lines, " of other classes");
}

void answer_say_plain_class(struct answer_lines *lines, struct loupe_span name) {
    if (loupe_span_starts_with(name, "block "))
        answer_say(lines, "block");
    else if (loupe_span_equals(name, "(raw memory)"))
        answer_say(lines, "non-object");
    else
        answer_say_text(lines, loupe_public_class_name(name));
}

static bool has_text(struct loupe_span text, struct loupe_span part) {
    for (size_t at = 0; at + part.length <= text.length; at++) {
        if (!part.length || memcmp(text.bytes + at, part.bytes, part.length) == 0)
            return true;
    }
    return false;
}

/* Another class, if it is not there yet; where the line began. */
static bool add_class(struct answer_lines *lines, size_t start, const struct json_value *object) {
    struct loupe_span so_far = {lines->line.bytes + start, lines->line.length - start};
    size_t before = lines->line.length;
    answer_say(lines, ", ");
    size_t name = lines->line.length;
    answer_say_plain_class(lines, loupe_span_equals(json_text(object, "kind"), "block")
                                      ? loupe_span_of("block ")
                                      : json_text(object, "class"));
    struct loupe_span said = {lines->line.bytes + name, lines->line.length - name};
    bool is_new = !has_text(so_far, said);
    lines->line.length = is_new ? lines->line.length : before;
    return is_new;
}

/* What its memory is part of, or by what frame it was allocated; of several they differ. */
static const struct json_value *part_of(const struct json_value *leak) {
    const struct json_value *object = json_member(leak, "object");
    return json_member(json_uint(leak, "count") > 1 ? leak : object, "part_of");
}

void answer_say_classes_of_leak(struct answer_lines *lines, const struct json_value *leak) {
    enum { MOST = 3 };
    const struct json_value *ring = json_member(knot_of(leak), "rings")->first;
    size_t start = lines->line.length;
    uint32_t shown = 1;
    if (part_of(leak)->kind == JSON_OBJECT)
        answer_say_part_of(lines, part_of(leak));
    else
        answer_say_plain_class(lines, json_text(leak, "class"));
    if (!ring)
        return;
    JSON_EACH(edge, json_member(ring, "edges")) {
        if (shown < MOST)
            shown += add_class(lines, start, answer_object(lines->answer, json_text(edge, "from")));
    }
}

/* ---- What to change ---- */

static const char *text_of_release(const struct json_value *leak) {
    return json_uint(leak, "missing_releases") == 1 ? ANSWER_ADD_RELEASE : ANSWER_ADD_RELEASES;
}

enum loupe_status answer_say_fix_of_leak(struct answer_lines *lines, const struct json_value *leak,
                                         bool says_what) {
    static const char what[] = ANSWER_FIX;
    struct visible *line = &lines->line;
    size_t start = line->length, length = sizeof(what) - 1;
    enum loupe_status status = LOUPE_OK;
    bool was_colored = lines->look.color;
    lines->look.color = false;
    if (knot_of(leak)->kind == JSON_OBJECT)
        status = answer_say_best_fix(lines, knot_of(leak));
    else if (json_uint(leak, "missing_releases"))
        answer_say(lines, ANSWER_FIX "%s", text_of_release(leak));
    lines->look.color = was_colored;
    struct loupe_span said = {line->bytes + start, line->length - start};
    if (says_what || !loupe_span_starts_with(said, what))
        return status;
    memmove(line->bytes + start, line->bytes + start + length, said.length - length);
    line->length -= length;
    return status;
}

static void say_missing_release(struct answer_lines *lines, const struct json_value *leak) {
    if (!json_uint(leak, "missing_releases"))
        return;
    answer_say(lines, "  " ANSWER_ONE_FIX);
    answer_end_line(lines);
    answer_say(lines, "    • %s", text_of_release(leak));
    answer_end_line(lines);
}

/* ---- The first line ---- */

/* How sure it is, and why, with the end of the line. */
static void say_verdict(struct answer_lines *lines, const struct json_value *leak) {
    struct answer_leak_facts facts = {.degree = is_degree(leak, "lost")    ? LOUPE_DEGREE_LOST
                                                : is_degree(leak, "timer") ? LOUPE_DEGREE_TIMER
                                                                           : LOUPE_DEGREE_NO_OWNER,
                                      .is_pointed_to = json_is_true(leak, "pointed_to"),
                                      .only_by_leaks = json_is_true(leak, "only_by_leaks"),
                                      .missing = (uint32_t)json_uint(leak, "missing_releases"),
                                      .is_each = json_uint(leak, "count") > 1};
    char text[ANSWER_LONGEST_VERDICT];
    answer_leak_verdict(&facts, text, sizeof(text));
    answer_say(lines, ", %s", text);
    answer_end_line(lines);
}

/* Memory that is no object has nothing but its size to know it by; equal leaks have the same one.
 */
static void say_each(struct answer_lines *lines, const struct json_value *leak) {
    const struct json_value *object = json_member(leak, "object");
    struct loupe_span kind = json_text(object, "kind"), name = json_text(leak, "class");
    if (loupe_span_equals(kind, "block")) {
        answer_say_class_of_heap(lines, name, json_member(object, "invoke"));
        return;
    }
    answer_say_plain_class(lines, name);
    if (!loupe_span_equals(kind, "raw"))
        return;
    answer_say(lines, ", ");
    answer_say_bytes(lines, json_uint(object, "size"));
    answer_say(lines, " each");
}

static void say_single(struct answer_lines *lines, const struct json_value *leak) {
    const struct json_value *object = json_member(leak, "object");
    if (json_uint(leak, "count") > 1) {
        answer_say_number(lines, json_uint(leak, "count"));
        answer_say(lines, " leaks of ");
        say_each(lines, leak);
    } else if (object->kind == JSON_OBJECT) {
        answer_say(lines, "Leak: ");
        answer_say_heap_object(lines, object, LONGEST_VALUE);
    } else { /* of an older version */
        answer_say(lines, "Leak: ");
        answer_say_class_of(lines, leak);
        answer_say(lines, " ");
        answer_say_text(lines, json_text(leak, "head"));
    }
    say_verdict(lines, leak);
}

/* ---- Cycles ---- */

static void say_allocations_of_ring(struct answer_lines *lines, const struct json_value *ring) {
    uint64_t length = json_uint(ring, "length"), shown = 0;
    answer_say(lines, "  Allocated:");
    answer_end_line(lines);
    JSON_EACH(edge, json_member(ring, "edges")) {
        struct loupe_span from = json_text(edge, "from");
        const struct json_value *frames = answer_stack(
            lines->answer, json_member(answer_object(lines->answer, from), "allocated"));
        if (shown++ >= MOST_OF_RING)
            continue;
        answer_say(lines, "    ");
        answer_say_thing(lines, from);
        answer_say(lines, " ");
        if (frames->count)
            answer_say_frame(lines, answer_guilty_frame(frames));
        else
            answer_say(lines, "not recorded");
        answer_end_line(lines);
    }
    if (length <= MOST_OF_RING)
        return;
    answer_say(lines, "    and ");
    answer_say_number(lines, length - MOST_OF_RING);
    answer_say(lines, " more (--json has all)");
    answer_end_line(lines);
}

void answer_say_ring_allocations(struct answer_lines *lines, const struct json_value *knot) {
    if (!json_has(lines->answer->root, "recorded"))
        return;
    JSON_EACH(ring, json_member(knot, "rings"))
    say_allocations_of_ring(lines, ring);
}

static enum loupe_status say_knot(struct answer_lines *lines, const struct json_value *leak) {
    struct answer_knot_notes notes = {.mistake = json_text(leak, "mistake"),
                                      .is_lost = is_degree(leak, "lost")};
    enum loupe_status status = answer_say_knot(lines, knot_of(leak), &notes);
    answer_say_ring_allocations(lines, knot_of(leak));
    return status;
}

/* A circle of words: some of them may own nothing. */
enum { LONGEST_CIRCLE = 32, BEGINNING = 12, END = 8 };

static void say_target(struct answer_lines *lines, const struct json_value *object) {
    struct loupe_span name = json_text(object, "class");
    if (loupe_span_equals(name, "(raw memory)")) {
        answer_say_heap_object(lines, object, ANSWER_SHORT_VALUE);
        return;
    }
    answer_say_plain_class(lines, name);
    answer_say(lines, " ");
    answer_say_text(lines, json_text(object, "address"));
}

static void say_circle_step(struct answer_lines *lines, const struct json_value *edge,
                            const struct json_value *to, bool is_last) {
    struct loupe_span path = json_text(edge, "path"), kind = json_text(edge, "kind");
    answer_say(lines, "  %s", is_last ? "╰── " : "│   ");
    answer_say_native_path(lines, edge);
    answer_say(lines, "  ");
    answer_say_kind_word(lines, path.length ? kind : loupe_span_of("word"));
    answer_say(lines, "  → ");
    if (is_last)
        say_target(lines, to);
    else
        answer_say_heap_object(lines, to, ANSWER_SHORT_VALUE);
    answer_end_line(lines);
}

static void say_circle(struct answer_lines *lines, const struct json_value *ring) {
    const struct json_value *edges = json_member(ring, "edges");
    uint64_t length = json_uint(ring, "length"), i = 0;
    uint64_t left_out = length > edges->count ? length - edges->count : 0;
    if (!edges->first)
        return;
    answer_say(lines, "  ╭─▶ ");
    answer_say_heap_object(lines, json_member(edges->first, "holder"), ANSWER_SHORT_VALUE);
    answer_end_line(lines);
    JSON_EACH(edge, edges) {
        bool is_last = !edge->next;
        const struct json_value *to = json_member(is_last ? edges->first : edge->next, "holder");
        bool is_folded = length > LONGEST_CIRCLE && i >= BEGINNING && i + left_out + END < length;
        if (!is_folded) {
            say_circle_step(lines, edge, to, is_last);
        } else if (i == BEGINNING) {
            answer_say(lines, "  ┆   ");
            answer_say_number(lines, length - BEGINNING - END);
            answer_say(lines, " more");
            answer_end_line(lines);
        }
        i++;
    }
    answer_say(lines, "  " ANSWER_UNTYPED_DOUBT);
    answer_end_line(lines);
}

static enum loupe_status say_cycle(struct answer_lines *lines, const struct json_value *leak) {
    bool has_knot = knot_of(leak)->kind == JSON_OBJECT;
    enum loupe_status status = LOUPE_OK;
    if (json_uint(leak, "count") > 1) {
        answer_say_times(lines, json_uint(leak, "count"));
    }
    if (has_knot)
        answer_say_size(lines, knot_of(leak));
    else
        answer_say(lines, ANSWER_UNTYPED_CYCLE);
    say_verdict(lines, leak);
    if (has_knot)
        status = say_knot(lines, leak);
    else
        say_circle(lines, json_member(leak, "ring"));
    if (json_is_true(leak, "equal_is_shown") && json_uint(leak, "count") == 1) {
        answer_say(lines, "  (an equal cycle is shown; this one is at ");
        answer_say_text(lines, json_text(leak, "head"));
        answer_say(lines, ")");
        answer_end_line(lines);
    }
    return status;
}

/* ---- Below it ---- */

/* Of leaks that are lost, those that a word still leads to. */
static void say_unowned(struct answer_lines *lines, const struct json_value *leak) {
    uint64_t unowned = json_uint(json_member(leak, "unowned"), "count");
    if (!unowned || !is_degree(leak, "lost"))
        return;
    answer_say(lines, "  Pointers that do not own them remain to ");
    answer_say_number(lines, unowned);
    answer_say(lines, " of these");
    answer_end_line(lines);
}

static void say_examples(struct answer_lines *lines, const struct json_value *leak) {
    const struct json_value *value = json_member(leak, "values")->first;
    uint64_t count = json_uint(leak, "count"), shown = 0;
    if (count < 2)
        return;
    answer_say(lines, "  ");
    JSON_EACH(example, json_member(leak, "examples")) {
        if (shown == SHOWN_EXAMPLES)
            break;
        answer_say(lines, "%s", shown++ ? ", " : "");
        answer_say_text(lines, example->text);
        if (value && value->kind == JSON_TEXT) {
            answer_say(lines, " ");
            answer_say_text(lines, value->text);
        }
        value = value ? value->next : NULL;
    }
    if (shown < count) {
        answer_say(lines, " and ");
        answer_say_number(lines, count - shown);
        answer_say(lines, " more");
    }
    answer_end_line(lines);
}

static void say_guess(struct answer_lines *lines, const struct json_value *leak) {
    if (!json_is_true(leak, "guessed"))
        return;
    answer_say(lines, "  Guessed: this allocator's tables cannot be read, so it may be free "
                      "already, or held from");
    answer_end_line(lines);
    answer_say(lines, "  memory that was not searched.");
    answer_end_line(lines);
}

static void say_in_all(struct answer_lines *lines, const struct json_value *leak) {
    answer_say(lines, "  In all: ");
    answer_say_amount(lines, leak);
    answer_say_kept(lines, json_member(leak, "keeps"));
    answer_say(lines, "; fingerprint ");
    answer_say_text(lines, json_text(leak, "fingerprint"));
    answer_end_line(lines);
}

enum loupe_status answer_say_leak(struct answer_lines *lines, const struct json_value *leak,
                                  uint64_t number) {
    enum loupe_status status = LOUPE_OK;
    answer_end_line(lines);
    answer_say_number(lines, number);
    answer_say(lines, ". ");
    if (is_cycle(leak))
        status = say_cycle(lines, leak);
    else
        say_single(lines, leak);
    say_unowned(lines, leak);
    say_examples(lines, leak);
    say_guess(lines, leak);
    if (knot_of(leak)->kind != JSON_OBJECT) {
        if (json_has(lines->answer->root, "recorded") && !json_has(part_of(leak), "frame"))
            answer_say_allocated_by(lines, leak, "  ");
        say_missing_release(lines, leak);
    }
    say_in_all(lines, leak);
    return status;
}
