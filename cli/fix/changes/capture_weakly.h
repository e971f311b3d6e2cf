/*
 * capture_weakly.h - a block that captures a variable weakly: a weak copy before the statement that
 * the block is in, a strong one again inside, and all uses by that. Of code without ARC one copy,
 * in a
 * __block variable, which blocks do not retain there.
 *
 * Whatever would change what the block does, or is not understood, is refused.
 */
#ifndef LOUPE_CLI_FIX_CAPTURE_WEAKLY_H
#define LOUPE_CLI_FIX_CAPTURE_WEAKLY_H

#include "fix/changes/patch.h"

/* As an answer has it; all of it can be anything. */
struct fix_captured {
    struct loupe_span variable;
    struct loupe_span file, function; /* where the block was written */
    uint64_t line;
    bool is_manual; /* the block is built without ARC */
};

bool fix_capture_weakly(const char *folder, const struct fix_captured *captured,
                        struct loupe_arena *arena, struct fix_change *ret,
                        struct fix_reason *reason);

#endif
