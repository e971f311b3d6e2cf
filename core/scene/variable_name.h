/*
 * variable_name.h - what a word of a module's data is called by its symbols.
 */
#ifndef LOUPE_VARIABLE_NAME_H
#define LOUPE_VARIABLE_NAME_H

#include "base/target/memory.h"

enum { LOUPE_VARIABLE_NAME_SIZE = 1024 }; /* bytes that a name is cut to, with its NUL */

/*
 * Writes "shared", or "table+0x10" behind the start of one. False: no symbol covers the address, or
 * it is a mark of the linker, which only seems to reach up to the next symbol.
 */
bool loupe_variable_name(const struct loupe_memory *memory, loupe_addr address,
                         char dst[static LOUPE_VARIABLE_NAME_SIZE]);

#endif
