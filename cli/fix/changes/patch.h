/*
 * patch.h - changes of one source, as a unified diff.
 */
#ifndef LOUPE_CLI_FIX_PATCH_H
#define LOUPE_CLI_FIX_PATCH_H

#include "fix/source/source_tree.h"

/* Within one line, or all of it with its end; or, where nothing is removed at the start of one,
 * whole lines before it. */
struct fix_edit {
    size_t offset, removed; /* in the file's bytes */
    const char *inserted;   /* words of ours, and names that were found in the source */
};

struct fix_patch {
    const struct fix_file *file;
    struct fix_edit *edits; /* by their offsets, none in another */
    uint32_t count, capacity;
};

/* A change as a whole: a patch of each file. */
enum { FIX_MOST_FILES = 4 };

struct fix_change {
    struct fix_patch patches[FIX_MOST_FILES];
    uint32_t count;
    const char *rests_on; /* what the first place is, and what else has to be so */
    bool goes_by_name;    /* the place was chosen by what it is called */
    const char *doubt;    /* why it is refused, unless a compiler has nothing to say against it */
};

/* Behind those that are there. */
bool fix_add_edit(struct fix_patch *patch, struct fix_edit edit, struct loupe_arena *arena,
                  struct fix_reason *reason);

/* The same with a copy of the text. */
bool fix_add_text(struct fix_patch *patch, struct loupe_arena *arena, struct fix_reason *reason,
                  size_t offset, size_t removed, const char *text);

/* That of a file, a new one if it has none yet. NULL: there are as many as there may be. */
struct fix_patch *fix_patch_of(struct fix_change *change, const struct fix_file *file);

/* The file with the changes in it; no bytes: no memory. */
struct loupe_span fix_patched(const struct fix_patch *patch, struct loupe_arena *arena);

/* What `git apply` takes, with three lines around each change. False: the name or the lines cannot
 * stand in a diff. */
bool fix_diff(const struct fix_patch *patch, struct loupe_arena *arena, struct loupe_span *ret,
              struct fix_reason *reason);

/* Lines that change, as they are and as they will be; at least one. after without bytes: no memory.
 */
struct fix_place {
    uint64_t first_line, last_line;
    struct loupe_span before, after;
};

/* The next place of a patch, from 0 on. False: there is none. */
bool fix_next_place(const struct fix_patch *patch, uint32_t *next, struct loupe_arena *arena,
                    struct fix_place *ret);

/* The number of the line in which a byte of a file is. */
uint64_t fix_line_of(const struct fix_file *file, size_t offset);
/* "FILE:LINE: why", of a token. Always false. */
bool fix_refuse_at(struct fix_reason *reason, const struct fix_file *file, uint32_t token,
                   const char *why);

#endif
