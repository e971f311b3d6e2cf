/*
 * tracked_copy.h - a copy of what git tracks of a tree, in a folder that is nobody else's: to be
 * built and run there, and removed.
 *
 * Nothing is read through a link. A link that is tracked is made again where it stays inside.
 */
#ifndef LOUPE_CLI_FIX_TRACKED_COPY_H
#define LOUPE_CLI_FIX_TRACKED_COPY_H

#include "fix/source/source_tree.h"

enum { FIX_LONGEST_PATH = 4096 };

struct fix_copy {
    char folder[FIX_LONGEST_PATH]; /* with the mode 0700; "tree" in it is the copy */
    char prefix[FIX_LONGEST_PATH]; /* of the folder that was given, below the tree: "" or "src/" */
};

/* Of the tree that a folder is in. False: there is none, or it cannot be copied; nothing is left.
 */
bool fix_copy_tracked(const char *folder, struct fix_copy *ret, struct fix_reason *reason);

/* Puts bytes in the place of a file of the copy, by its path below the folder that was given. */
bool fix_write_copied(const struct fix_copy *copy, const char *path, struct loupe_span bytes,
                      struct fix_reason *reason);

/* False: something of it is left. */
bool fix_remove_copy(const struct fix_copy *copy);

#endif
