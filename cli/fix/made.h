/*
 * made.h - a fix of an answer as a patch, with what it rests on.
 */
#ifndef LOUPE_CLI_FIX_MADE_H
#define LOUPE_CLI_FIX_MADE_H

#include "fix/changes/choice.h"
#include "fix/changes/patch.h"

enum { FIX_RESTS_ROOM = 1024, FIX_COMPILED_ROOM = 512 };

struct fix_made {
    struct fix_choice choice;
    struct fix_change change;
    struct loupe_span diffs[FIX_MOST_FILES]; /* of its patches */
    char rests_on[FIX_RESTS_ROOM];
    const char *confidence; /* "high", "medium", "low" */
    bool is_compiled;       /* clang has read it, and says no more than of what was there */
    char compiled[FIX_COMPILED_ROOM]; /* that, or why it was not asked, as a sentence */
};

/* In the sources below the folder. False: what is in the way. */
bool fix_make(const struct answer *answer, const struct fix_choice *choice, const char *folder,
              struct loupe_arena *arena, struct fix_made *ret, struct fix_reason *reason);

/* The line of the first edit. */
uint64_t fix_first_line(const struct fix_patch *patch);

/* Writes all files or none, as far as those that were written can be written once more. newest: a
 * file that was changed later is refused; in seconds since 1970. */
bool fix_apply(const struct fix_made *made, const char *folder, int64_t newest,
               struct loupe_arena *arena, struct fix_reason *reason);

#endif
