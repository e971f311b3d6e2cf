/* The report of find: the instances of classes, those that keep most alive first. */
#include "answers/columns.h"
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"
#include "answers/parts/stack_text.h"

/* Which columns the heap has something for. */
struct shape {
    bool retains, heaps, stacks;
};

static void begin(struct answer_lines *lines, struct shape shape, struct answer_columns *columns) {
    const char *headings[ANSWER_MOST_COLUMNS] = {"address", "bytes", "retained"};
    uint32_t count = 3;
    if (shape.retains)
        headings[count++] = "retain count";
    headings[count++] = "class";
    if (shape.heaps)
        headings[count++] = "heap";
    if (shape.stacks)
        headings[count++] = "allocated";
    headings[count++] = "value";
    answer_columns_init(columns, lines->answer->arena, count);
    columns->numbers = 1 << 1 | 1 << 2 | (shape.retains ? 1 << 3 : 0);
    for (uint32_t i = 0; i < count; i++)
        answer_take_text(columns, lines, headings[i]);
}

static void say_retains(struct answer_lines *lines, const struct json_value *object) {
    if (json_member(object, "retain_count")->kind == JSON_NUMBER)
        answer_say_number(lines, json_uint(object, "retain_count"));
    else if (json_is_true(object, "immortal"))
        answer_say(lines, "never freed");
}

static void say_allocated(struct answer_lines *lines, const struct json_value *object) {
    const struct json_value *frames = answer_stack(lines->answer, json_member(object, "allocated"));
    if (frames->count)
        answer_say_frame(lines, answer_guilty_frame(frames));
    else
        answer_say(lines, "not recorded");
}

/* Of memory its name, unless that is only what stands in the column of stacks. */
static void say_class(struct answer_lines *lines, const struct json_value *object,
                      struct shape shape) {
    const struct json_value *part_of = json_member(object, "part_of");
    if (part_of->kind == JSON_OBJECT && !(shape.stacks && json_has(part_of, "frame")))
        answer_say_part_of(lines, part_of);
    else
        answer_say_class_of(lines, object);
}

static void add_row(struct answer_lines *lines, struct shape shape, const struct json_value *object,
                    struct answer_columns *columns) {
    answer_say_text(lines, json_text(object, "address"));
    answer_take_cell(columns, lines);
    answer_say_number(lines, json_uint(object, "size"));
    answer_take_cell(columns, lines);
    if (json_is_true(object, "reachable"))
        answer_say_number(lines, json_uint(object, "retained"));
    else
        answer_say(lines, "%s", answer_word_of_unreached(lines));
    answer_take_cell(columns, lines);
    if (shape.retains) {
        say_retains(lines, object);
        answer_take_cell(columns, lines);
    }
    say_class(lines, object, shape);
    answer_take_cell(columns, lines);
    if (shape.heaps) {
        answer_say_text(lines, json_text(object, "heap"));
        answer_take_cell(columns, lines);
    }
    if (shape.stacks) {
        say_allocated(lines, object);
        answer_take_cell(columns, lines);
    }
    answer_say_text(lines, json_text(object, "value"));
    answer_take_cell(columns, lines);
}

static enum loupe_status say_table(struct answer_lines *lines, const struct json_value *objects) {
    const struct json_value *first = objects->first;
    struct shape shape = {.retains = answer_is_native(lines->answer),
                          .heaps = json_has(first, "heap"),
                          .stacks = json_has(first, "allocated")};
    struct answer_columns columns;
    begin(lines, shape, &columns);
    JSON_EACH(object, objects)
    add_row(lines, shape, object, &columns);
    answer_say_rows(lines, &columns);
    return columns.status;
}

/* A class that has no instances, or the name of one that may be meant. */
static void say_near(struct answer_lines *lines, struct loupe_span asked) {
    const struct json_value *root = lines->answer->root;
    struct loupe_span known = json_text(root, "known_class"), near = json_text(root, "near_class");
    for (size_t i = 0; i < asked.length; i++) {
        if (asked.bytes[i] == '*')
            return;
    }
    if (known.length) {
        answer_say_text(lines, known);
        answer_say(lines, " is a known class; it has no instances, but those of subclasses "
                          "(--subclasses).");
    } else if (json_has(root, "freed_class")) {
        answer_say(lines, "All its instances that are known were freed.");
    } else if (near.length) {
        answer_say(lines, "Did you mean ");
        answer_say_text(lines, near);
        answer_say(lines, "?");
    } else {
        answer_say(lines, "A name is the whole name: '*");
        answer_say_text(lines, asked);
        answer_say(lines, "*' finds it in longer ones.");
    }
    answer_end_line(lines);
}

static bool has_unreachable(const struct json_value *objects) {
    JSON_EACH(object, objects) {
        if (!json_is_true(object, "reachable"))
            return true;
    }
    return false;
}

enum loupe_status answer_say_instances(struct answer_lines *lines,
                                       const struct answer_report *report) {
    const struct json_value *root = lines->answer->root, *objects = json_member(root, "objects");
    uint64_t found = json_uint(root, "found"), others = json_uint(root, "found_others");
    enum loupe_status status = LOUPE_OK;
    if (others)
        answer_say_things(lines, found, others);
    else if (found)
        answer_say_count(lines, found, "instance");
    else
        answer_say(lines, "No instances");
    answer_say(lines, " found");
    answer_end_line(lines);
    if (objects->count) {
        answer_end_line(lines);
        status = say_table(lines, objects);
    }
    answer_say_rest(lines, found, objects->count, "more");
    if (!found)
        say_near(lines, report->asked);
    answer_say_dangling(lines);
    answer_say_recorder(lines);
    answer_say_heap_notes(lines, has_unreachable(objects));
    return status;
}
