/* A change as a unified diff. */
#include "fix/changes/patch.h"

#include "shared/cli.h"

#include <string.h>

enum { AROUND = 3, HEADER_ROOM = 128 };

bool fix_add_edit(struct fix_patch *patch, struct fix_edit edit, struct loupe_arena *arena,
                  struct fix_reason *reason) {
    patch->edits = loupe_arena_grow(arena, patch->edits, patch->count, &patch->capacity,
                                    sizeof(*patch->edits));
    if (!patch->edits)
        return fix_refuse(reason, "out of memory");
    patch->edits[patch->count++] = edit;
    return true;
}

bool fix_add_text(struct fix_patch *patch, struct loupe_arena *arena, struct fix_reason *reason,
                  size_t offset, size_t removed, const char *text) {
    struct fix_edit edit = {.offset = offset,
                            .removed = removed,
                            .inserted = loupe_arena_copy_string(arena, loupe_span_of(text))};
    return edit.inserted ? fix_add_edit(patch, edit, arena, reason)
                         : fix_refuse(reason, "out of memory");
}

struct fix_patch *fix_patch_of(struct fix_change *change, const struct fix_file *file) {
    for (uint32_t i = 0; i < change->count; i++) {
        if (change->patches[i].file == file)
            return &change->patches[i];
    }
    if (change->count == FIX_MOST_FILES)
        return NULL;
    change->patches[change->count] = (struct fix_patch){.file = file};
    return &change->patches[change->count++];
}

static size_t bytes_added(const struct fix_patch *patch) {
    size_t added = 0;
    for (uint32_t i = 0; i < patch->count; i++)
        added += strlen(patch->edits[i].inserted);
    return added;
}

struct writer {
    char *bytes;
    size_t length;
};

static void put(struct writer *to, const char *bytes, size_t length) {
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
}

/* The bytes between two places, with the edits from one on that begin there; the first of the
 * others. */
static uint32_t put_edited(struct writer *to, const struct fix_patch *patch, uint32_t next,
                           size_t from, size_t end) {
    const char *old = patch->file->source.text.bytes;
    for (; next < patch->count && patch->edits[next].offset < end; next++) {
        const struct fix_edit *edit = &patch->edits[next];
        put(to, old + from, edit->offset - from);
        put(to, edit->inserted, strlen(edit->inserted));
        from = edit->offset + edit->removed;
    }
    put(to, old + from, end - from);
    return next;
}

struct loupe_span fix_patched(const struct fix_patch *patch, struct loupe_arena *arena) {
    struct loupe_span old = patch->file->source.text;
    struct writer writer = {.bytes = loupe_arena_alloc(arena, old.length + bytes_added(patch) + 1)};
    if (writer.bytes)
        put_edited(&writer, patch, 0, 0, old.length);
    return (struct loupe_span){writer.bytes, writer.length};
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

uint64_t fix_line_of(const struct fix_file *file, size_t offset) {
    uint64_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += file->source.text.bytes[i] == '\n';
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

/* A name with blanks ends in a tab, as those of git do. */
static void put_names(struct writer *to, const char *path) {
    const char *names[] = {"--- a/", "+++ b/"}, *end = strchr(path, ' ') ? "\t\n" : "\n";
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        put(to, names[i], strlen(names[i]));
        put(to, path, strlen(path));
        put(to, end, strlen(end));
    }
}

/* Of lines. */
struct range {
    uint64_t first, count;
};

static void put_range(struct writer *to, struct range before, struct range after) {
    char line[HEADER_ROOM];
    put(to, line,
        loupe_format(line, sizeof(line), "@@ -%llu,%llu +%llu,%llu @@\n",
                     (unsigned long long)before.first, (unsigned long long)before.count,
                     (unsigned long long)after.first, (unsigned long long)after.count));
}

static struct loupe_span part(struct loupe_span text, size_t from, size_t to) {
    return (struct loupe_span){text.bytes + from, to - from};
}

static uint64_t lines_in(struct loupe_span text) {
    uint64_t lines = text.length && text.bytes[text.length - 1] != '\n';
    for (size_t i = 0; i < text.length; i++)
        lines += text.bytes[i] == '\n';
    return lines;
}

/* Lines that edits are in, and those around them. */
struct piece {
    uint32_t first, behind; /* of the edits */
    size_t from, start, end, to;
};

/* Behind the last line that an edit is in; it may remove a whole one. */
static size_t end_of_edit(struct loupe_span old, const struct fix_edit *edit) {
    return end_of_line(old, edit->offset + edit->removed - (edit->removed > 0));
}

/* Whether so few lines are between that the lines around both would meet. */
static bool meets(struct loupe_span old, size_t end, size_t start, unsigned around) {
    for (unsigned i = 0; i < 2 * around && end < start; i++)
        end = end_of_line(old, end);
    return end >= start;
}

static struct piece piece_from(const struct fix_patch *patch, uint32_t first, unsigned around) {
    struct loupe_span old = patch->file->source.text;
    struct piece piece = {.first = first,
                          .behind = first + 1,
                          .start = start_of_line(old, patch->edits[first].offset),
                          .end = end_of_edit(old, &patch->edits[first])};
    for (; piece.behind < patch->count &&
           meets(old, piece.end, start_of_line(old, patch->edits[piece.behind].offset), around);
         piece.behind++)
        piece.end = end_of_edit(old, &patch->edits[piece.behind]);
    piece.from = piece.start;
    piece.to = piece.end;
    for (unsigned i = 0; i < around && piece.from > 0; i++)
        piece.from = start_of_line(old, piece.from - 1);
    for (unsigned i = 0; i < around && piece.to < old.length; i++)
        piece.to = end_of_line(old, piece.to);
    return piece;
}

/* Whole lines that an edit puts before the one at a place. */
static bool is_line_before(const struct fix_edit *edit, size_t start) {
    size_t length = strlen(edit->inserted);
    return edit->offset == start && !edit->removed && length && edit->inserted[length - 1] == '\n';
}

/* changed: room for one line with its edits in it. */
static void put_changes(struct writer *to, const struct fix_patch *patch, struct piece piece,
                        struct writer *changed) {
    struct loupe_span old = patch->file->source.text;
    uint32_t next = piece.first;
    for (size_t line = piece.start, end; line < piece.end; line = end) {
        end = end_of_line(old, line);
        for (; next < piece.behind && is_line_before(&patch->edits[next], line); next++)
            put_lines(to, '+', loupe_span_of(patch->edits[next].inserted));
        changed->length = 0;
        uint32_t behind = put_edited(changed, patch, next, line, end);
        bool is_changed = behind != next;
        put_lines(to, is_changed ? '-' : ' ', part(old, line, end));
        if (is_changed)
            put_lines(to, '+', (struct loupe_span){changed->bytes, changed->length});
        next = behind;
    }
}

static uint64_t lines_inserted(const struct fix_patch *patch) {
    uint64_t lines = 0;
    for (uint32_t i = 0; i < patch->count; i++)
        lines += lines_in(loupe_span_of(patch->edits[i].inserted));
    return lines;
}

/* Each line of a piece at most twice, with a mark before it; the last may have to say that it has
 * no end. */
static size_t room_for(const struct fix_patch *patch) {
    struct loupe_span old = patch->file->source.text;
    size_t room = 2 * strlen(patch->file->path) + HEADER_ROOM + bytes_added(patch) +
                  (size_t)lines_inserted(patch);
    for (uint32_t next = 0; next < patch->count;) {
        struct piece piece = piece_from(patch, next, AROUND);
        room += 2 * (piece.to - piece.from + (size_t)lines_in(part(old, piece.from, piece.to))) +
                2 * HEADER_ROOM;
        next = piece.behind;
    }
    return room;
}

/* scratch: room for the piece with its edits. *grown: the lines that came before it. */
static void put_piece(struct writer *to, const struct fix_patch *patch, struct piece piece,
                      struct writer *scratch, uint64_t *grown) {
    struct loupe_span old = patch->file->source.text;
    uint64_t first = fix_line_of(patch->file, piece.from);
    uint64_t before = lines_in(part(old, piece.from, piece.to));
    scratch->length = 0;
    put_edited(scratch, patch, piece.first, piece.from, piece.to);
    uint64_t after = lines_in((struct loupe_span){scratch->bytes, scratch->length});
    put_range(to, (struct range){first, before}, (struct range){first + *grown, after});
    put_lines(to, ' ', part(old, piece.from, piece.start));
    put_changes(to, patch, piece, scratch);
    put_lines(to, ' ', part(old, piece.end, piece.to));
    *grown += after - before; /* may wrap */
}

static bool can_be_shown(const struct fix_patch *patch) {
    struct loupe_span old = patch->file->source.text;
    bool can = is_plain_path(patch->file->path) && !memchr(old.bytes, '\0', old.length);
    for (uint32_t next = 0; can && next < patch->count;) {
        struct piece piece = piece_from(patch, next, AROUND);
        can = is_utf8(part(old, piece.from, piece.to));
        next = piece.behind;
    }
    return can;
}

bool fix_diff(const struct fix_patch *patch, struct loupe_arena *arena, struct loupe_span *ret,
              struct fix_reason *reason) {
    struct loupe_span old = patch->file->source.text;
    if (!can_be_shown(patch))
        return fix_refuse(reason, "%s, or its name, has characters that a diff cannot hold",
                          cli_printable(loupe_span_of(patch->file->path)));
    struct writer writer = {.bytes = loupe_arena_alloc(arena, room_for(patch))};
    struct writer scratch = {.bytes =
                                 loupe_arena_alloc(arena, old.length + bytes_added(patch) + 1)};
    if (!writer.bytes || !scratch.bytes)
        return fix_refuse(reason, "out of memory");
    uint64_t grown = 0;
    put_names(&writer, patch->file->path);
    for (uint32_t next = 0; next < patch->count;) {
        struct piece piece = piece_from(patch, next, AROUND);
        put_piece(&writer, patch, piece, &scratch, &grown);
        next = piece.behind;
    }
    *ret = (struct loupe_span){writer.bytes, writer.length};
    return true;
}

bool fix_next_place(const struct fix_patch *patch, uint32_t *next, struct loupe_arena *arena,
                    struct fix_place *ret) {
    struct loupe_span old = patch->file->source.text;
    if (*next >= patch->count)
        return false;
    struct piece piece = piece_from(patch, *next, 0);
    struct writer writer = {
        .bytes = loupe_arena_alloc(arena, piece.end - piece.start + bytes_added(patch) + 1)};
    *next = piece.behind;
    *ret = (struct fix_place){.first_line = fix_line_of(patch->file, piece.start),
                              .before = part(old, piece.start, piece.end)};
    ret->last_line = ret->first_line + lines_in(ret->before) - 1;
    if (writer.bytes)
        put_edited(&writer, patch, piece.first, piece.start, piece.end);
    ret->after = (struct loupe_span){writer.bytes, writer.length};
    return true;
}

bool fix_refuse_at(struct fix_reason *reason, const struct fix_file *file, uint32_t token,
                   const char *why) {
    return fix_refuse(reason, "%s:%llu: %s", cli_printable(loupe_span_of(file->path)),
                      (unsigned long long)fix_line_of(file, file->source.tokens[token].offset),
                      why);
}
