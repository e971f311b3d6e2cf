#include "request/arguments.h"

static struct loupe_span take_word(const char **cursor) {
    const char *start = *cursor;
    while (**cursor && **cursor != ' ' && **cursor != ';')
        ++*cursor;
    return (struct loupe_span){.bytes = start, .length = (size_t)(*cursor - start)};
}

bool loupe_argument_next(const char **cursor, struct loupe_argument *ret) {
    while (**cursor == ';' || **cursor == ' ')
        ++*cursor;
    if (!**cursor)
        return false;
    const char *start = *cursor;
    *ret = (struct loupe_argument){.word = take_word(cursor)};
    while (**cursor == ' ') {
        ++*cursor;
        struct loupe_span field = take_word(cursor);
        if (ret->field_count < LOUPE_ARGUMENT_FIELDS)
            ret->fields[ret->field_count] = field;
        ret->field_count++;
    }
    ret->text = (struct loupe_span){.bytes = start, .length = (size_t)(*cursor - start)};
    return true;
}

/* The value of a hexadecimal digit, or 16. */
static unsigned digit(char c) {
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a' + 10);
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A' + 10);
    return 16;
}

enum loupe_status loupe_argument_text(struct loupe_span field, struct loupe_arena *arena,
                                      const char **ret) {
    char *text = loupe_arena_alloc(arena, field.length + 1), *to = text;
    if (!text)
        return LOUPE_ENOMEM;
    for (size_t i = 0; i < field.length; i++) {
        if (field.bytes[i] != '%') {
            *to++ = field.bytes[i];
            continue;
        }
        if (field.length - i < 3)
            return LOUPE_EUSAGE;
        unsigned high = digit(field.bytes[i + 1]), low = digit(field.bytes[i + 2]);
        if (high > 15 || low > 15 || high + low == 0)
            return LOUPE_EUSAGE;
        *to++ = (char)(high << 4 | low);
        i += 2;
    }
    *to = '\0';
    *ret = text;
    return LOUPE_OK;
}

bool loupe_argument_address(struct loupe_span field, loupe_addr *ret) {
    loupe_addr address = 0;
    if (field.length < 3 || field.length > 18 || !loupe_span_starts_with(field, "0x"))
        return false;
    for (size_t i = 2; i < field.length; i++) {
        unsigned value = digit(field.bytes[i]);
        if (value > 15)
            return false;
        address = address << 4 | value;
    }
    *ret = address;
    return true;
}
