/*
 * names.h - what a debugger knows and a heap does not, from a file (--names FILE) or from the
 * target itself, made into the names of a snapshot (snapshot/debug_names.h).
 *
 * A line for each, its words with tabs between them; any other line is an error:
 *
 *     block    0xFUNCTION  LINE    NAME  FILE
 *     capture  0xFUNCTION  OFFSET  NAME
 *     root     0xSLOT      NAME    WHERE      a variable that stands there: shared, static in a.m
 *     ivar     CLASS.IVAR  LINE    FILE       where it is declared
 *     thread   ID          NUMBER             what the debugger calls the thread of that system's
 * id
 */
#ifndef LOUPE_CLI_NAMES_H
#define LOUPE_CLI_NAMES_H

#include "snapshot/debug_names.h"

/* All zero: none. */
struct names {
    struct loupe_debug_names table;
    struct loupe_debug_name *entries; /* what the table is made of */
    char *text;
};

/* Reads a file. NULL, or why not. */
const char *names_read(const char *path, struct names *ret);
/* The same of a text, which it cuts into pieces. */
const char *names_take(char *text, struct names *ret);
void names_deinit(struct names *names);

#endif
