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

/* What is left of the line. */
static struct loupe_span take_line(const char **cursor) {
    const char *start = *cursor;
    while (**cursor && **cursor != '\n')
        ++*cursor;
    struct loupe_span line = {.bytes = start, .length = (size_t)(*cursor - start)};
    if (**cursor)
        ++*cursor;
    return line;
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
    skip_one(cursor);
    ret->shared = **cursor == 's';
    for (unsigned i = 0; i < 2; i++)
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
    ret->path = take_line(cursor);
    return true;
}

/* ---- smaps: under the line of each mapping, lines as "VmFlags: rd wr mr" ---- */

static bool has_word(struct loupe_span line, const char *word) {
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= line.length; at++)
        if (!memcmp(line.bytes + at, word, length) && (!at || line.bytes[at - 1] == ' ') &&
            (at + length == line.length || line.bytes[at + length] == ' '))
            return true;
    return false;
}

/* "Swap:      12 kB" */
static bool has_amount(struct loupe_span line) {
    for (size_t at = 0; at < line.length; at++)
        if (line.bytes[at] >= '1' && line.bytes[at] <= '9')
            return true;
    return false;
}

bool loupe_proc_smaps_next(const char **cursor, struct loupe_proc_mapping *ret,
                           struct loupe_proc_pages *pages_ret) {
    *pages_ret = (struct loupe_proc_pages){.handled = false};
    if (!loupe_proc_maps_next(cursor, ret))
        return false;
    while (**cursor >= 'A' && **cursor <= 'Z') {
        struct loupe_span line = take_line(cursor);
        if (loupe_span_starts_with(line, "VmFlags:"))
            pages_ret->handled = has_word(line, "um") || has_word(line, "ui");
        else if (loupe_span_starts_with(line, "Swap:"))
            pages_ret->swapped = has_amount(line);
    }
    return true;
}

/* ---- mountinfo: "36 35 98:0 /root /mnt rw shared:1 - ext3 /dev/root rw" ---- */

static struct loupe_span take_word(const char **cursor) {
    const char *start = *cursor;
    while (**cursor && **cursor != ' ' && **cursor != '\n')
        ++*cursor;
    struct loupe_span word = {.bytes = start, .length = (size_t)(*cursor - start)};
    while (**cursor == ' ')
        ++*cursor;
    return word;
}

bool loupe_proc_mounts_next(const char **cursor, struct loupe_proc_mount *ret) {
    if (!**cursor)
        return false;
    take_word(cursor);
    take_word(cursor);
    *ret = (struct loupe_proc_mount){.device_major = (uint32_t)take_decimal(cursor)};
    skip_one(cursor);
    ret->device_minor = (uint32_t)take_decimal(cursor);
    while (**cursor && **cursor != '\n' && !loupe_span_equals(take_word(cursor), "-"))
        ;
    ret->type = take_word(cursor);
    take_line(cursor);
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
