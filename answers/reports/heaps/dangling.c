/* References to what was freed, of a whole heap. */
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"
#include "answers/texts.h"
#include "report/class_words.h"

enum { SHOWN_GROUPS = 10, SHOWN_POINTERS = 3 };

/* Of what refers: "PhotoScreen", "block". */
static void say_class(struct answer_lines *lines, const struct json_value *group) {
    struct loupe_span name = json_text(group, "class");
    bool is_block = loupe_span_starts_with(name, "block ");
    bool is_raw = loupe_span_equals(name, "(raw memory)");
    answer_say_long_text(lines, is_block ? loupe_span_of("block")
                                : is_raw ? loupe_span_of("non-object")
                                         : loupe_public_class_name(name));
}

static bool is_capture(const struct json_value *group) {
    return loupe_span_equals(json_text(group, "kind"), "capture");
}

/* "PhotoScreen._delegate"; "self captured by block at PhotoCell.m:42 in -[PhotoCell show]". */
static void say_reference(struct answer_lines *lines, const struct json_value *group) {
    struct loupe_span name = json_text(group, "name");
    const struct json_value *invoke = json_member(json_member(group, "object"), "invoke");
    if (!is_capture(group)) {
        say_class(lines, group);
        answer_say(lines, ".");
    }
    answer_say_long_text(lines, name.length ? name : json_text(group, "path"));
    if (is_capture(group)) {
        answer_say(lines, " captured by ");
        answer_say_class_of_heap(lines, json_text(group, "class"), invoke);
    }
}

static void say_from(struct answer_lines *lines, const struct json_value *group) {
    const struct json_value *object = json_member(group, "object");
    bool is_raw = loupe_span_equals(json_text(group, "class"), "(raw memory)");
    if (is_raw && object->kind == JSON_OBJECT) {
        answer_say_heap_object(lines, object, ANSWER_SHORT_VALUE);
        return;
    }
    say_class(lines, group);
    answer_say(lines, " ");
    answer_say_text(lines, json_text(group, "from"));
}

static void say_group(struct answer_lines *lines, const struct json_value *group) {
    struct loupe_span was = json_text(group, "was");
    uint64_t count = json_uint(group, "count");
    answer_say(lines, "  ");
    if (count > 1) {
        answer_say_times(lines, count);
    }
    say_reference(lines, group);
    if (answer_file_name(json_member(group, "declared")).length) {
        answer_say(lines, " (");
        answer_say_place(lines, json_member(group, "declared"));
        answer_say(lines, ")");
    }
    answer_say(lines, " → a freed ");
    answer_say_long_text(lines, was.length ? was : loupe_span_of("object"));
    answer_say(lines, " ");
    answer_say_text(lines, json_text(group, "to"));
    answer_say(lines, ": ");
    answer_say_text(lines, json_text(group, "why"));
    answer_say(lines, " (");
    say_from(lines, group);
    answer_say(lines, ")");
    answer_end_line(lines);
}

/* GCC's runtime has no weak references. A refusal does not always say which runtime it is. */
static const char *what_to_do(const struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root;
    bool has_weak = !loupe_span_equals(json_text(root, "abi"), "gcc") &&
                    json_member(root, "weak_references")->kind != JSON_FALSE;
    return has_weak ? ANSWER_MAKE_WEAK_OR ANSWER_CLEAR_DANGLING : ANSWER_CLEAR_DANGLING;
}

void answer_say_dangling(struct answer_lines *lines) {
    const struct json_value *groups = json_member(lines->answer->root, "dangling");
    uint64_t references = json_uint(lines->answer->root, "dangling_found");
    uint32_t shown = 0;
    if (!references)
        return;
    answer_end_line(lines);
    answer_say_count(lines, references, "dangling reference");
    answer_say(lines, ", to %s (%s):", references == 1 ? "a freed object" : "freed objects",
               what_to_do(lines));
    answer_end_line(lines);
    JSON_EACH(group, groups) {
        if (shown++ < SHOWN_GROUPS)
            say_group(lines, group);
    }
    if (shown <= SHOWN_GROUPS)
        return;
    answer_say(lines, "  and ");
    answer_say_count(lines, shown - SHOWN_GROUPS, "more place");
    answer_say(lines, " (--json has all)");
    answer_end_line(lines);
}

/* ---- Of one freed object ---- */

/* "MessageView._delegate of 0x1f00 (View.m:7)"; "3 × FeedCell._owner (of 0x1f00 and 2 more)". */
static void say_pointer(struct answer_lines *lines, const struct json_value *group) {
    const struct json_value *declared = json_member(group, "declared");
    bool is_declared = answer_file_name(declared).length;
    uint64_t count = json_uint(group, "count");
    if (count > 1) {
        answer_say_times(lines, count);
    }
    say_reference(lines, group);
    answer_say(lines, count > 1 ? " (of " : " of ");
    answer_say_text(lines, json_text(group, "from"));
    if (count > 1) {
        answer_say(lines, " and ");
        answer_say_number(lines, count - 1);
        answer_say(lines, " more");
    }
    if (is_declared) {
        answer_say(lines, count > 1 ? ", " : " (");
        answer_say_place(lines, declared);
    }
    answer_say(lines, is_declared || count > 1 ? ")" : "");
}

static void say_pointers(struct answer_lines *lines, const struct json_value *groups) {
    uint64_t references = json_uint(lines->answer->root, "dangling_found"), told = 0;
    uint32_t parts = groups->count > SHOWN_POINTERS ? SHOWN_POINTERS + 1 : groups->count, i = 0;
    JSON_EACH(group, groups) {
        if (i == SHOWN_POINTERS)
            break;
        answer_say_joint(lines, i++, parts);
        say_pointer(lines, group);
        told += json_uint(group, "count");
    }
    if (references > told) {
        answer_say_joint(lines, i, parts);
        answer_say_count(lines, references - told, "more reference");
        answer_say(lines, " (--json has all)");
    }
    answer_say(lines, references == 1 ? " still points there (" : " still point there (");
    answer_say(lines, "%s)", what_to_do(lines));
}

/* Where the heap was searched for them; else how many holders a walk found. */
static void say_who(struct answer_lines *lines, const struct json_value *root) {
    const struct json_value *groups = json_member(root, "dangling");
    uint64_t holders = json_uint(root, "holders_found");
    if (groups->kind == JSON_ARRAY && groups->count) {
        say_pointers(lines, groups);
    } else if (json_has(root, "dangling_reason")) {
        answer_say(lines, "who still points there is not known: ");
        answer_say_text(lines, json_text(root, "dangling_reason"));
    } else if (holders) {
        answer_say_count(lines, holders, "reference");
        answer_say(lines, " to it remain%s", holders > 1 ? "" : "s");
    } else {
        answer_say(lines, "no reference from an object still points there");
    }
}

void answer_say_was_freed(struct answer_lines *lines, const struct json_value *freed) {
    answer_say(lines, " was freed");
    if (json_text(freed, "class").length) {
        answer_say(lines, ANSWER_WAS_OF);
        answer_say_long_text(lines, json_text(freed, "class"));
    }
    answer_say(lines, ": ");
    answer_say_text(lines, json_text(freed, "why"));
    answer_say(lines, "; ");
    say_who(lines, lines->answer->root);
}

static bool is_incomplete(const struct json_value *root) {
    JSON_EACH(item, json_member(root, "not_followed")) {
        if (json_is_true(item, "lost"))
            return true;
    }
    return false;
}

enum loupe_status answer_say_freed_object(struct answer_lines *lines,
                                          const struct answer_report *report) {
    const struct json_value *root = lines->answer->root;
    answer_say_text(lines, report->asked);
    answer_say(lines, "%s", report->asked.length ? " (" : "");
    answer_say_text(lines, json_text(json_member(root, "error"), "address"));
    answer_say(lines, "%s", report->asked.length ? ")" : "");
    answer_say_was_freed(lines, json_member(root, "freed"));
    if (is_incomplete(root))
        answer_say(lines, "; incomplete: not all of the heap could be searched");
    answer_end_line(lines);
    return lines->status;
}
