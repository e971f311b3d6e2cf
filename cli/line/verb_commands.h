/*
 * verb_commands.h - what the tool says about its own verbs.
 */
#ifndef LOUPE_CLI_VERB_COMMANDS_H
#define LOUPE_CLI_VERB_COMMANDS_H

#include "line/verb_line.h"

/* ---- verb_help.c ---- */

/* All of `loupe --help`. */
void verb_print_overview(void);
/* All of `loupe VERB --help`. */
void verb_print_help(const struct verb *verb);
/* `loupe help`, with the words behind it; each returns the exit status. */
int cli_help(const char **words, unsigned count);
/* Says that there is no such verb. */
int verb_fail_unknown(const char *name);

/* ---- verb_list.c, verb_completion.c: `loupe verbs`, `loupe completion` ---- */

int cli_verbs(const char **words, unsigned count);
/* The words of a text, with such a character between them, as an array. */
void verb_put_words(struct loupe_json *json, const char *key, const char *words, char between);
int cli_completion(const char **words, unsigned count);
/* ---- ignore.c: `loupe ignore` ---- */

int cli_ignore(const char **words, unsigned count);

#endif
