#include "pictures/dot_text.h"

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

/* As the reports in lldb write it: \x1b, \u202e, \U0001f600. */
static void put_code(struct dot_writer *writer, uint32_t code) {
    int digits = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
    dot_put_string(writer, digits == 2 ? "\\\\x" : digits == 4 ? "\\\\u" : "\\\\U");
    while (digits--)
        dot_put_format(writer, "%x", (unsigned)(code >> 4 * digits & 15));
}

static void put_ascii(struct dot_writer *writer, char c) {
    if (c == '"' || c == '\\')
        dot_put_string(writer, "\\");
    if (c == '&')
        dot_put_string(writer, "&amp;");
    else if (c < 0x20 || c == 0x7f)
        put_code(writer, (unsigned char)c);
    else
        dot_put(writer, (struct loupe_span){&c, 1});
}

/* Whether a character is not seen, or rules how others are shown. */
static bool is_hidden(uint32_t code) {
    static const uint32_t ranges[][2] = {
        {0, 0x9f},        {0xad, 0xad},         {0x61c, 0x61c},   {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f},     {0xd800, 0xf8ff}, {0xfeff, 0xfeff},
        {0xfff9, 0xfffb}, {0xe0000, UINT32_MAX}};
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    }
    return false;
}

/* The length of a valid character of UTF-8, not of ASCII; 0: there is none. */
static size_t take_code(const unsigned char *text, size_t length, uint32_t *ret) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t wanted = text[0] < 0xc2   ? 0
                    : text[0] < 0xe0 ? 2
                    : text[0] < 0xf0 ? 3
                    : text[0] < 0xf5 ? 4
                                     : 0;
    if (!wanted || wanted > length)
        return 0;
    *ret = text[0] & (0x7fu >> wanted);
    for (size_t i = 1; i < wanted; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *ret = *ret << 6 | (text[i] & 0x3fu);
    }
    bool is_valid = *ret >= least[wanted] && *ret <= 0x10ffff && (*ret < 0xd800 || *ret > 0xdfff);
    return is_valid ? wanted : 0;
}

void dot_put_label(struct dot_writer *writer, struct loupe_span text) {
    const unsigned char *bytes = (const unsigned char *)text.bytes;
    size_t end = text.length < LONGEST_LABEL ? text.length : LONGEST_LABEL;
    for (size_t i = 0; i < end;) {
        uint32_t code = bytes[i];
        size_t length = bytes[i] < 0x80 ? 0 : take_code(bytes + i, text.length - i, &code);
        if (bytes[i] < 0x80)
            put_ascii(writer, text.bytes[i]);
        else if (length && !is_hidden(code))
            dot_put(writer, (struct loupe_span){text.bytes + i, length});
        else
            put_code(writer, code);
        i += length ? length : 1;
    }
    if (end < text.length)
        dot_put_format(writer, "... (%zu bytes)", text.length);
}
