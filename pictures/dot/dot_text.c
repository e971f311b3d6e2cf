#include "pictures/dot/dot_text.h"

#include "answers/visible.h"

#include <string.h>

enum { LONGEST_LABEL = 200 };

void dot_put(struct dot_writer *writer, struct loupe_span text) {
    if (!writer->status && text.length)
        writer->status = writer->sink.write(writer->sink.ctx, text.bytes, text.length);
}

void dot_put_string(struct dot_writer *writer, const char *text) {
    dot_put(writer, loupe_span_of(text));
}

void dot_put_format(struct dot_writer *writer, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    size_t length = loupe_format_list(text, sizeof(text), format, arguments);
    va_end(arguments);
    dot_put(writer, (struct loupe_span){text, length});
}

/* Graphviz knows escapes, and the entities of HTML. */
static void put_quoted(struct dot_writer *writer, struct loupe_span text) {
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        if (c == '"' || c == '\\')
            dot_put_string(writer, "\\");
        dot_put(writer, (struct loupe_span){&c, 1});
        if (c == '&')
            dot_put_string(writer, "amp;");
    }
}

void dot_put_label(struct dot_writer *writer, struct loupe_span text) {
    struct visible visible = {.length = 0};
    visible_add_text(&visible, text, LONGEST_LABEL);
    put_quoted(writer, visible_text(&visible));
}
