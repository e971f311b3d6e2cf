/*
 * tables.h - a heap as rows of tables, for databases: what tables there are, and a walk
 * through them that hands over one value after the other. sqlite.c and csv.c take
 * them; docs/exports.md describes them.
 *
 * Every table's first column is the run, so that tables of many snapshots can be laid together.
 */
#ifndef LOUPE_CLI_EXPORT_TABLES_H
#define LOUPE_CLI_EXPORT_TABLES_H

#include "export/export.h"

enum table_type { TABLE_INTEGER, TABLE_TEXT };

struct table_column {
    const char *name;
    enum table_type type;
};

enum { TABLE_MOST_COLUMNS = 16 };

struct table {
    const char *name;
    struct table_column columns[TABLE_MOST_COLUMNS]; /* ends with one without a name */
    const char *constraints;                         /* SQL: its keys */
    bool has_rowid;
};

extern const struct table table_runs, table_classes, table_objects, table_edges, table_roots,
    table_dominators, table_leaks, table_frames, table_stacks, table_allocations;
/* All, referred to ones first; ends with NULL. */
extern const struct table *const export_tables[];

/* Takes rows. Values come in the order of the columns, then end_row(). */
struct row_taker {
    void *ctx;
    enum loupe_status (*begin_table)(void *ctx, const struct table *table);
    void (*integer)(void *ctx, int64_t value);
    /* Any bytes, which stay until end_row(). */
    void (*text)(void *ctx, struct loupe_span text);
    void (*null)(void *ctx);
    enum loupe_status (*end_row)(void *ctx);
    enum loupe_status (*end_table)(void *ctx);
};

/* Hands over all rows of all tables. run: what the taker has for this snapshot. */
enum loupe_status export_rows(struct export *export, int64_t run, const struct row_taker *taker);

#endif
