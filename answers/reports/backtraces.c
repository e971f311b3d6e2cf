/* The report of backtraces, in the form of Apple's crash reports. */
#include "answers/reports/parts.h"

enum { NUMBER_WIDTH = 4, FILE_WIDTH = 30, ADDRESS_DIGITS = 16 };

/* At least one space, up to the width. */
static void say_padded(struct answer_lines *lines, size_t start, size_t width) {
    size_t written = answer_width(visible_text(&lines->line)) - start;
    answer_say_spaces(lines, written < width ? width - written : 1);
}

static void say_address(struct answer_lines *lines, uint64_t address) {
    char text[ADDRESS_DIGITS + 1];
    for (unsigned i = ADDRESS_DIGITS; i--; address >>= 4)
        text[i] = "0123456789abcdef"[address & 15];
    text[ADDRESS_DIGITS] = '\0';
    answer_say(lines, "0x%s", text);
}

static struct loupe_span name_of_file(const struct json_value *image) {
    struct loupe_span file = json_text(image, "file");
    for (size_t at = file.length; at; at--) {
        if (file.bytes[at - 1] == '/')
            return (struct loupe_span){file.bytes + at, file.length - at};
    }
    return file;
}

/* Where a file is loaded; 0: nobody knows. */
static uint64_t start_of(const struct answer_lines *lines, struct loupe_span name) {
    JSON_EACH(image, json_member(lines->answer->root, "images")) {
        if (json_texts_equal(name_of_file(image), name))
            return answer_address(json_text(image, "start"));
    }
    return 0;
}

/* ---- Frames ---- */

static void say_where(struct answer_lines *lines, const struct json_value *frame) {
    struct loupe_span symbol = json_text(frame, "symbol"), name = json_text(frame, "name"),
                      image = json_text(frame, "image"), file = json_text(frame, "file");
    if (symbol.length) {
        answer_say_text(lines, name.length ? name : symbol);
        answer_say(lines, " + %llu", (unsigned long long)json_uint(frame, "offset"));
    } else if (name.length) {
        answer_say_text(lines, name);
    } else if (image.length) {
        uint64_t start = start_of(lines, image);
        answer_say_text(lines, image);
        answer_say(lines, " + %llu",
                   (unsigned long long)(answer_address(json_text(frame, "address")) - start));
    } else {
        answer_say(lines, "no loaded file");
    }
    if (file.length) {
        answer_say(lines, " (");
        answer_say_place(lines, frame);
        answer_say(lines, ")");
    }
}

static void say_frame(struct answer_lines *lines, const struct json_value *frame, uint32_t number) {
    struct loupe_span image = json_text(frame, "image");
    answer_say(lines, "%u", number);
    say_padded(lines, 0, NUMBER_WIDTH);
    size_t start = answer_width(visible_text(&lines->line));
    answer_say_text(lines, image.length ? image : loupe_span_of("???"));
    say_padded(lines, start, FILE_WIDTH);
    say_address(lines, answer_address(json_text(frame, "address")));
    answer_say(lines, " ");
    say_where(lines, frame);
    answer_end_line(lines);
}

/* ---- Frames that come back again and again, of a recursion ---- */

enum { LONGEST_ROW = 8, LEAST_TIMES = 4 };

static const struct json_value *so_far_behind(const struct json_value *frame, uint32_t count) {
    while (frame && count--)
        frame = frame->next;
    return frame;
}

static bool are_of_one_call(const struct json_value *a, const struct json_value *b) {
    return json_texts_equal(json_text(a, "address"), json_text(b, "address"));
}

/* How often a row of frames stands there in all. */
static uint32_t times_of_row(const struct json_value *frame, uint32_t length) {
    const struct json_value *other = so_far_behind(frame, length);
    uint32_t same = 0;
    for (; other && are_of_one_call(frame, other); frame = frame->next, other = other->next)
        same++;
    return same / length + 1;
}

/* The length of the shortest row that is worth a word; 0: there is none. */
static uint32_t repeated_row(const struct json_value *frame, uint32_t *times_ret) {
    /* Cap: longer rows are shown in full. */
    for (uint32_t length = 1; length <= LONGEST_ROW; length++) {
        *times_ret = times_of_row(frame, length);
        if (*times_ret >= LEAST_TIMES)
            return length;
    }
    return 0;
}

static void say_repeated(struct answer_lines *lines, uint32_t length, uint32_t times) {
    if (length == 1)
        answer_say(lines, "    ... this one again ");
    else
        answer_say(lines, "    ... these %u again ", length);
    answer_say(lines, "%u times", times - 1);
    answer_end_line(lines);
}

static void say_frames(struct answer_lines *lines, const struct json_value *frames) {
    const struct json_value *frame = frames->first;
    uint32_t number = 0;
    while (frame) {
        uint32_t times = 0, length = repeated_row(frame, &times);
        uint32_t shown = length ? length : 1;
        for (uint32_t i = 0; i < shown; i++, frame = frame->next)
            say_frame(lines, frame, number++);
        if (!length)
            continue;
        say_repeated(lines, length, times);
        number += length * (times - 1);
        frame = so_far_behind(frame, length * (times - 1));
    }
}

/* ---- Threads and images ---- */

static const char *why_it_ends(const struct json_value *thread) {
    struct loupe_span end = json_text(thread, "end"), registers = json_text(thread, "registers");
    if (loupe_span_equals(registers, "none"))
        return "(it could not be stopped: it blocks the signal, or a debugger holds it)";
    if (loupe_span_equals(end, "outermost"))
        return NULL;
    if (!loupe_span_equals(end, "lost"))
        return "(more than there was room for)";
    return loupe_span_equals(registers, "some")
               ? "(it could not be stopped, and without its registers the rest cannot be told)"
               : "(who called this cannot be told)";
}

static void say_thread(struct answer_lines *lines, const struct json_value *thread) {
    struct loupe_span name = json_text(thread, "name");
    unsigned long long number = json_uint(thread, "number");
    const char *why = why_it_ends(thread);
    if (name.length) {
        answer_say(lines, "Thread %llu name: ", number);
        answer_say_text(lines, name);
        answer_end_line(lines);
    }
    answer_say(lines, "Thread %llu id: %llu%s:", number,
               (unsigned long long)json_uint(thread, "id"),
               json_is_true(thread, "asks") ? ", asked" : "");
    answer_end_line(lines);
    say_frames(lines, json_member(thread, "frames"));
    if (why) {
        answer_say(lines, "%s", why);
        answer_end_line(lines);
    }
    answer_end_line(lines);
}

static void say_build_id(struct answer_lines *lines, struct loupe_span id) {
    for (size_t i = 0; i < id.length; i++) {
        if (id.bytes[i] != ' ')
            answer_say_text(lines, (struct loupe_span){id.bytes + i, 1});
    }
    answer_say(lines, "%s", id.length ? "" : "no build id");
}

static void say_image(struct answer_lines *lines, const struct json_value *image) {
    uint64_t end = answer_address(json_text(image, "end"));
    say_address(lines, answer_address(json_text(image, "start")));
    answer_say(lines, " - ");
    say_address(lines, end ? end - 1 : 0);
    answer_say(lines, " ");
    answer_say_text(lines, name_of_file(image));
    answer_say(lines, " <");
    say_build_id(lines, json_text(image, "build_id"));
    answer_say(lines, "> ");
    answer_say_text(lines, json_text(image, "file"));
    answer_end_line(lines);
}

enum loupe_status answer_say_backtraces(struct answer_lines *lines,
                                        const struct answer_report *report) {
    const struct json_value *root = lines->answer->root;
    (void)report;
    JSON_EACH(thread, json_member(root, "threads"))
    say_thread(lines, thread);
    if (!json_member(root, "threads")->first) {
        answer_say(lines, "There is no such thread.");
        answer_end_line(lines);
        answer_end_line(lines);
    }
    if (answer_is_set(json_member(root, "misses_threads"))) {
        answer_say(lines, "There may be more threads: the system did not tell all of them.");
        answer_end_line(lines);
        answer_end_line(lines);
    }
    answer_say(lines, "Binary Images:");
    answer_end_line(lines);
    JSON_EACH(image, json_member(root, "images"))
    say_image(lines, image);
    return LOUPE_OK;
}
