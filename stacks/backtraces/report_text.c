/* Stacks as text, in the form of Apple's crash reports. */
#include "backtraces/report.h"

#include <string.h>

enum { NUMBER_WIDTH = 4, FILE_WIDTH = 30, ADDRESS_DIGITS = 16, MAX_NUMBER = 24 };

struct writer {
    struct loupe_sink sink;
    enum loupe_status status;
};

static void put(struct writer *writer, const char *text, size_t length) {
    if (length && !writer->status)
        writer->status = writer->sink.write(writer->sink.ctx, text, length);
}

static void put_text(struct writer *writer, const char *text) {
    put(writer, text, strlen(text));
}

static void put_number(struct writer *writer, uint64_t number) {
    char text[MAX_NUMBER];
    put(writer, text, loupe_format(text, sizeof(text), "%llu", (unsigned long long)number));
}

static void put_spaces(struct writer *writer, size_t written, size_t width) {
    do
        put(writer, " ", 1);
    while (++written < width);
}

static void put_address(struct writer *writer, loupe_addr address) {
    char digits[ADDRESS_DIGITS];
    for (unsigned i = ADDRESS_DIGITS; i--; address >>= 4)
        digits[i] = "0123456789abcdef"[address & 15];
    put_text(writer, "0x");
    put(writer, digits, sizeof(digits));
}

/* Text of the target: what could rule a terminal, or end a line, is shown by its bytes. Returns the
 * letters that were written. */
static size_t put_foreign(struct writer *writer, struct loupe_span text) {
    size_t written = 0;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        char escaped[] = {'\\', 'x', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
        bool is_plain = byte >= ' ' && byte < 0x7f;
        put(writer, is_plain ? &text.bytes[i] : escaped, is_plain ? 1 : sizeof(escaped));
        written += is_plain ? 1 : sizeof(escaped);
    }
    return written;
}

/* ---- Threads ---- */

static void put_frame(struct writer *writer, const struct loupe_stacks *stacks,
                      struct loupe_naming *naming, const struct loupe_thread_stack *thread,
                      size_t number) {
    struct loupe_frame_name name;
    char text[MAX_NUMBER];
    size_t index = thread->first + number;
    loupe_naming_at(naming, stacks, index, &name);
    size_t length = loupe_format(text, sizeof(text), "%zu", number);
    put(writer, text, length);
    put_spaces(writer, length, NUMBER_WIDTH);
    put_spaces(writer, put_foreign(writer, name.image ? name.file : loupe_span_of("???")),
               FILE_WIDTH);
    put_address(writer, stacks->addresses[index]);
    put_text(writer, " ");
    if (name.has_symbol) {
        put_foreign(writer, loupe_span_of(name.symbol));
        put_text(writer, " + ");
        put_number(writer, name.offset);
    } else if (name.image) {
        put_foreign(writer, name.file);
        put_text(writer, " + ");
        put_number(writer, stacks->addresses[index] - name.image->image.start);
    } else {
        put_text(writer, "no loaded file");
    }
    put_text(writer, "\n");
}

/*
 * Frames that come back again and again, of a recursion: the length of the shortest row that stands
 * at the frame and right behind itself at least so often that it is worth a word.
 */
static size_t repeated_row(const struct loupe_stacks *stacks,
                           const struct loupe_thread_stack *thread, size_t number,
                           size_t *times_ret) {
    enum { LONGEST_ROW = 8, LEAST_TIMES = 4 };
    const uint64_t *at = stacks->addresses + thread->first + number;
    size_t left = thread->count - number;
    for (size_t length = 1; length <= LONGEST_ROW && length * LEAST_TIMES <= left; length++) {
        size_t same = 0;
        while (same + length < left && at[same] == at[same + length])
            same++;
        *times_ret = same / length + 1;
        if (*times_ret >= LEAST_TIMES)
            return length;
    }
    return 0;
}

static void put_frames(struct writer *writer, const struct loupe_stacks *stacks,
                       struct loupe_naming *naming, const struct loupe_thread_stack *thread) {
    for (size_t i = 0; i < thread->count;) {
        size_t times = 0, length = repeated_row(stacks, thread, i, &times);
        for (size_t j = 0; j < (length ? length : 1); j++)
            put_frame(writer, stacks, naming, thread, i++);
        if (!length)
            continue;
        put_text(writer, length == 1 ? "    ... this one " : "    ... these ");
        if (length > 1)
            put_number(writer, length);
        put_text(writer, length > 1 ? " again " : "again ");
        put_number(writer, times - 1);
        put_text(writer, " times\n");
        i += length * (times - 1);
    }
}

static const char *why_it_ends(const struct loupe_thread_stack *thread) {
    if (thread->registers == LOUPE_REGISTERS_NONE)
        return "(it could not be stopped: it blocks the signal, or a debugger holds it)\n";
    if (thread->end == LOUPE_UNWIND_FULL)
        return "(more than there was room for)\n";
    if (thread->end == LOUPE_UNWIND_LOST && thread->registers == LOUPE_REGISTERS_SOME)
        return "(it could not be stopped, and without its registers the rest cannot be told)\n";
    return thread->end == LOUPE_UNWIND_LOST ? "(who called this cannot be told)\n" : "";
}

static void put_thread(struct writer *writer, const struct loupe_stacks *stacks,
                       struct loupe_naming *naming, const struct loupe_thread_stack *thread) {
    put_text(writer, "Thread ");
    put_number(writer, thread->number);
    if (thread->name[0]) {
        put_text(writer, " name: ");
        put_foreign(writer, loupe_span_of(thread->name));
        put_text(writer, "\nThread ");
        put_number(writer, thread->number);
    }
    put_text(writer, " id: ");
    put_number(writer, thread->id);
    put_text(writer, thread->asks ? ", asked:\n" : ":\n");
    put_frames(writer, stacks, naming, thread);
    put_text(writer, why_it_ends(thread));
    put_text(writer, "\n");
}

/* ---- Images ---- */

bool loupe_stacks_touch(const struct loupe_stacks *stacks, const struct loupe_loaded_image *image) {
    for (size_t i = 0; i < stacks->used; i++)
        if (loupe_stacks_place(stacks, i) >= image->image.start &&
            loupe_stacks_place(stacks, i) < image->image.end)
            return true;
    return false;
}

static void put_image(struct writer *writer, const struct loupe_loaded_image *image) {
    put_address(writer, image->image.start);
    put_text(writer, " - ");
    put_address(writer, image->image.end - 1);
    put_text(writer, " ");
    put_foreign(writer, loupe_image_file_name(image));
    put_text(writer, " <");
    for (unsigned i = 0; i < image->image.id.length; i++) {
        char byte[] = {"0123456789abcdef"[image->image.id.bytes[i] >> 4],
                       "0123456789abcdef"[image->image.id.bytes[i] & 15]};
        put(writer, byte, sizeof(byte));
    }
    put_text(writer, image->image.id.length ? "> " : "no build id> ");
    put_foreign(writer, image->path.length ? image->path : image->name);
    put_text(writer, "\n");
}

enum loupe_status loupe_stacks_write_text(const struct loupe_stacks *stacks,
                                          struct loupe_naming *naming, struct loupe_sink sink) {
    struct writer writer = {.sink = sink};
    for (uint32_t i = 0; i < stacks->threads.count; i++)
        put_thread(&writer, stacks, naming, loupe_stacks_at(stacks, i));
    if (stacks->misses_threads)
        put_text(&writer, "There may be more threads: the system did not tell all of them.\n\n");
    if (!stacks->threads.count)
        put_text(&writer, "There is no such thread.\n\n");
    put_text(&writer, "Binary Images:\n");
    for (size_t i = 0; i < naming->images->count; i++)
        if (loupe_stacks_touch(stacks, &naming->images->items[i]))
            put_image(&writer, &naming->images->items[i]);
    return writer.status;
}
