/* References to what was freed, of a whole heap. */
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "answers/texts.h"
#include "report/class_words.h"

enum { SHOWN_GROUPS = 10 };

/* Of what refers: "PhotoScreen", "block". */
static void say_class(struct answer_lines *lines, const struct json_value *group) {
    struct loupe_span name = json_text(group, "class");
    bool is_block = loupe_span_starts_with(name, "block ");
    bool is_raw = loupe_span_equals(name, "(raw memory)");
    answer_say_long_text(lines, is_block ? loupe_span_of("block")
                                : is_raw ? loupe_span_of("non-object")
                                         : loupe_public_class_name(name));
}

static void say_from(struct answer_lines *lines, const struct json_value *group) {
    const struct json_value *object = json_member(group, "object");
    bool is_raw = loupe_span_equals(json_text(group, "class"), "(raw memory)");
    say_class(lines, group);
    if (is_raw && object->kind == JSON_OBJECT) {
        answer_say(lines, " (");
        answer_say_bytes(lines, json_uint(object, "size"));
        answer_say(lines, ")");
    }
    answer_say(lines, " ");
    answer_say_text(lines, json_text(group, "from"));
}

static void say_group(struct answer_lines *lines, const struct json_value *group) {
    struct loupe_span was = json_text(group, "was");
    uint64_t count = json_uint(group, "count");
    answer_say(lines, "  ");
    if (count > 1) {
        answer_say_number(lines, count);
        answer_say(lines, " × ");
    }
    say_class(lines, group);
    answer_say(lines, ".");
    answer_say_long_text(lines, json_text(group, "path"));
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

void answer_say_dangling(struct answer_lines *lines) {
    const struct json_value *groups = json_member(lines->answer->root, "dangling");
    uint64_t references = json_uint(lines->answer->root, "dangling_found");
    uint32_t shown = 0;
    if (!references)
        return;
    answer_end_line(lines);
    answer_say_count(lines, references, "dangling reference");
    answer_say(lines, ", to %s (" ANSWER_CLEAR_DANGLING "):",
               references == 1 ? "a freed object" : "freed objects");
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
