#include "answers/visible.h"

#include <string.h>

static bool add(struct visible *visible, const char *bytes, size_t length) {
    if (length > sizeof(visible->bytes) - visible->length)
        return false;
    memcpy(visible->bytes + visible->length, bytes, length);
    visible->length += length;
    return true;
}

void visible_add(struct visible *visible, const char *text) {
    add(visible, text, strlen(text));
}

void visible_add_number(struct visible *visible, uint64_t number) {
    char text[24];
    add(visible, text, loupe_format(text, sizeof(text), "%llu", (unsigned long long)number));
}

/* Whether a character is not seen, or rules how others are shown. */
static bool is_hidden(uint32_t code) {
    static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},         {0xad, 0xad},
                                         {0x61c, 0x61c},   {0x200b, 0x200f},     {0x2028, 0x202e},
                                         {0x2060, 0x206f}, {0xd800, 0xf8ff},     {0xfeff, 0xfeff},
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

static bool add_code(struct visible *visible, uint32_t code) {
    static const char digits[] = "0123456789abcdef";
    char text[12] = "\\";
    size_t length = 1;
    int left = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
    text[length++] = left == 2 ? 'x' : left == 4 ? 'u' : 'U';
    while (left--)
        text[length++] = digits[code >> 4 * left & 15];
    return add(visible, text, length);
}

void visible_add_text(struct visible *visible, struct loupe_span text, size_t most) {
    const unsigned char *bytes = (const unsigned char *)text.bytes;
    size_t end = text.length < most ? text.length : most, i = 0;
    bool has_room = true;
    while (i < end && has_room) {
        uint32_t code = bytes[i];
        size_t length = bytes[i] < 0x80 ? 1 : take_code(bytes + i, text.length - i, &code);
        bool is_plain = length && !is_hidden(code);
        has_room = is_plain ? add(visible, text.bytes + i, length) : add_code(visible, code);
        i += length ? length : 1;
    }
    if (i >= text.length)
        return;
    visible_add(visible, "... (");
    visible_add_number(visible, text.length);
    visible_add(visible, " bytes)");
}
