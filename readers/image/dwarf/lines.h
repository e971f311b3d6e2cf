/*
 * lines.h - from which line of which file the code at an address was made: DWARF's tables of lines,
 * versions 2 to 5, of 32 and of 64 bits.
 *
 * Any bytes may stand there. A table that breaks off or makes no sense tells nothing of what is
 * behind; none takes more time than its size gives reason for.
 */
#ifndef LOUPE_READERS_LINES_H
#define LOUPE_READERS_LINES_H

#include "base/text.h"
#include "base/vector.h"

/* Sections of a file, unpacked; empty where it has none. */
struct loupe_line_sections {
    struct loupe_span lines;        /* .debug_line */
    struct loupe_span line_strings; /* .debug_line_str, for version 5 */
    struct loupe_span strings;      /* .debug_str, the same */
};

struct loupe_lines {
    struct loupe_line_sections sections;
    struct loupe_vector runs; /* of code whose addresses ascend, by address */
};

/* Looks through all tables once. The bytes stay the caller's and outlive the lines. LOUPE_ENOMEM.
 */
enum loupe_status loupe_lines_init(struct loupe_lines *lines,
                                   const struct loupe_line_sections *sections,
                                   const struct loupe_chunk_ops *chunks);
void loupe_lines_deinit(struct loupe_lines *lines);

/*
 * The line of the code at an address of the file, and the path of its source, cut to cap - 1 bytes:
 * as the compiler was told it, below its folder where the table says that. False: nothing tells.
 */
bool loupe_lines_find(const struct loupe_lines *lines, uint64_t address, char *path, size_t cap,
                      uint32_t *line_ret);

#endif
