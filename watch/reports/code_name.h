/*
 * code_name.h - functions and variables of this process by name, as their files' symbol tables say.
 */
#ifndef LOUPE_WATCH_CODE_NAME_H
#define LOUPE_WATCH_CODE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* "in -[PhotoScreen didOpen]", by the symbol of the code that the block at an address runs. */
bool watch_block_code(const char *block, char *dst, size_t cap);

/* The variable that has the word at an address. Addresses are numbers in hex. */
bool watch_data_name(const char *address, char *dst, size_t cap);

#endif
