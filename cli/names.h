/*
 * names.h - what a debugger knows and a snapshot does not: where the functions of blocks were
 * written, what captured variables and roots are called (--names FILE).
 *
 * A line for each, its words with tabs between them; any other line is an error:
 *
 *     block    0xFUNCTION  LINE    NAME  FILE
 *     capture  0xFUNCTION  OFFSET  NAME
 *     root     0xSLOT      NAME    WHERE      a variable that stands there: shared, static in a.m
 *     thread   ID          NAME               what people call the thread of that system's id
 */
#ifndef LOUPE_CLI_NAMES_H
#define LOUPE_CLI_NAMES_H

#include "base/status.h"

struct block_name {
    loupe_addr function;
    const char *name, *file; /* empty: not known */
    uint32_t line;           /* 0: not known */
};

struct place_name {
    loupe_addr slot;
    const char *name, *where; /* name: empty where no variable stands there */
};

/* Reads a file, for as long as the program runs. NULL, or why not. */
const char *names_read(const char *path);
/* The same of a text, which it keeps and changes. What was read before is forgotten. */
const char *names_take(char *text);

/* What was said of the function, or NULL. */
const struct block_name *names_of_block(loupe_addr function);
/* The name of the variable that blocks of the function capture at an offset, or NULL. */
const char *names_of_capture(loupe_addr function, uint32_t offset);
/* What stands at the place of a root, or NULL. */
const struct place_name *names_of_place(loupe_addr slot);
/* The variable of that place, or NULL. */
const char *names_of_variable(loupe_addr slot);
/* What a thread is called, or NULL. */
const char *names_of_thread(uint64_t id);

#endif
