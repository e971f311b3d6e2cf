/*
 * patch.h - a change of one place of a source, as a unified diff.
 */
#ifndef LOUPE_CLI_FIX_PATCH_H
#define LOUPE_CLI_FIX_PATCH_H

#include "fix/source_tree.h"

/* All of it is within one line. */
struct fix_edit {
    const struct fix_file *file;
    size_t offset, removed; /* in the file's bytes */
    const char *inserted;   /* words of ours */
};

/* The file with the change in it; no bytes: no memory. */
struct loupe_span fix_edited(const struct fix_edit *edit, struct loupe_arena *arena);

/* What `git apply` takes, with three lines around it. False: the name or the lines cannot stand in
 * a diff. */
bool fix_diff(const struct fix_edit *edit, struct loupe_arena *arena, struct loupe_span *ret,
              struct fix_reason *reason);

/* The number of the line that changes. */
uint64_t fix_line_of(const struct fix_edit *edit);

#endif
