/*
 * The tables of export_tables.h in a database of SQLite. Each snapshot adds a run to what the file
 * holds already, in one transaction: a run is there whole or not at all.
 */
#define _DEFAULT_SOURCE /* lstat() */

#include "export/tables.h"
#include "shared/new_file.h"

#ifdef LOUPE_HAS_SQLITE

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the tables; a file with another number is not touched. */
enum { SCHEMA_VERSION = 1, APPLICATION_ID = 0x4c6f7570 /* "Loup" */ };

struct database {
    struct export *export;
    sqlite3 *handle;
    sqlite3_stmt *insert;
    int column; /* the last one that was bound */
};

static enum loupe_status fail(const struct database *database) {
    int code = sqlite3_errcode(database->handle);
    if (code == SQLITE_NOMEM)
        return LOUPE_ENOMEM;
    return export_fail(database->export, LOUPE_EFAULT, "%s", sqlite3_errmsg(database->handle));
}

static enum loupe_status execute(const struct database *database, const char *sql) {
    return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? LOUPE_OK
                                                                              : fail(database);
}

/* The first value of the first row. */
static enum loupe_status ask(const struct database *database, const char *sql, int64_t *ret) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL) != SQLITE_OK)
        return fail(database);
    bool found = sqlite3_step(statement) == SQLITE_ROW;
    *ret = found ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return found ? LOUPE_OK : fail(database);
}

/* ---- Tables ---- */

static size_t list_columns(const struct table *table, bool with_types, char *sql, size_t cap) {
    size_t used = 0;
    for (const struct table_column *column = table->columns; column->name; column++)
        used += loupe_format(sql + used, cap - used, "%s%s%s", used ? ", " : "",
                             with_types ? column->name : "?",
                             !with_types                     ? ""
                             : column->type == TABLE_INTEGER ? " INTEGER"
                                                             : " TEXT");
    return used;
}

static enum loupe_status create_table(const struct database *database, const struct table *table) {
    char sql[1024], columns[512];
    list_columns(table, true, columns, sizeof(columns));
    loupe_format(sql, sizeof(sql), "CREATE TABLE IF NOT EXISTS %s (%s, %s)%s", table->name, columns,
                 table->constraints, table->has_rowid ? "" : " WITHOUT ROWID");
    return execute(database, sql);
}

/*
 * Views answer the questions that are asked first; docs/exports.md has more. The run comes last in
 * indexes, as it is the same in most rows: sorting by a first column that differs takes two thirds
 * of the time.
 */
static const char after[] =
    "CREATE INDEX IF NOT EXISTS edges_by_target ON edges (target, run);"
    "CREATE INDEX IF NOT EXISTS objects_by_class ON objects (class, run);"
    "CREATE INDEX IF NOT EXISTS roots_by_object ON roots (object, run);"
    "CREATE INDEX IF NOT EXISTS dominated ON dominators (dominator, run);"
    "CREATE INDEX IF NOT EXISTS allocated_by ON allocations (frame, run);"
    "CREATE VIEW IF NOT EXISTS things AS"
    "  SELECT o.run, o.object, printf('0x%x', o.address) AS address, c.name AS class, o.bytes,"
    "    o.retain_count, d.retained, d.retained_objects, d.dominator, d.object IS NULL AS lost"
    "  FROM objects o JOIN classes c USING (run, class) LEFT JOIN dominators d USING (run, object);"
    "CREATE VIEW IF NOT EXISTS class_totals AS"
    "  SELECT o.run, c.name AS class, count(*) AS objects, sum(o.bytes) AS bytes"
    "  FROM objects o JOIN classes c USING (run, class) GROUP BY o.run, c.name;";

static enum loupe_status create_all(const struct database *database) {
    enum loupe_status status = LOUPE_OK;
    for (unsigned i = 0; export_tables[i] && !status; i++)
        status = create_table(database, export_tables[i]);
    return status;
}

/* ---- Rows ---- */

static enum loupe_status begin_table(void *ctx, const struct table *table) {
    struct database *database = ctx;
    char sql[512], places[256];
    list_columns(table, false, places, sizeof(places));
    loupe_format(sql, sizeof(sql), "INSERT INTO %s VALUES (%s)", table->name, places);
    database->column = 0;
    return sqlite3_prepare_v2(database->handle, sql, -1, &database->insert, NULL) == SQLITE_OK
               ? LOUPE_OK
               : fail(database);
}

static void bind_integer(void *ctx, int64_t value) {
    struct database *database = ctx;
    sqlite3_bind_int64(database->insert, ++database->column, value);
}

static void bind_text(void *ctx, struct loupe_span text) {
    struct database *database = ctx;
    sqlite3_bind_text64(database->insert, ++database->column, text.bytes, text.length,
                        SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_null(void *ctx) {
    struct database *database = ctx;
    sqlite3_bind_null(database->insert, ++database->column);
}

static enum loupe_status end_row(void *ctx) {
    struct database *database = ctx;
    bool done = sqlite3_step(database->insert) == SQLITE_DONE;
    sqlite3_reset(database->insert);
    database->column = 0;
    return done ? LOUPE_OK : fail(database);
}

static enum loupe_status end_table(void *ctx) {
    struct database *database = ctx;
    sqlite3_finalize(database->insert);
    database->insert = NULL;
    return LOUPE_OK;
}

/* ---- A run ---- */

static enum loupe_status check_version(const struct database *database) {
    int64_t application = 0, version = 0, tables = 0;
    enum loupe_status status = ask(database, "PRAGMA application_id", &application);
    if (!status)
        status = ask(database, "PRAGMA user_version", &version);
    if (!status)
        status = ask(database, "SELECT count(*) FROM sqlite_master", &tables);
    if (status || !tables)
        return status;
    if (application != APPLICATION_ID)
        return export_fail(database->export, LOUPE_EUSAGE,
                           "it is a database that was not written by loupe; name another file");
    if (version != SCHEMA_VERSION)
        return export_fail(database->export, LOUPE_EUSAGE,
                           "its tables are of version %lld, and this loupe writes version %d; name "
                           "another file",
                           (long long)version, SCHEMA_VERSION);
    return LOUPE_OK;
}

/* A new file is written without a journal: when that fails it goes. */
static enum loupe_status write_run(struct database *database) {
    struct row_taker taker = {.ctx = database,
                              .begin_table = begin_table,
                              .integer = bind_integer,
                              .text = bind_text,
                              .null = bind_null,
                              .end_row = end_row,
                              .end_table = end_table};
    int64_t run = 0;
    enum loupe_status status = execute(database, "BEGIN IMMEDIATE");
    if (!status)
        status = create_all(database);
    if (!status)
        status = ask(database, "SELECT coalesce(max(run), 0) + 1 FROM runs", &run);
    if (!status)
        status = export_rows(database->export, run, &taker);
    if (database->insert)
        sqlite3_finalize(database->insert);
    database->insert = NULL;
    if (!status)
        status = execute(database, after);
    char sql[128];
    loupe_format(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
                 APPLICATION_ID, SCHEMA_VERSION);
    if (!status)
        status = execute(database, sql);
    if (status)
        sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static enum loupe_status write_database(struct database *database, bool is_new) {
    enum loupe_status status = execute(database, "PRAGMA cache_size = -131072");
    if (!status)
        status = check_version(database);
    if (!status && is_new)
        status = execute(database, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    return status ? status : write_run(database);
}

static enum loupe_status write_sqlite(struct export *export) {
    struct database database = {.export = export};
    struct stat about;
    bool is_new = lstat(export->path, &about) || !about.st_size || S_ISLNK(about.st_mode);
    enum loupe_status status = LOUPE_OK;
    int file = is_new ? new_file_open(export->path) : -1;
    if (is_new && file < 0)
        return export_fail(export, LOUPE_EFAULT, "%s", strerror(errno));
    if (file >= 0)
        close(file);
    /* One thread alone uses it. */
    if (sqlite3_open_v2(export->path, &database.handle,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        status = fail(&database);
    if (!status)
        status = write_database(&database, is_new);
    sqlite3_close(database.handle);
    if (status && is_new)
        remove(export->path);
    if (!status && stat(export->path, &about) == 0)
        export->size = (uint64_t)about.st_size;
    return status;
}

#else

static enum loupe_status write_sqlite(struct export *export) {
    return export_fail(export, LOUPE_EUSAGE, CLI_NO_SQLITE "; .csv works");
}

#endif

const struct export_format export_sqlite = {.ending = ".sqlite", .write = write_sqlite};
