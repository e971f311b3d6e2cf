/* Stacks in words. */
#include "answers/parts/stack_text.h"

#include "scene/sections.h"

/* ---- Whose code it is ---- */

static struct loupe_span file_name(struct loupe_span path) {
    size_t start = path.length;
    while (start && path.bytes[start - 1] != '/')
        start--;
    return (struct loupe_span){path.bytes + start, path.length - start};
}

static bool is_word(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
           (letter >= '0' && letter <= '9');
}

/* The runtimes and Foundations that programs bring along, wherever they stand. */
static bool is_library(struct loupe_span name) {
    static const char *const libraries[] = {"libobjc", "libBlocksRuntime", "libdispatch",
                                            "libFoundation", "libCoreFoundation"};
    static const char *const frameworks[] = {"Foundation", "CoreFoundation", "UIKit", "AppKit"};
    for (size_t i = 0; i < sizeof(frameworks) / sizeof(*frameworks); i++) {
        if (loupe_span_equals(name, frameworks[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
        size_t length = loupe_span_of(libraries[i]).length;
        if (loupe_span_starts_with(name, libraries[i]) &&
            (name.length == length || !is_word(name.bytes[length])))
            return true;
    }
    return loupe_span_starts_with(name, "libgnustep-");
}

static bool is_systems(const struct json_value *frame) {
    struct loupe_span module = json_text(frame, "module");
    char path[256];
    loupe_format(path, sizeof(path), "%.*s",
                 module.length < sizeof(path) ? (int)module.length : 255,
                 module.bytes ? module.bytes : "");
    return loupe_image_is_systems(path) || is_library(file_name(module));
}

/* Who saved a heap knows it of each frame. */
static bool is_foreign(const struct json_value *frame) {
    if (json_has(frame, "foreign"))
        return json_is_true(frame, "foreign");
    return answer_is_set(json_member(frame, "runtime")) || is_systems(frame);
}

static struct loupe_span function_of(const struct json_value *frame) {
    struct loupe_span name = json_text(frame, "function");
    return name.length ? name : json_text(frame, "symbol");
}

static const struct json_value *stack_of(const struct answer *answer,
                                         const struct json_value *number) {
    char name[24];
    bool is_number = number->kind == JSON_NUMBER && number->text.length < sizeof(name);
    loupe_format(name, sizeof(name), "%.*s", is_number ? (int)number->text.length : 0,
                 is_number ? number->text.bytes : "");
    return json_member(json_member(answer->root, "stacks"), name);
}

const struct json_value *answer_stack(const struct answer *answer,
                                      const struct json_value *number) {
    return json_member(stack_of(answer, number), "frames");
}

bool answer_stack_is_whole(const struct answer *answer, const struct json_value *number) {
    return json_member(stack_of(answer, number), "whole")->kind != JSON_FALSE;
}

const struct json_value *answer_guilty_frame(const struct json_value *frames) {
    const struct json_value *inner = NULL;
    JSON_EACH(frame, frames) {
        bool is_setter = inner && loupe_span_starts_with(function_of(inner), "objc_setProperty");
        if (!is_foreign(frame) && !is_setter)
            return frame;
        inner = frame;
    }
    return frames->first;
}

/* ---- Text ---- */

void answer_say_frame(struct answer_lines *lines, const struct json_value *frame) {
    struct loupe_span name = function_of(frame), module = file_name(json_text(frame, "module"));
    bool has_place = answer_file_name(frame).length;
    if (has_place) {
        answer_say(lines, "at ");
        answer_say_place(lines, frame);
        answer_say(lines, " ");
    }
    answer_say(lines, name.length ? "in " : "at ");
    answer_say_text(lines, name.length ? name : json_text(frame, "address"));
    if (module.length && !has_place) {
        answer_say(lines, " of ");
        answer_say_text(lines, module);
    }
}

void answer_say_frames(struct answer_lines *lines, const struct json_value *frames,
                       const char *margin) {
    uint32_t number = 0;
    JSON_EACH(frame, frames) {
        answer_paint_faint(lines);
        answer_say(lines, "%s#%u ", margin, number++);
        answer_say_frame(lines, frame);
        answer_paint_end(lines);
        answer_end_line(lines);
    }
}
