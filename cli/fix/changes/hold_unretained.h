/*
 * hold_unretained.h - an ivar of code without ARC that no longer retains what it points to: its
 * property assigns, and what its class does to retain, release and replace it is a plain
 * assignment.
 *
 * Every use of the ivar in the class has to be understood, and at least one has to retain; else it
 * is refused, as one release too many is worse than a leak.
 */
#ifndef LOUPE_CLI_FIX_HOLD_UNRETAINED_H
#define LOUPE_CLI_FIX_HOLD_UNRETAINED_H

#include "fix/changes/patch.h"

/* Both names can be anything. False: what speaks against it. */
bool fix_hold_unretained(const char *folder, struct loupe_span class_name, struct loupe_span ivar,
                         struct loupe_arena *arena, struct fix_change *ret,
                         struct fix_reason *reason);

#endif
