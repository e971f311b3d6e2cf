#include "base/text.h"

#include <string.h>

struct loupe_span loupe_span_of(const char *string) {
    return (struct loupe_span){.bytes = string, .length = string ? strlen(string) : 0};
}

bool loupe_span_equals(struct loupe_span span, const char *string) {
    size_t length = strlen(string);
    return span.length == length && (length == 0 || memcmp(span.bytes, string, length) == 0);
}

bool loupe_spans_equal(struct loupe_span a, struct loupe_span b) {
    return a.length == b.length && (!a.length || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool loupe_span_starts_with(struct loupe_span span, const char *prefix) {
    size_t length = strlen(prefix);
    return span.length >= length && (length == 0 || memcmp(span.bytes, prefix, length) == 0);
}

bool loupe_span_contains(struct loupe_span span, const char *part) {
    for (; span.length; span.bytes++, span.length--) {
        if (loupe_span_starts_with(span, part))
            return true;
    }
    return false;
}

const char *loupe_find_char(const char *text, char wanted) {
    for (; *text; text++) {
        if (*text == wanted)
            return text;
    }
    return NULL;
}

const char *loupe_find_last_char(const char *text, char wanted) {
    const char *last = NULL;
    for (; *text; text++)
        last = *text == wanted ? text : last;
    return last;
}

const char *loupe_find_text(const char *text, const char *wanted) {
    size_t length = strlen(wanted);
    for (; *text; text++) {
        if (strncmp(text, wanted, length) == 0)
            return text;
    }
    return NULL;
}

/* Where formatted text goes: what does not fit is dropped. */
struct output {
    char *dst;
    size_t cap, length;
};

static void put(struct output *out, const char *bytes, size_t count) {
    size_t room = out->cap - 1 - out->length;
    if (count > room)
        count = room;
    if (count)
        memcpy(out->dst + out->length, bytes, count);
    out->length += count;
}

static void put_decimal(struct output *out, uint64_t value) {
    char digits[20];
    size_t used = 0;
    do {
        digits[sizeof(digits) - ++used] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    put(out, digits + sizeof(digits) - used, used);
}

static void put_hex(struct output *out, uint64_t value) {
    char digits[16];
    size_t used = 0;
    do {
        digits[sizeof(digits) - ++used] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value);
    put(out, digits + sizeof(digits) - used, used);
}

/* The length modifiers in front of an integer conversion. */
enum width { WIDTH_INT, WIDTH_LONG, WIDTH_LONG_LONG, WIDTH_SIZE };

static enum width parse_width(const char **format) {
    if (**format == 'z') {
        ++*format;
        return WIDTH_SIZE;
    }
    enum width width = WIDTH_INT;
    /* Cap: letters of a format of our own. */
    for (; **format == 'l' && width < WIDTH_LONG_LONG; ++*format)
        width++;
    return width;
}

static uint64_t take_unsigned(va_list *arguments, enum width width) {
    switch (width) {
    case WIDTH_LONG:
        return va_arg(*arguments, unsigned long);
    case WIDTH_LONG_LONG:
        return va_arg(*arguments, unsigned long long);
    case WIDTH_SIZE:
        return va_arg(*arguments, size_t);
    case WIDTH_INT:
        break;
    }
    return va_arg(*arguments, unsigned);
}

static void put_string(struct output *out, const char *string, size_t limit) {
    if (!string)
        string = "(null)";
    size_t length = 0;
    while (length < limit && string[length])
        length++;
    put(out, string, length);
}

static void put_int(struct output *out, int value) {
    if (value < 0)
        put(out, "-", 1);
    put_decimal(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

/* One conversion; format stands behind the percent sign and moves behind the conversion. */
static void convert(struct output *out, const char **format, va_list *arguments) {
    enum width width = parse_width(format);
    char letter = *(*format)++;
    char character;
    int precision;
    switch (letter) {
    case 's':
        put_string(out, va_arg(*arguments, const char *), SIZE_MAX);
        break;
    case '.': /* only as %.*s */
        *format += strlen("*s");
        precision = va_arg(*arguments, int);
        put_string(out, va_arg(*arguments, const char *), precision < 0 ? 0 : (size_t)precision);
        break;
    case 'c':
        character = (char)va_arg(*arguments, int);
        put(out, &character, 1);
        break;
    case 'd':
        put_int(out, va_arg(*arguments, int));
        break;
    case 'u':
        put_decimal(out, take_unsigned(arguments, width));
        break;
    case 'x':
        put_hex(out, take_unsigned(arguments, width));
        break;
    default: /* %% */
        put(out, &letter, 1);
    }
}

size_t loupe_format_list(char *dst, size_t cap, const char *format, va_list arguments) {
    struct output out = {.dst = dst, .cap = cap};
    va_list rest;
    va_copy(rest, arguments);
    while (*format) {
        const char *percent = format;
        while (*percent && *percent != '%')
            percent++;
        put(&out, format, (size_t)(percent - format));
        format = percent;
        if (*format == '%') {
            format++;
            convert(&out, &format, &rest);
        }
    }
    va_end(rest);
    out.dst[out.length] = '\0';
    return out.length;
}

size_t loupe_format(char *dst, size_t cap, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t length = loupe_format_list(dst, cap, format, arguments);
    va_end(arguments);
    return length;
}

/* Room for the closing quote and the NUL is left all the time. */
void loupe_quote(char *dst, size_t cap, const char *text) {
    size_t used = 0;
    if (cap < sizeof("\"\"")) {
        dst[0] = '\0';
        return;
    }
    dst[used++] = '"';
    for (; *text; text++) {
        bool is_escaped = *text == '"' || *text == '\\';
        if (used + is_escaped + 1 + sizeof("\"") > cap)
            break;
        if (is_escaped)
            dst[used++] = '\\';
        dst[used++] = *text;
    }
    dst[used++] = '"';
    dst[used] = '\0';
}

bool loupe_parse_decimal(const char **cursor, const char *end, uint64_t max, uint64_t *ret) {
    const char *p = *cursor;
    uint64_t value = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (digit > max || value > (max - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (p == *cursor)
        return false;
    *cursor = p;
    *ret = value;
    return true;
}
