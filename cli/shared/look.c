/* How the tool's text looks. */
#define _GNU_SOURCE /* fopencookie() */

#include "shared/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;

bool look_set_color(const char *when) {
    static const char *const words[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (strcmp(when, words[i]) == 0) {
            color = i;
            return true;
        }
    }
    return false;
}

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static bool has_color(void) {
    const char *terminal = variable("TERM");
    if (color != COLOR_AUTO)
        return color == COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && *terminal && strcmp(terminal, "dumb") != 0 &&
           !*variable("NO_COLOR");
}

struct answer_look look_of_tool(void) {
    return (struct answer_look){.host = ANSWER_IN_TERMINAL, .unicode = true, .color = has_color()};
}

/* ---- Glyphs ---- */

static const char *locale(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (*variable(names[i]))
            return variable(names[i]);
    }
    return "";
}

static bool has_unicode(void) {
    const char *wanted = variable("LOUPE_GLYPHS"), *name = locale();
    if (strcmp(wanted, "unicode") == 0 || strcmp(wanted, "ascii") == 0)
        return *wanted == 'u';
#ifdef __APPLE__
    if (!*name)
        return true;
#endif
    return strstr(name, "UTF-8") || strstr(name, "utf-8") || strstr(name, "utf8") ||
           strstr(name, "UTF8");
}

/* All that the tool draws with. */
static const struct glyph {
    const char *glyph, *ascii;
} glyphs[] = {{"╭", "."}, {"╰", "'"}, {"│", "|"}, {"─", "-"},  {"├", "|"},  {"┬", "."},
              {"┆", ":"}, {"┊", ":"}, {"⋮", ":"}, {"▶", ">"},  {"◀", "<"},  {"↓", "v"},
              {"⟲", "o"}, {"•", "*"}, {"×", "x"}, {"→", "->"}, {"…", "..."}};

enum { LONGEST_GLYPH = 3 };

/* Bytes of a glyph that the next write goes on with. */
static char begun[LONGEST_GLYPH];
static size_t begun_length;

static bool write_all(const char *bytes, size_t length) {
    while (length) {
        ssize_t written = write(STDOUT_FILENO, bytes, length);
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

static const struct glyph *glyph_that_begins_with(const char *bytes, size_t length, bool *whole) {
    for (size_t i = 0; i < sizeof(glyphs) / sizeof(*glyphs); i++) {
        size_t size = strlen(glyphs[i].glyph), compared = length < size ? length : size;
        *whole = length >= size;
        if (memcmp(glyphs[i].glyph, bytes, compared) == 0)
            return &glyphs[i];
    }
    return NULL;
}

/* One byte more: what cannot become a glyph is written as it is. */
static bool take(char byte) {
    bool whole = false;
    begun[begun_length++] = byte;
    const struct glyph *glyph = glyph_that_begins_with(begun, begun_length, &whole);
    if (glyph && !whole)
        return true;
    size_t length = begun_length;
    begun_length = 0;
    return glyph ? write_all(glyph->ascii, strlen(glyph->ascii)) : write_all(begun, length);
}

static bool write_in_ascii(const char *bytes, size_t length) {
    size_t done = 0;
    while (done < length) {
        size_t plain = 0;
        while (!begun_length && done + plain < length && !((unsigned char)bytes[done + plain] >> 7))
            plain++;
        if (!write_all(bytes + done, plain))
            return false;
        done += plain;
        if (done < length && !take(bytes[done++]))
            return false;
    }
    return true;
}

#if defined(__APPLE__)
static int write_some(void *cookie, const char *bytes, int length) {
    (void)cookie;
    return write_in_ascii(bytes, (size_t)length) ? length : -1;
}

static FILE *output_in_ascii(void) {
    return funopen(NULL, NULL, write_some, NULL, NULL);
}
#elif defined(__GLIBC__)
static ssize_t write_some(void *cookie, const char *bytes, size_t length) {
    (void)cookie;
    return write_in_ascii(bytes, length) ? (ssize_t)length : 0;
}

static FILE *output_in_ascii(void) {
    return fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_some});
}
#else
static FILE *output_in_ascii(void) {
    return NULL;
}
#endif

void look_begin_text(void) {
    FILE *file = has_unicode() || fflush(stdout) ? NULL : output_in_ascii();
    if (file)
        stdout = file;
}
