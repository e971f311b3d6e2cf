/*
 * add_release.h - the release that is missing of objects of a class, in code without ARC.
 *
 * All places that make one, and all ivars that are declared to have one, are looked at: exactly one
 * has to keep too much, and each of the others has to be understood. Else it is refused.
 */
#ifndef LOUPE_CLI_FIX_ADD_RELEASE_H
#define LOUPE_CLI_FIX_ADD_RELEASE_H

#include "fix/changes/patch.h"

/* The name can be anything. is_manual: nothing of the program has ARC; else a source has to release
 * something by itself. False: what speaks against it. */
bool fix_add_release(const char *folder, struct loupe_span class_name, bool is_manual,
                     struct loupe_arena *arena, struct fix_change *ret, struct fix_reason *reason);

#endif
