/*
 * explain.h - the topics of `loupe explain`.
 *
 * To add one: a file explain_NAME.c with its struct explain_topic, a line in the table of
 * explain.c, a test in tests/cli/.
 */
#ifndef LOUPE_CLI_EXPLAIN_H
#define LOUPE_CLI_EXPLAIN_H

#include "shared/cli.h"

struct explain_topic {
    const char *name;    /* "layout" */
    const char *title;   /* "explain layout", for messages */
    const char *example; /* the words behind `loupe explain` */
    const char *summary; /* of the example, in one line */
    const char *help;    /* examples first */
    unsigned options;    /* set of enum cli_option, besides --json and --help */
    int (*run)(const struct explain_topic *topic, const struct cli_arguments *arguments);
};

extern const struct explain_topic explain_encoding;
extern const struct explain_topic explain_flags;
extern const struct explain_topic explain_ivar_layout;
extern const struct explain_topic explain_layout;
extern const struct explain_topic explain_symbol;

/*
 * The bytes that a person wrote: pairs of hex digits, apart or together (3f 30, 3f30, 0x3f 0x30),
 * or a C string with escapes (\x3f0@P). *ret is malloc'd, and not ended by a NUL. On failure prints
 * why and returns a status other than CLI_OK.
 */
int explain_parse_bytes(const struct explain_topic *topic, const struct cli_arguments *arguments,
                        struct loupe_span *ret);

/* Bytes as "3f 30 40", in the arena; NULL without memory. */
const char *explain_hex(struct loupe_arena *arena, struct loupe_span bytes);

/* For the rare failures that are not the input's fault. */
int explain_no_memory(const struct explain_topic *topic);

#endif
