/*
 * sql.h - a heap as virtual tables of SQLite: what the files of `loupe sql` share.
 */
#ifndef LOUPE_CLI_SQL_H
#define LOUPE_CLI_SQL_H

#include "analysis/dominators/histogram.h"
#include "heaps/heap_question.h"

#ifdef LOUPE_HAS_SQLITE
#include <sqlite3.h>

struct sql_heap {
    struct heap_question *question;
    const struct loupe_snapshot *snapshot;
    char *text; /* room for one value */
    size_t text_cap;
    struct loupe_transposed incoming; /* made when somebody asks for it first */
    bool has_incoming;
    struct loupe_class_total *totals; /* the same; or NULL */
    uint32_t *by_class;               /* the same: nodes by the names of their classes; or NULL */
};

void sql_heap_deinit(struct sql_heap *heap);

/* sql_tables.c, sql_functions.c: SQLite's result code. */
int sql_add_tables(sqlite3 *database, struct sql_heap *heap);
int sql_add_functions(sqlite3 *database, struct sql_heap *heap);

struct loupe_field;
/* What the word of a field says that leads to a text or is a value itself, without quotes, as
 * strings are. False: neither. */
bool sql_put_said(sqlite3_context *result, const struct loupe_snapshot *snapshot, uint32_t node,
                  const struct loupe_field *field);

/* Dominators, or NULL for want of memory or time. */
static inline const struct loupe_dominators *sql_dominators(const struct sql_heap *heap) {
    return loupe_heap_question_dominators(&heap->question->heap);
}
#endif

/* A question that is shipped. */
struct sql_query {
    const char *name, *about, *sql;
};
/* Ends with one without a name. */
extern const struct sql_query sql_queries[];

#endif
