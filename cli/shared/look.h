/*
 * look.h - how the tool's text looks where it goes: drawn in Unicode or ASCII, coloured or plain,
 * by the rule that the commands in LLDB follow, too.
 *
 * Colours: by --color, else where standard output is a terminal that has them (TERM) and NO_COLOR
 * is not set. Glyphs: by LOUPE_GLYPHS=ascii or unicode, else by the locale (LC_ALL, LC_CTYPE,
 * LANG); a Mac without one has Unicode.
 */
#ifndef LOUPE_CLI_LOOK_H
#define LOUPE_CLI_LOOK_H

#include "answers/lines.h"

/* "auto", "always" or "never", as --color takes it. False: it is none of these. */
bool look_set_color(const char *when);
/* From now on text for people goes to standard output, nothing for programs. */
void look_begin_text(void);

struct answer_look look_of_tool(void);

#endif
