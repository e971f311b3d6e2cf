#include "linux/proc_maps.h"

#include <string.h>

static unsigned hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    return 16;
}

static uint64_t take_hex(const char **cursor) {
    uint64_t value = 0;
    for (unsigned digit; (digit = hex_digit(**cursor)) < 16; ++*cursor)
        value = value << 4 | digit;
    return value;
}

static uint64_t take_decimal(const char **cursor) {
    uint64_t value = 0;
    for (; **cursor >= '0' && **cursor <= '9'; ++*cursor)
        value = value * 10 + (uint64_t)(**cursor - '0');
    return value;
}

/* One separator, unless the line ended before. */
static void skip_one(const char **cursor) {
    if (**cursor && **cursor != '\n')
        ++*cursor;
}

bool loupe_proc_maps_next(const char **cursor, struct loupe_proc_mapping *ret) {
    if (!**cursor)
        return false;
    *ret = (struct loupe_proc_mapping){.start = take_hex(cursor)};
    skip_one(cursor);
    ret->end = take_hex(cursor);
    skip_one(cursor);
    ret->readable = **cursor == 'r';
    skip_one(cursor);
    ret->writable = **cursor == 'w';
    skip_one(cursor);
    ret->executable = **cursor == 'x';
    for (unsigned i = 0; i < 3; i++)
        skip_one(cursor);
    ret->offset = take_hex(cursor);
    skip_one(cursor);
    ret->device_major = (uint32_t)take_hex(cursor);
    skip_one(cursor);
    ret->device_minor = (uint32_t)take_hex(cursor);
    skip_one(cursor);
    ret->inode = take_decimal(cursor);
    while (**cursor == ' ')
        ++*cursor;
    ret->path.bytes = *cursor;
    while (**cursor && **cursor != '\n')
        ++*cursor;
    ret->path.length = (size_t)(*cursor - ret->path.bytes);
    if (**cursor)
        ++*cursor;
    return true;
}

void loupe_proc_maps_path(struct loupe_span path, char *ret) {
    static const char line_end[] = {'\\', '0', '1', '2'};
    for (size_t at = 0; at < path.length;) {
        bool ends_line = path.length - at >= sizeof(line_end) &&
                         !memcmp(path.bytes + at, line_end, sizeof(line_end));
        *ret++ = ends_line ? '\n' : path.bytes[at];
        at += ends_line ? sizeof(line_end) : 1;
    }
    *ret = '\0';
}
