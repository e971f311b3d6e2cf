/*
 * ivar_lines.h - in which file and line the instance variables of Objective-C's classes were
 * declared, by DWARF's descriptions of the classes, versions 4 and 5, as clang and gcc write them.
 * Of a property's own variable that is where the property is.
 *
 * Any bytes may stand there: entries.h.
 */
#ifndef LOUPE_READERS_IVAR_LINES_H
#define LOUPE_READERS_IVAR_LINES_H

#include "base/map.h"
#include "image/dwarf/entries.h"
#include "image/dwarf/lines.h"

struct loupe_ivar_lines {
    struct loupe_line_sections sections;
    struct loupe_vector ivars; /* each once */
    struct loupe_map by_name;  /* from the hash of class and name to the number among these */
    uint64_t work_left;        /* of finding names of files */
};

/* Looks through all units once. The bytes stay the caller's and outlive it. LOUPE_ENOMEM. */
enum loupe_status loupe_ivar_lines_init(struct loupe_ivar_lines *lines,
                                        const struct loupe_dwarf_sections *sections,
                                        const struct loupe_line_sections *line_sections,
                                        const struct loupe_chunk_ops *chunks);
void loupe_ivar_lines_deinit(struct loupe_ivar_lines *lines);

/* Where one was declared, its path as loupe_lines_find() has it. False: nothing tells. */
bool loupe_ivar_lines_find(struct loupe_ivar_lines *lines, struct loupe_span class_name,
                           struct loupe_span ivar, char *path, size_t cap, uint32_t *line_ret);

/* The names of number i of ivars.count. */
void loupe_ivar_lines_name(const struct loupe_ivar_lines *lines, uint32_t number,
                           struct loupe_span *class_ret, struct loupe_span *ivar_ret);

#endif
