/*
 * rewrites.h - which change of a source a fix of an answer is.
 */
#ifndef LOUPE_CLI_FIX_REWRITES_H
#define LOUPE_CLI_FIX_REWRITES_H

#include "fix/changes/choice.h"
#include "fix/changes/patch.h"

/* In the sources below the folder. False: what is in the way; nobody but people can do all fixes.
 */
bool fix_rewrite(const struct answer *answer, const struct fix_choice *choice, const char *folder,
                 struct loupe_arena *arena, struct fix_change *ret, struct fix_reason *reason);

#endif
