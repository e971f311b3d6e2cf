/*
 * verb_line.h - a line of the tool, taken apart by the table of verbs.
 */
#ifndef LOUPE_CLI_VERB_LINE_H
#define LOUPE_CLI_VERB_LINE_H

#include "shared/cli.h"
#include "verbs/verb.h"

enum { VERB_MOST_WORDS = 64 };

/* What a line says behind its verb. The words point into the line. */
struct verb_line {
    struct verb_values values;
    const char *words[VERB_MOST_WORDS]; /* that are no options */
    unsigned word_count;
};

/* The verb of a name that there is in a terminal, or NULL. */
const struct verb *verb_named(const char *name);

/* Whether a verb has an option in a terminal. */
bool verb_takes(const struct verb *verb, const struct verb_option *option);

/* The letter by which a verb takes an option in a terminal: 0 where there is none, or another
 * option has it. */
char verb_letter(const struct verb *verb, const struct verb_option *option);

/* The option of a verb that a word spells, or NULL. *value_ret: what follows its '=', or NULL. */
const struct verb_option *verb_find_option(const struct verb *verb, const char *word,
                                           const char **value_ret);

/*
 * Takes the options off the words behind a verb, wherever they stand; "--" ends them. At most so
 * many other words may be left. ret holds defaults already. The exit status: CLI_OK, or what was
 * said.
 */
int verb_take_line(const struct verb *verb, const char **words, unsigned count, unsigned most,
                   struct verb_line *ret);

/* A time as a person writes it, in microseconds. */
bool verb_parse_seconds(const char *text, uint64_t *ret);

/* Of a line that is refused: the options in it that say how and where its failure is to be told. */
void verb_take_places(const struct verb *verb, const char **words, unsigned count,
                      struct verb_values *ret);

/* Says which operand is missing, and returns the exit status. */
int verb_fail_missing(const struct verb *verb, unsigned given);

#endif
