/*
 * cli.h - what the commands of the tool share: their arguments, their ways to fail, their output.
 *
 * Every command writes its answer to stdout, complete or not at all. Without one, because of the
 * line, the file or the machine (out of memory, a full disk), it is one line on stderr and exit
 * status 2.
 */
#ifndef LOUPE_CLI_H
#define LOUPE_CLI_H

#include "base/arena.h"
#include "base/json.h"
#include "shared/capture.h"

#include <stdio.h>

#define CLI_NO_SQLITE "this loupe was built without SQLite"

/* Exit statuses. 1 is an answer of a gate, and nothing else: who ran out of memory or of room on a
 * disk did not answer. */
enum { CLI_OK = 0, CLI_FOUND = 1, CLI_FAILURE = 2, CLI_NONSENSE = 2, CLI_INCOMPLETE = 2 };

/* Options, as bits: a topic says which ones it understands. */
enum cli_option {
    CLI_OPTION_JSON = 1 << 0,
    CLI_OPTION_POINTER_SIZE = 1 << 1,
    CLI_OPTION_WEAK = 1 << 2,
    CLI_OPTION_START = 1 << 3,
    CLI_OPTION_SIZE = 1 << 4,
    CLI_OPTION_LIMIT = 1 << 5,
    CLI_OPTION_HELP = 1 << 6
};

/* A command line, taken apart. words point into argv. */
struct cli_arguments {
    unsigned given; /* set of enum cli_option */
    uint8_t pointer_size;
    uint32_t start;
    uint64_t size;
    uint64_t limit;
    const char *const *words;
    unsigned word_count;
};

/* How many words stand in front of the first that is no option and no value of one; count if there
 * is none. */
unsigned cli_leading_options(const char **words, unsigned count);

/*
 * Takes the options out of the count words that follow the command, wherever they stand; "--" ends
 * them. The other words are moved to the front, in order. Only the allowed options are understood.
 * topic is for messages.
 */
int cli_parse_arguments(const char *topic, const char **words, unsigned count, unsigned allowed,
                        struct cli_arguments *ret);

/* One line on stderr, "loupe: TOPIC: ...", whatever bytes the arguments hold. Returns status. */
int cli_fail(int status, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of a line that --help of the topic would have prevented, which it ends with. */
int cli_misuse(const char *topic, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What cli_fail() or cli_misuse() said last, without what stands before and after it. */
const char *cli_last_complaint(void);

/* What was said for a verb that nobody typed, as if the one that was typed said it. */
void cli_repeat(struct loupe_span messages, const char *verb, const char *topic);

/* One line beside the answer, "loupe: ...", which leaves the status as it is. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Text for people with everything that is not printable escaped. In static storage, one of a few:
 * enough for the arguments of one message. Long texts are cut. */
const char *cli_printable(struct loupe_span text);

/* A number in decimal or, with 0x, hexadecimal: all of text. */
bool cli_parse_number(const char *text, uint64_t max, uint64_t *ret);

/* malloc as the provider of arenas. */
extern const struct loupe_chunk_ops cli_chunks;

/* explain.c: prints one example for each topic, with what it shows. */
void cli_explain_examples(void);

#endif
