/*
 * verb_commands.h - what the tool says about its own verbs.
 */
#ifndef LOUPE_CLI_VERB_COMMANDS_H
#define LOUPE_CLI_VERB_COMMANDS_H

#include "line/verb_line.h"
#include "verbs/code.h"

/* ---- verb_help.c ---- */

/* All of `loupe --help`. */
void verb_print_overview(void);
/* All of `loupe VERB --help`. */
void verb_print_help(const struct verb *verb);
/* Says that there is no such verb. */
int verb_fail_unknown(const char *name);

/* ---- verb_list.c ---- */

/* The words of a text, with such a character between them, as an array. */
void verb_put_words(struct loupe_json *json, const char *key, const char *words, char between);

#endif
