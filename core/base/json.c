#include "base/json.h"

#include <string.h>

void loupe_json_init(struct loupe_json *json, struct loupe_sink sink) {
    json->sink = sink;
    json->status = LOUPE_OK;
    json->comma = false;
    json->used = 0;
}

static void flush(struct loupe_json *json) {
    if (json->used && !json->status)
        json->status = json->sink.write(json->sink.ctx, json->buffer, json->used);
    json->used = 0;
}

enum loupe_status loupe_json_finish(struct loupe_json *json) {
    flush(json);
    return json->status;
}

static void put_char(struct loupe_json *json, char character) {
    if (json->used == sizeof(json->buffer))
        flush(json);
    json->buffer[json->used++] = character;
}

static void put(struct loupe_json *json, const char *bytes, size_t len) {
    while (len) {
        if (json->used == sizeof(json->buffer))
            flush(json);
        size_t part = sizeof(json->buffer) - json->used;
        if (part > len)
            part = len;
        memcpy(json->buffer + json->used, bytes, part);
        json->used += part;
        bytes += part;
        len -= part;
    }
}

/* Of short words, whose ends are found on the way. */
static void put_word(struct loupe_json *json, const char *word) {
    for (; *word; word++)
        put_char(json, *word);
}

/* A comma where one is due; after the value that follows, one will be. */
static void begin_value(struct loupe_json *json) {
    if (json->comma)
        put_char(json, ',');
    json->comma = true;
}

static void begin(struct loupe_json *json, char bracket) {
    begin_value(json);
    put_char(json, bracket);
    json->comma = false;
}

static void end(struct loupe_json *json, char bracket) {
    put_char(json, bracket);
    json->comma = true;
}

void loupe_json_begin_object(struct loupe_json *json) {
    begin(json, '{');
}

void loupe_json_end_object(struct loupe_json *json) {
    end(json, '}');
}

void loupe_json_begin_array(struct loupe_json *json) {
    begin(json, '[');
}

void loupe_json_end_array(struct loupe_json *json) {
    end(json, ']');
}

static void end_key(struct loupe_json *json) {
    put_char(json, ':');
    json->comma = false;
}

void loupe_json_key(struct loupe_json *json, const char *name) {
    begin_value(json);
    put_char(json, '"');
    put_word(json, name);
    put_char(json, '"');
    end_key(json);
}

void loupe_json_key_span(struct loupe_json *json, struct loupe_span name) {
    loupe_json_span(json, name);
    end_key(json);
}

/* The length of the valid UTF-8 sequence at the start of text (1 to 4), or 0. */
static size_t utf8_length(const unsigned char *text, size_t len) {
    unsigned char first = text[0];
    if (first < 0x80)
        return 1;
    size_t need = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || len < need)
        return 0;
    for (size_t i = 1; i < need; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Overlong forms, surrogates, beyond U+10FFFF. */
    if ((first == 0xe0 && text[1] < 0xa0) || (first == 0xed && text[1] > 0x9f) ||
        (first == 0xf0 && text[1] < 0x90) || (first == 0xf4 && text[1] > 0x8f))
        return 0;
    return need;
}

/* One unit of UTF-16, as JSON escapes it. */
static void put_unit(struct loupe_json *json, unsigned unit) {
    char text[8];
    put(json, text,
        loupe_format(text, sizeof(text), "\\u%x%x%x%x", unit >> 12, unit >> 8 & 15u,
                     unit >> 4 & 15u, unit & 15u));
}

static void put_escaped(struct loupe_json *json, unsigned code) {
    switch (code) {
    case '"':
        put(json, "\\\"", 2);
        break;
    case '\\':
        put(json, "\\\\", 2);
        break;
    case '\n':
        put(json, "\\n", 2);
        break;
    default:
        if (code >= 0x10000)
            put_unit(json, 0xd800 + ((code - 0x10000) >> 10));
        put_unit(json, code >= 0x10000 ? 0xdc00 + (code & 0x3ffu) : code);
    }
}

/* The code point of a valid sequence of that length. */
static unsigned code_of(const unsigned char *text, size_t length) {
    unsigned code = length == 1 ? text[0] : text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (text[i] & 0x3fu);
    return code;
}

static bool is_plain(unsigned char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* The bytes from the start of text on that stand for themselves, as far as the buffer has room:
 * how many. */
static size_t put_plain(struct loupe_json *json, const unsigned char *text, size_t length) {
    size_t room = sizeof(json->buffer) - json->used, most = length < room ? length : room;
    char *to = json->buffer + json->used;
    size_t plain = 0;
    for (; plain < most && is_plain(text[plain]); plain++)
        to[plain] = (char)text[plain];
    json->used += plain;
    return plain;
}

/* What does not stand for itself, escaped: how many bytes of text that were. */
static size_t put_other(struct loupe_json *json, const unsigned char *text, size_t len) {
    size_t length = utf8_length(text, len);
    put_escaped(json, length ? code_of(text, length) : text[0]);
    return length ? length : 1;
}

void loupe_json_span(struct loupe_json *json, struct loupe_span text) {
    begin_value(json);
    put_char(json, '"');
    const unsigned char *bytes = (const unsigned char *)text.bytes;
    for (size_t i = 0; i < text.length;) {
        i += put_plain(json, bytes + i, text.length - i);
        if (json->used == sizeof(json->buffer))
            flush(json);
        else if (i < text.length)
            i += put_other(json, bytes + i, text.length - i);
    }
    put_char(json, '"');
}

void loupe_json_string(struct loupe_json *json, const char *text) {
    if (text)
        loupe_json_span(json, loupe_span_of(text));
    else
        loupe_json_null(json);
}

void loupe_json_bytes(struct loupe_json *json, struct loupe_span bytes) {
    begin_value(json);
    put_char(json, '"');
    for (size_t i = 0; i < bytes.length; i++) {
        char text[8];
        unsigned byte = (unsigned char)bytes.bytes[i];
        put(json, text,
            loupe_format(text, sizeof(text), "%s%x%x", i ? " " : "", byte >> 4, byte & 15));
    }
    put_char(json, '"');
}

void loupe_json_value(struct loupe_json *json, struct loupe_span value) {
    begin_value(json);
    put(json, value.bytes, value.length);
}

/* Inlined for each base, which is a constant there. */
static inline void put_digits(struct loupe_json *json, uint64_t value, unsigned base) {
    char digits[20]; /* of the largest number in base 10 */
    size_t first = sizeof(digits);
    do
        digits[--first] = "0123456789abcdef"[value % base];
    while (value /= base);
    put(json, digits + first, sizeof(digits) - first);
}

void loupe_json_uint(struct loupe_json *json, uint64_t value) {
    begin_value(json);
    put_digits(json, value, 10);
}

void loupe_json_int(struct loupe_json *json, int64_t value) {
    begin_value(json);
    if (value < 0)
        put_char(json, '-');
    put_digits(json, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

void loupe_json_bool(struct loupe_json *json, bool value) {
    begin_value(json);
    put_word(json, value ? "true" : "false");
}

void loupe_json_null(struct loupe_json *json) {
    begin_value(json);
    put_word(json, "null");
}

void loupe_json_address(struct loupe_json *json, loupe_addr address) {
    begin_value(json);
    put_word(json, "\"0x");
    put_digits(json, address, 16);
    put_char(json, '"');
}

/* ---- Members ---- */

void loupe_json_put_string(struct loupe_json *json, const char *name, const char *text) {
    loupe_json_key(json, name);
    loupe_json_string(json, text);
}

void loupe_json_put_text(struct loupe_json *json, const char *name, struct loupe_span text) {
    loupe_json_key(json, name);
    if (text.length)
        loupe_json_span(json, text);
    else
        loupe_json_null(json);
}

void loupe_json_put_uint(struct loupe_json *json, const char *name, uint64_t value) {
    loupe_json_key(json, name);
    loupe_json_uint(json, value);
}

void loupe_json_put_bool(struct loupe_json *json, const char *name, bool value) {
    loupe_json_key(json, name);
    loupe_json_bool(json, value);
}

void loupe_json_put_address(struct loupe_json *json, const char *name, loupe_addr address) {
    loupe_json_key(json, name);
    loupe_json_address(json, address);
}
