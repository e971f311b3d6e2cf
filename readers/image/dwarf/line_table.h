/*
 * line_table.h - for the files that read tables of lines: one table's header, and its list of
 * names.
 */
#ifndef LOUPE_READERS_LINE_TABLE_H
#define LOUPE_READERS_LINE_TABLE_H

#include "image/dwarf/line_cursor.h"
#include "image/dwarf/lines.h"

enum { LOUPE_LINE_OPCODES = 256 };

/* What one compiled file has. */
struct loupe_line_table {
    struct loupe_cursor program; /* from its first instruction on */
    uint16_t version;
    uint8_t offset_size, address_size; /* bytes; the latter 0: not said */
    uint8_t shortest, operations, opcode_base, line_range;
    int8_t line_base;
    bool starts_as_statement;
    uint8_t operands[LOUPE_LINE_OPCODES]; /* of standard instructions */
    uint64_t names;                       /* where folders and files are listed */
};

/* lines.c: the header of the table at an offset in the section. False: it makes no sense. */
bool loupe_line_table_at(struct loupe_span section, uint64_t at, struct loupe_line_table *ret);

/* line_names.c: the path of a file of the table, by the number its rows have for it. False: the
 * table does not tell. */
bool loupe_line_table_path(const struct loupe_line_table *table,
                           const struct loupe_line_sections *sections, uint64_t file, char *path,
                           size_t cap);

#endif
