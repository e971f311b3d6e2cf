#define _DEFAULT_SOURCE /* O_NONBLOCK, fstat */

#include "pictures/source_lines.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 1 << 20, AROUND = 3, LONGEST_PATH = 4096, LONGEST_LINE = 400 };

static bool ends_in(struct loupe_span name, const char *ending) {
    size_t length = strlen(ending);
    return name.length > length && memcmp(name.bytes + name.length - length, ending, length) == 0;
}

static bool is_source(struct loupe_span name) {
    static const char *const endings[] = {".m", ".mm",  ".c",  ".cc",    ".cpp",  ".cxx",
                                          ".h", ".hpp", ".hh", ".swift", ".java", ".kt"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (ends_in(name, endings[i]))
            return true;
    }
    return false;
}

/* The whole of an open file; its bytes, or NULL. */
static char *read_open(int file, struct loupe_arena *arena, size_t *size_ret) {
    struct stat found;
    if (fstat(file, &found) || !S_ISREG(found.st_mode) || found.st_size > LARGEST)
        return NULL;
    size_t size = (size_t)found.st_size, done = 0;
    char *bytes = loupe_arena_alloc(arena, size);
    while (bytes && done < size) {
        ssize_t got = read(file, bytes + done, size - done);
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    *size_ret = done;
    return bytes;
}

static char *read_file(struct loupe_span name, struct loupe_arena *arena, size_t *size_ret) {
    char path[LONGEST_PATH];
    if (name.length >= sizeof(path) || memchr(name.bytes, '\0', name.length) || !is_source(name))
        return NULL;
    memcpy(path, name.bytes, name.length);
    path[name.length] = '\0';
    /* What is a pipe would never open. */
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return NULL;
    char *bytes = read_open(file, arena, size_ret);
    close(file);
    return bytes;
}

/* Cuts the lines from `first` on out of a text; how many there are. */
static uint32_t cut_lines(const char *bytes, size_t size, uint32_t first, uint32_t count,
                          struct loupe_span *ret) {
    const char *at = bytes, *end = bytes + size;
    uint32_t found = 0;
    for (uint32_t number = 1; at < end && found < count; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        size_t length = (size_t)(stop - at);
        if (length && at[length - 1] == '\r')
            length--;
        if (number >= first)
            ret[found++] = (struct loupe_span){at, length < LONGEST_LINE ? length : LONGEST_LINE};
        at = newline ? newline + 1 : end;
    }
    return found;
}

static bool is_same_place(const struct picture_place *a, const struct picture_place *b) {
    return a->line == b->line && a->file.length == b->file.length &&
           memcmp(a->file.bytes, b->file.bytes, a->file.length) == 0;
}

static uint32_t known_lines(const struct picture *picture, const struct picture_place *place) {
    for (uint32_t i = 0; i < picture->lines_count; i++) {
        if (is_same_place(&picture->lines[i].place, place))
            return i;
    }
    return PICTURE_NONE;
}

static enum loupe_status add_lines(struct picture *picture, const struct picture_place *place,
                                   uint32_t *ret) {
    size_t size;
    *ret = PICTURE_NONE;
    struct picture_lines *all =
        loupe_arena_grow(picture->arena, picture->lines, picture->lines_count,
                         &picture->lines_capacity, sizeof(*all));
    if (!all)
        return LOUPE_ENOMEM;
    picture->lines = all;
    char *bytes = read_file(place->file, picture->arena, &size);
    if (!bytes)
        return LOUPE_OK;
    struct picture_lines lines = {.place = *place,
                                  .first = place->line > AROUND ? place->line - AROUND : 1};
    uint32_t wanted = place->line + AROUND - lines.first + 1;
    lines.items = loupe_arena_alloc_array(picture->arena, wanted, sizeof(*lines.items));
    if (!lines.items)
        return LOUPE_ENOMEM;
    lines.count = cut_lines(bytes, size, lines.first, wanted, lines.items);
    if (lines.first + lines.count <= place->line)
        return LOUPE_OK; /* not the file that was compiled */
    *ret = picture->lines_count++;
    all[*ret] = lines;
    return LOUPE_OK;
}

enum loupe_status picture_read_lines(struct picture *picture) {
    /* Each read keeps a file in the arena: a page shows no more places than a person looks at. */
    enum { MOST_PLACES = 64 };
    enum loupe_status status = LOUPE_OK;
    uint32_t tried = 0;
    for (uint32_t i = 0; i < picture->thing_count && !status; i++) {
        struct picture_thing *thing = &picture->things[i];
        if (!thing->place.file.length || !thing->place.line || thing->place.line > INT32_MAX)
            continue;
        thing->lines = known_lines(picture, &thing->place);
        if (thing->lines == PICTURE_NONE && tried < MOST_PLACES) {
            tried++;
            status = add_lines(picture, &thing->place, &thing->lines);
        }
    }
    return status;
}
