/*
 * table.h - aligned columns of text for people.
 *
 * Cells are copied, with everything that is not printable escaped: they may hold bytes of a target.
 * A column is as wide as its widest cell; the last one is not padded.
 */
#ifndef LOUPE_CLI_TABLE_H
#define LOUPE_CLI_TABLE_H

#include "base/text.h"

enum { TABLE_MAX_COLUMNS = 32 };

struct table {
    unsigned columns;
    unsigned numbers; /* columns as bits, whose cells stand at the right */
    size_t cell_count, cell_capacity;
    char **cells;
    bool failed; /* no memory for a cell */
};

/* headings has columns entries. */
void table_init(struct table *table, unsigned columns, const char *const *headings);
void table_deinit(struct table *table);

/* The next cell of the current row; rows follow each other. */
void table_add(struct table *table, struct loupe_span text);
void table_add_format(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints all rows to the output, indented. False when memory had run out; nothing is printed then.
 */
bool table_print(const struct table *table);

#endif
