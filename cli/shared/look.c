/* How the tool's text looks. */
#define _POSIX_C_SOURCE 200809L /* fileno() */

#include "shared/look.h"

#include "shared/output.h"

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
    return isatty(fileno(cli_output())) && *terminal && strcmp(terminal, "dumb") != 0 &&
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
static enum loupe_status take(struct look_text *text, char byte) {
    bool whole = false;
    text->begun[text->begun_length++] = byte;
    const struct glyph *glyph = glyph_that_begins_with(text->begun, text->begun_length, &whole);
    if (glyph && !whole)
        return LOUPE_OK;
    size_t length = text->begun_length;
    text->begun_length = 0;
    return glyph ? text->to.write(text->to.ctx, glyph->ascii, strlen(glyph->ascii))
                 : text->to.write(text->to.ctx, text->begun, length);
}

static enum loupe_status write_in_ascii(void *ctx, const char *bytes, size_t length) {
    struct look_text *text = ctx;
    enum loupe_status status = LOUPE_OK;
    size_t done = 0;
    while (done < length && !status) {
        size_t plain = 0;
        while (!text->begun_length && done + plain < length &&
               !((unsigned char)bytes[done + plain] >> 7))
            plain++;
        if (plain)
            status = text->to.write(text->to.ctx, bytes + done, plain);
        done += plain;
        if (!status && done < length)
            status = take(text, bytes[done++]);
    }
    return status;
}

struct loupe_sink look_sink(struct look_text *text, struct loupe_sink to) {
    *text = (struct look_text){.to = to};
    return has_unicode() ? to : (struct loupe_sink){.write = write_in_ascii, .ctx = text};
}
