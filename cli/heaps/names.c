/* Lines with names from debug information, made into a table. */
#include "heaps/names.h"

#include "shared/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 26, MOST_WORDS = 5 };

/* ---- Tables ---- */

/* Where the text begins, which is kept; one that was kept just before is not kept twice. */
static uint32_t keep(struct names *names, const char *text, uint32_t before) {
    if (!*text)
        return 0;
    if (before && strcmp(names->text + before, text) == 0)
        return before;
    uint32_t start = (uint32_t)names->table.text_size;
    size_t length = strlen(text) + 1;
    memcpy(names->text + start, text, length);
    names->table.text_size += length;
    return start;
}

static void add(struct names *names, const struct loupe_debug_name *entry, const char *name,
                const char *where) {
    uint32_t count = names->table.count++, before = count ? names->entries[count - 1].where : 0;
    names->entries[count] = *entry;
    names->entries[count].name = keep(names, name, 0);
    names->entries[count].where = keep(names, where, before);
}

/* For a text of so many lines and bytes, and one that is empty. */
static bool make_room(struct names *names, size_t lines, size_t bytes) {
    *names = (struct names){.entries = calloc(lines, sizeof(*names->entries)),
                            .text = malloc(bytes + 2)};
    if (!names->entries || !names->text)
        return false;
    names->text[0] = '\0';
    names->table =
        (struct loupe_debug_names){.entries = names->entries, .text = names->text, .text_size = 1};
    return true;
}

void names_deinit(struct names *names) {
    free(names->entries);
    free(names->text);
    *names = (struct names){.text = NULL};
}

/* ---- Lines ---- */

/* Cuts a line at its tabs. Returns how many words there are; more than fit count as one more. */
static unsigned cut(char *line, char **words) {
    unsigned count = 0;
    for (char *next = line; next && count <= MOST_WORDS; count++) {
        char *word = next;
        next = strchr(next, '\t');
        if (next)
            *next++ = '\0';
        if (count < MOST_WORDS)
            words[count] = word;
    }
    return count;
}

/* Which word of a line is what; 0: it has none. All but ivars and members have an address or an id
 * as their second. */
static const struct line_form {
    const char *word;
    unsigned count, number, name, where;
} forms[] = {
    [LOUPE_NAME_BLOCK] = {"block", 5, 2, 3, 4}, [LOUPE_NAME_CAPTURE] = {"capture", 4, 2, 3, 0},
    [LOUPE_NAME_PLACE] = {"root", 4, 0, 2, 3},  [LOUPE_NAME_THREAD] = {"thread", 3, 2, 0, 0},
    [LOUPE_NAME_IVAR] = {"ivar", 4, 2, 1, 3},   [LOUPE_NAME_MEMBER] = {"member", 4, 1, 2, 3},
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* "Class.ivar", where a class of Swift has dots itself. */
static bool take_ivar(const char *word, uint64_t *key_ret) {
    const char *dot = strrchr(word, '.');
    if (!dot)
        return false;
    *key_ret = loupe_debug_ivar_key((struct loupe_span){word, (size_t)(dot - word)},
                                    loupe_span_of(dot + 1));
    return true;
}

/* What a name stands for, but for its number. */
static bool take_place(unsigned kind, char *const *words, uint64_t *ret) {
    if (kind == LOUPE_NAME_IVAR)
        return take_ivar(words[1], ret);
    if (kind != LOUPE_NAME_MEMBER)
        return cli_parse_number(words[1], UINT64_MAX, ret);
    *ret = loupe_debug_class_key(loupe_span_of(words[3]));
    return true;
}

static bool take_line(char *line, struct names *names) {
    char *words[MOST_WORDS] = {0};
    unsigned count = cut(line, words), kind = 0;
    /* Cap: all of a table. */
    while (kind < FORMS && strcmp(words[0], forms[kind].word) != 0)
        kind++;
    if (kind == FORMS || count != forms[kind].count)
        return false;
    const struct line_form *form = &forms[kind];
    uint64_t at, number = 0;
    if (!take_place(kind, words, &at) ||
        (form->number && !cli_parse_number(words[form->number], UINT32_MAX, &number)))
        return false;
    add(names, &(struct loupe_debug_name){.at = at, .number = (uint32_t)number, .kind = kind},
        form->name ? words[form->name] : "", form->where ? words[form->where] : "");
    return true;
}

static const char *take_lines(char *text, struct names *names) {
    for (char *line = text; line;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (*line && !take_line(line, names))
            return "a line of it is not a name";
        line = next;
    }
    loupe_debug_names_sort(names->entries, names->table.count);
    return NULL;
}

const char *names_take(char *text, struct names *ret) {
    size_t lines = 1;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    const char *problem =
        make_room(ret, lines, strlen(text)) ? take_lines(text, ret) : "out of memory";
    if (problem)
        names_deinit(ret);
    return problem;
}

/* What is left of the file, up to one byte more than is allowed, and a NUL. NULL: no memory. */
static char *read_all(FILE *file, size_t *length_ret) {
    size_t room = 1 << 16, length = 0;
    char *text = malloc(room + 1);
    /* Cap: it is larger than 64 MB. */
    while (text && (length += fread(text + length, 1, room - length, file)) == room &&
           room <= MOST_BYTES) {
        char *larger = realloc(text, 2 * room + 1);
        if (!larger)
            free(text);
        text = larger;
        room *= 2;
    }
    if (text)
        text[length] = '\0';
    *length_ret = length;
    return text;
}

const char *names_read(const char *path, struct names *ret) {
    FILE *file = fopen(path, "rb");
    size_t length = 0;
    char *text = file ? read_all(file, &length) : NULL;
    bool failed = !file || ferror(file);
    int error = errno;
    if (file)
        fclose(file);
    bool has_room = file ? text != NULL : error != ENOMEM;
    const char *problem = !has_room                 ? "out of memory"
                          : failed                  ? strerror(error)
                          : length > MOST_BYTES     ? "it is larger than 64 MB"
                          : memchr(text, 0, length) ? "it has zeros in it"
                                                    : NULL;
    if (!problem)
        problem = names_take(text, ret);
    free(text);
    return problem;
}
