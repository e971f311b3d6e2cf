/*
 * classes.h - where a class is declared and implemented in sources.
 */
#ifndef LOUPE_CLI_FIX_CLASSES_H
#define LOUPE_CLI_FIX_CLASSES_H

#include "fix/source/source_tree.h"

enum fix_class_part { FIX_INTERFACE, FIX_EXTENSION, FIX_IMPLEMENTATION };

/* Tokens of a file: those between the braces of ivars (none: both 0), and those from there to the
 * @end. */
struct fix_class {
    const struct fix_file *file;
    enum fix_class_part part;
    uint32_t ivars, ivars_end;
    uint32_t members, end;
};

struct fix_classes {
    struct fix_class *items;
    uint32_t count, capacity;
    uint32_t interfaces, implementations;
};

/* The ivars of the class whose name stands before such a token, as far as they are between braces
 * there; false: it has none. */
bool fix_ivars_behind(const struct fix_file *file, uint32_t name, struct fix_class *ret);

/* All of one class but its categories. False: one of them has no end, or there is no memory. */
bool fix_find_class(const struct fix_files *files, struct loupe_span name,
                    struct loupe_arena *arena, struct fix_classes *ret, struct fix_reason *reason);

#endif
