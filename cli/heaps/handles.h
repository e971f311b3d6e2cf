/*
 * handles.h - numbers for what an answer shows, to be typed instead of addresses: of
 * `loupe leaks 4711` entry 3 is what `loupe show 4711 '#3'` shows and `loupe ignore '#3'` ignores.
 *
 * They are those of the last answer that somebody read at a terminal, and of the file that it was
 * about; about another one they are refused. Between two questions they are kept in a file for its
 * owner alone, which has numbers, addresses and fingerprints in it and no text of a program:
 * what LOUPE_HANDLES names, whether or not it is a terminal, else loupe/handles below
 * XDG_STATE_HOME or ~/.local/state. Where none can be written there are no numbers.
 */
#ifndef LOUPE_CLI_HANDLES_H
#define LOUPE_CLI_HANDLES_H

#include "base/target/memory.h"

#include <stdbool.h>
#include <stdint.h>

/* An entry of the answer that is being printed: the object to ask about, and what gates know it by.
 */
void handles_show(uint64_t number, loupe_addr object, uint64_t fingerprint);

/* The answer about a file is printed. One that showed no entries leaves those of before. */
void handles_keep(const char *file);

/* "#3", or just "3": no object stands so low in memory. */
bool handles_is_one(const char *word, uint64_t *number_ret);

struct handle {
    loupe_addr object;
    uint64_t fingerprint;
};

/* What a number means for a file; of NULL, whichever it was. NULL, or why it means nothing. */
const char *handles_find(const char *file, uint64_t number, struct handle *ret);

#endif
