/*
 * doubts.h - what speaks against changing a source at all.
 */
#ifndef LOUPE_CLI_FIX_DOUBTS_H
#define LOUPE_CLI_FIX_DOUBTS_H

#include "fix/source/source_tree.h"

/* Whether code between two tokens sends what only code without ARC may: retain, release, [super
 * dealloc]. */
bool fix_releases_by_hand(const struct fix_source *source, uint32_t from, uint32_t to);

/* Whether a program made the file, as it says at its head. */
bool fix_is_generated(const struct fix_file *file);
/* False, with the reason: a program made it. */
bool fix_is_written_by_hand(const struct fix_file *file, struct fix_reason *reason);

/* False, with the reason: such a class or ivar cannot be in a source of Objective-C. */
bool fix_are_names(struct loupe_span class_name, struct loupe_span ivar, struct fix_reason *reason);

#define FIX_IN_CONDITION  "what would change is in an #if"
#define FIX_IN_MANY_FILES "it takes changes in more than %d files: do it by hand"

bool fix_is_one_of(struct loupe_span word, const char *const *words, size_t count);

#endif
