/*
 * make_weak.h - the declaration of an ivar, or of the property that has it, made weak.
 *
 * It is looked for in the @interface, the class extensions and the @implementation of its class, in
 * all sources below a folder, by names alone. What is not one plain declaration of a pointer to an
 * object, in one place, is refused.
 */
#ifndef LOUPE_CLI_FIX_MAKE_WEAK_H
#define LOUPE_CLI_FIX_MAKE_WEAK_H

#include "fix/changes/patch.h"

/* Both names can be anything. False: what speaks against it. */
bool fix_make_weak(const char *folder, struct loupe_span class_name, struct loupe_span ivar,
                   struct loupe_arena *arena, struct fix_change *ret, struct fix_reason *reason);

#endif
