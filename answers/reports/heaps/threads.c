/* The report of threads: stacks with the objects that their frames have, and what these keep. */
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"

enum { SHOWN_LOCALS = 8, LONGEST_VALUE = 120 };

static void say_local(struct answer_lines *lines, const struct json_value *local) {
    const struct json_value *object = json_member(local, "object");
    answer_say(lines, "        ");
    answer_say_heap_object(lines, object, LONGEST_VALUE);
    answer_say(lines, ", keeps ");
    answer_say_bytes(lines, json_uint(object, "retained"));
    answer_end_line(lines);
}

/* Of a frame, or of a thread in no known frame. */
static void say_locals(struct answer_lines *lines, const struct json_value *of) {
    const struct json_value *locals = json_member(of, "locals");
    uint32_t shown = 0;
    JSON_EACH(local, locals) {
        if (shown++ < SHOWN_LOCALS)
            say_local(lines, local);
    }
    if (shown <= SHOWN_LOCALS)
        return;
    answer_say(lines, "        ");
    answer_say_number(lines, shown - SHOWN_LOCALS);
    answer_say(lines, " more (--json has all)");
    answer_end_line(lines);
}

static void say_heading(struct answer_lines *lines, const struct json_value *thread) {
    struct loupe_span name = json_text(thread, "name"),
                      address = json_text(json_member(thread, "object"), "address");
    if (name.length) {
        answer_say(lines, "Thread \"");
        answer_say_long_text(lines, name);
        answer_say(lines, "\"");
    } else {
        answer_say(lines, "Thread %llu", (unsigned long long)json_uint(thread, "serial"));
    }
    answer_say(lines, "%s", address.length ? " " : "");
    answer_say_text(lines, address);
    answer_say(lines, ": its variables keep ");
    answer_say_bytes(lines, json_uint(thread, "retained"));
    answer_say(lines, "%s", json_is_true(thread, "out_of_memory") ? "; it ran out of memory" : "");
    answer_end_line(lines);
}

static void say_thread(struct answer_lines *lines, const struct json_value *thread) {
    const struct json_value *frames = json_member(thread, "frames");
    answer_end_line(lines);
    say_heading(lines, thread);
    JSON_EACH(frame, frames) {
        answer_say(lines, "    at ");
        if (answer_is_native(lines->answer))
            answer_say_native_frame(lines, frame);
        else
            answer_say_java_frame(lines, frame);
        answer_end_line(lines);
        say_locals(lines, frame);
    }
    if (!frames->count && !json_member(thread, "locals")->count) {
        answer_say(lines, "    no stack is known");
        answer_end_line(lines);
    }
    say_locals(lines, thread);
}

enum loupe_status answer_say_threads(struct answer_lines *lines,
                                     const struct answer_report *report) {
    const struct json_value *threads = json_member(lines->answer->root, "threads");
    uint64_t found = json_uint(lines->answer->root, "found");
    (void)report;
    answer_say_count(lines, found, "thread");
    answer_end_line(lines);
    JSON_EACH(thread, threads)
    say_thread(lines, thread);
    answer_say_rest(lines, found, threads->count, "more");
    answer_say_heap_notes(lines, false);
    return LOUPE_OK;
}
