/*
 * block_variable.h - a __block variable that does not keep what it has: it is declared __weak too;
 * a block that calls itself by it gets a weak one beside it.
 */
#ifndef LOUPE_CLI_FIX_BLOCK_VARIABLE_H
#define LOUPE_CLI_FIX_BLOCK_VARIABLE_H

#include "fix/changes/capture_weakly.h"

/* The variable as the block has it. False: what speaks against it. */
bool fix_weaken_block_variable(const char *folder, const struct fix_captured *captured,
                               struct loupe_arena *arena, struct fix_change *ret,
                               struct fix_reason *reason);

#endif
