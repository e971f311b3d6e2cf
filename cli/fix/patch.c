/* A change as a unified diff. */
#include "fix/patch.h"

#include "cli.h"

#include <string.h>

enum { AROUND = 3, HEADER_ROOM = 128 };

struct loupe_span fix_edited(const struct fix_edit *edit, struct loupe_arena *arena) {
    struct loupe_span old = edit->file->source.text;
    size_t added = strlen(edit->inserted), behind = edit->offset + edit->removed;
    char *bytes = loupe_arena_alloc(arena, old.length + added + 1);
    if (!bytes)
        return (struct loupe_span){NULL, 0};
    memcpy(bytes, old.bytes, edit->offset);
    memcpy(bytes + edit->offset, edit->inserted, added);
    memcpy(bytes + edit->offset + added, old.bytes + behind, old.length - behind);
    return (struct loupe_span){bytes, old.length - edit->removed + added};
}

static size_t start_of_line(struct loupe_span text, size_t at) {
    while (at > 0 && text.bytes[at - 1] != '\n')
        at--;
    return at;
}

/* Behind its end. */
static size_t end_of_line(struct loupe_span text, size_t at) {
    const char *end = at < text.length ? memchr(text.bytes + at, '\n', text.length - at) : NULL;
    return end ? (size_t)(end - text.bytes) + 1 : text.length;
}

uint64_t fix_line_of(const struct fix_edit *edit) {
    uint64_t line = 1;
    for (size_t i = 0; i < edit->offset; i++)
        line += edit->file->source.text.bytes[i] == '\n';
    return line;
}

/* ---- What cannot stand in one ---- */

/* So many bytes are one character in UTF-8, by the first; 0: none. */
static size_t character_length(unsigned char first) {
    return first < 0x80                     ? 1
           : first >= 0xc2 && first <= 0xdf ? 2
           : first >= 0xe0 && first <= 0xef ? 3
           : first >= 0xf0 && first <= 0xf4 ? 4
                                            : 0;
}

static bool is_utf8(struct loupe_span text) {
    for (size_t i = 0; i < text.length;) {
        size_t length = character_length((unsigned char)text.bytes[i]);
        if (!length || length > text.length - i)
            return false;
        for (size_t k = 1; k < length; k++) {
            if (((unsigned char)text.bytes[i + k] & 0xc0) != 0x80)
                return false;
        }
        i += length;
    }
    return true;
}

/* What git would have to quote. */
static bool is_plain_path(const char *path) {
    for (const char *c = path; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '"' || *c == '\\')
            return false;
    }
    return is_utf8(loupe_span_of(path));
}

/* ---- The diff ---- */

struct writer {
    char *bytes;
    size_t length;
};

static void put(struct writer *to, const char *bytes, size_t length) {
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
}

/* Each line of a text after such a character; the last may have no end. */
static void put_lines(struct writer *to, char first, struct loupe_span text) {
    static const char no_end[] = "\n\\ No newline at end of file\n";
    for (size_t i = 0; i < text.length;) {
        size_t next = end_of_line(text, i);
        put(to, &first, 1);
        put(to, text.bytes + i, next - i);
        if (text.bytes[next - 1] != '\n')
            put(to, no_end, sizeof(no_end) - 1);
        i = next;
    }
}

static void put_header(struct writer *to, const char *path, uint64_t first, uint64_t lines) {
    /* A name with blanks ends in a tab, as those of git do. */
    const char *names[] = {"--- a/", "+++ b/"}, *end = strchr(path, ' ') ? "\t\n" : "\n";
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        put(to, names[i], strlen(names[i]));
        put(to, path, strlen(path));
        put(to, end, strlen(end));
    }
    char line[HEADER_ROOM];
    put(to, line,
        loupe_format(line, sizeof(line), "@@ -%llu,%llu +%llu,%llu @@\n", (unsigned long long)first,
                     (unsigned long long)lines, (unsigned long long)first,
                     (unsigned long long)lines));
}

static struct loupe_span part(struct loupe_span text, size_t from, size_t to) {
    return (struct loupe_span){text.bytes + from, to - from};
}

bool fix_diff(const struct fix_edit *edit, struct loupe_arena *arena, struct loupe_span *ret,
              struct fix_reason *reason) {
    struct loupe_span old = edit->file->source.text, new = fix_edited(edit, arena);
    size_t start = start_of_line(old, edit->offset), from = start;
    size_t end = end_of_line(old, edit->offset + edit->removed), to = end;
    uint64_t first = fix_line_of(edit), lines = 1;
    for (unsigned i = 0; i < AROUND && from > 0; i++, lines++, first--)
        from = start_of_line(old, from - 1);
    for (unsigned i = 0; i < AROUND && to < old.length; i++, lines++)
        to = end_of_line(old, to);
    if (!is_plain_path(edit->file->path) || !is_utf8(part(old, from, to)) ||
        memchr(old.bytes, '\0', old.length))
        return fix_refuse(reason, "%s, or its name, has characters that a diff cannot hold",
                          cli_printable(loupe_span_of(edit->file->path)));
    struct writer writer = {.length = 0};
    writer.bytes = loupe_arena_alloc(arena, 2 * (to - from) + strlen(edit->inserted) +
                                                2 * strlen(edit->file->path) + 4 * HEADER_ROOM);
    if (!writer.bytes || !new.bytes)
        return fix_refuse(reason, "out of memory");
    put_header(&writer, edit->file->path, first, lines);
    put_lines(&writer, ' ', part(old, from, start));
    put_lines(&writer, '-', part(old, start, end));
    put_lines(&writer, '+', part(new, start, end + new.length - old.length));
    put_lines(&writer, ' ', part(old, end, to));
    *ret = (struct loupe_span){writer.bytes, writer.length};
    return true;
}
