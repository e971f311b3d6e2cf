/*
 * look.h - how the tool's text looks where it goes: drawn in Unicode or ASCII, coloured or plain,
 * by the rule that the commands in LLDB follow, too.
 *
 * Colours: by --color, else where the output is a terminal that has them (TERM) and NO_COLOR
 * is not set. Glyphs: by LOUPE_GLYPHS=ascii or unicode, else by the locale (LC_ALL, LC_CTYPE,
 * LANG); a Mac without one has Unicode.
 */
#ifndef LOUPE_CLI_LOOK_H
#define LOUPE_CLI_LOOK_H

#include "answers/lines.h"

enum { LOOK_LONGEST_GLYPH = 3 }; /* bytes */

/* "auto", "always" or "never", as --color takes it. False: it is none of these. */
bool look_set_color(const char *when);
/* Text for people on its way out, in ASCII where the terminal has nothing else. */
struct look_text {
    struct loupe_sink to;
    char begun[LOOK_LONGEST_GLYPH]; /* bytes of a glyph that the next write goes on with */
    size_t begun_length;
};

/* text stays as long as the sink. */
struct loupe_sink look_sink(struct look_text *text, struct loupe_sink to);

struct answer_look look_of_tool(void);

#endif
