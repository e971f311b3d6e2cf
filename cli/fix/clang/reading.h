/*
 * reading.h - what a compiler makes of sources: whether a change gives it anything to complain
 * about, and what names in a block mean.
 *
 * It runs in a process of its own, which has a minute and eight gigabytes: sources can be anything.
 */
#ifndef LOUPE_CLI_FIX_READING_H
#define LOUPE_CLI_FIX_READING_H

#include "fix/source/source_tree.h"

enum fix_read_state {
    FIX_NOT_READ,         /* there is no libclang on this machine */
    FIX_READING_FAILED,   /* it did not end as it should, or in time */
    FIX_READ_WITH_ERRORS, /* the source as it is has errors for it, so that it says nothing */
    FIX_READ
};

enum { FIX_SAID_ROOM = 400 };

/* Of sources and their headers, by paths from a folder on. */
struct fix_rewritten {
    const struct fix_file *file;
    struct loupe_span after;
};

struct fix_judged {
    enum fix_read_state state;
    uint32_t read, with_errors; /* sources */
    bool is_worse;              /* it says something of them that it did not before */
    char said[FIX_SAID_ROOM]; /* that, or the first error that was there before; "FILE:LINE: ..." */
};

/*
 * Reads each source as it is and as it will be. is_manual: its build, where it does not say, is one
 * without ARC.
 */
void fix_judge(const char *folder, const struct fix_rewritten *files, uint32_t count,
               const char *const *sources, uint32_t source_count, bool is_manual,
               struct fix_judged *ret);

enum fix_use {
    FIX_NAMES_VARIABLE,
    FIX_NAMES_IVAR,   /* one that is named alone, by self */
    FIX_USED_BY_MACRO /* in what a macro stands for */
};

/* Where the variable is used in a block and in those within it. */
struct fix_uses {
    enum fix_read_state state;
    struct fix_used {
        uint32_t offset;
        enum fix_use use;
    } * items;
    uint32_t count, capacity;
    bool is_object; /* the variable is a pointer to one */
};

/* caret: where the block begins, in bytes. False: no memory. */
bool fix_read_uses(const char *folder, const struct fix_file *file, size_t caret,
                   struct loupe_span variable, bool is_manual, struct loupe_arena *arena,
                   struct fix_uses *ret);

#endif
