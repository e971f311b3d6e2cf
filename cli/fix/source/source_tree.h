/*
 * source_tree.h - the sources below a folder: found, read and replaced, never through a link.
 *
 * The folder itself is opened as it was given; everything below it name by name from there.
 */
#ifndef LOUPE_CLI_FIX_SOURCE_TREE_H
#define LOUPE_CLI_FIX_SOURCE_TREE_H

#include "fix/source/tokens.h"

enum { FIX_REASON_ROOM = 640 };

/* Why something is not done, for people; texts of a source or an answer in it are escaped. */
struct fix_reason {
    char text[FIX_REASON_ROOM];
};

/* Always false. */
bool fix_refuse(struct fix_reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct fix_file {
    const char *path; /* from the folder on, with slashes */
    struct fix_source source;
    int64_t changed; /* in seconds since 1970 */
};

struct fix_files {
    struct fix_file *items;
    uint32_t count, capacity;
};

/*
 * All sources of Objective-C and C++ (.h, .m, .mm, .hpp, .cpp, ...) below the folder that have such
 * a word in them, as tokens. False: the folder or one of them cannot be read, or there is more
 * below it than is looked at; then nothing can be said of how often the word is there.
 */
bool fix_find_sources(const char *folder, struct loupe_span word, struct loupe_arena *arena,
                      struct fix_files *ret, struct fix_reason *reason);

/* The same of Swift's. */
bool fix_find_swift(const char *folder, struct loupe_span word, struct loupe_arena *arena,
                    struct fix_files *ret, struct fix_reason *reason);

/* The one whose path agrees with that of an answer, from its end on, more than all others do. */
bool fix_choose_file(const struct fix_files *files, struct loupe_span path,
                     const struct fix_file **ret, struct fix_reason *reason);

/* Puts new bytes in the place of a file that still has the old ones; its rights stay. */
bool fix_replace(const char *folder, const struct fix_file *file, struct loupe_span bytes,
                 struct fix_reason *reason);

#endif
