#pragma once
#include <sys/types.h>
#define SQLITE_VERSION "3.39.5"
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef long long sqlite3_int64;
typedef unsigned long long sqlite3_uint64;
typedef int (*sqlite3_callback)(void *, int, char **, char **);
typedef void (*sqlite3_destructor_type)(void *);
typedef struct sqlite3_context sqlite3_context;
typedef struct sqlite3_value sqlite3_value;
typedef struct sqlite3_module sqlite3_module;
typedef struct sqlite3_vtab sqlite3_vtab;
typedef struct sqlite3_vtab_cursor sqlite3_vtab_cursor;
typedef struct sqlite3_index_info sqlite3_index_info;
#define SQLITE_STATIC                    ((sqlite3_destructor_type)0)
#define SQLITE_TRANSIENT                 ((sqlite3_destructor_type)-1)
#define SQLITE_OK                        0
#define SQLITE_NOMEM                     7
#define SQLITE_INTERRUPT                 9
#define SQLITE_ROW                       100
#define SQLITE_DONE                      101
#define SQLITE_UTF8                      1
#define SQLITE_OPEN_READWRITE            0x2
#define SQLITE_OPEN_CREATE               0x4
#define SQLITE_OPEN_MEMORY               0x80
#define SQLITE_OPEN_NOMUTEX              0x8000
#define SQLITE_DETERMINISTIC             0x800
#define SQLITE_INTEGER                   1
#define SQLITE_FLOAT                     2
#define SQLITE_NULL                      5
#define SQLITE_DENY                      1
#define SQLITE_READ                      20
#define SQLITE_SELECT                    21
#define SQLITE_FUNCTION                  31
#define SQLITE_RECURSIVE                 33
#define SQLITE_INDEX_CONSTRAINT_EQ       2
#define SQLITE_LIMIT_LENGTH              0
#define SQLITE_LIMIT_SQL_LENGTH          1
#define SQLITE_LIMIT_COLUMN              2
#define SQLITE_LIMIT_EXPR_DEPTH          3
#define SQLITE_LIMIT_COMPOUND_SELECT     4
#define SQLITE_LIMIT_ATTACHED            7
#define SQLITE_LIMIT_LIKE_PATTERN_LENGTH 8
#define SQLITE_LIMIT_WORKER_THREADS      11

struct sqlite3_vtab {
    const sqlite3_module *pModule;
    int nRef;
    char *zErrMsg;
};
struct sqlite3_vtab_cursor {
    sqlite3_vtab *pVtab;
};
struct sqlite3_index_info {
    int nConstraint;
    struct sqlite3_index_constraint {
        int iColumn;
        unsigned char op, usable;
        int iTermOffset;
    } * aConstraint;
    int nOrderBy;
    struct sqlite3_index_orderby {
        int iColumn;
        unsigned char desc;
    } * aOrderBy;
    struct sqlite3_index_constraint_usage {
        int argvIndex;
        unsigned char omit;
    } * aConstraintUsage;
    int idxNum;
    char *idxStr;
    int needToFreeIdxStr, orderByConsumed;
    double estimatedCost;
    sqlite3_int64 estimatedRows;
    int idxFlags;
    sqlite3_uint64 colUsed;
};
struct sqlite3_module {
    int iVersion;
    int (*xCreate)(sqlite3 *, void *, int, const char *const *, sqlite3_vtab **, char **);
    int (*xConnect)(sqlite3 *, void *, int, const char *const *, sqlite3_vtab **, char **);
    int (*xBestIndex)(sqlite3_vtab *, sqlite3_index_info *);
    int (*xDisconnect)(sqlite3_vtab *);
    int (*xDestroy)(sqlite3_vtab *);
    int (*xOpen)(sqlite3_vtab *, sqlite3_vtab_cursor **);
    int (*xClose)(sqlite3_vtab_cursor *);
    int (*xFilter)(sqlite3_vtab_cursor *, int, const char *, int, sqlite3_value **);
    int (*xNext)(sqlite3_vtab_cursor *);
    int (*xEof)(sqlite3_vtab_cursor *);
    int (*xColumn)(sqlite3_vtab_cursor *, sqlite3_context *, int);
    int (*xRowid)(sqlite3_vtab_cursor *, sqlite3_int64 *);
    int (*xUpdate)(sqlite3_vtab *, int, sqlite3_value **, sqlite3_int64 *);
    int (*xBegin)(sqlite3_vtab *);
    int (*xSync)(sqlite3_vtab *);
    int (*xCommit)(sqlite3_vtab *);
    int (*xRollback)(sqlite3_vtab *);
    int (*xFindFunction)(sqlite3_vtab *, int, const char *,
                         void (**)(sqlite3_context *, int, sqlite3_value **), void **);
    int (*xRename)(sqlite3_vtab *, const char *);
    int (*xSavepoint)(sqlite3_vtab *, int);
    int (*xRelease)(sqlite3_vtab *, int);
    int (*xRollbackTo)(sqlite3_vtab *, int);
    int (*xShadowName)(const char *);
};
__BEGIN_DECLS
int sqlite3_bind_int64(sqlite3_stmt *, int, sqlite3_int64);
int sqlite3_bind_null(sqlite3_stmt *, int);
int sqlite3_bind_text64(sqlite3_stmt *, int, const char *, sqlite3_uint64, void (*)(void *),
                        unsigned char);
int sqlite3_close(sqlite3 *);
int sqlite3_column_bytes(sqlite3_stmt *, int);
int sqlite3_column_count(sqlite3_stmt *);
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt *, int);
const char *sqlite3_column_name(sqlite3_stmt *, int);
const unsigned char *sqlite3_column_text(sqlite3_stmt *, int);
int sqlite3_column_type(sqlite3_stmt *, int);
int sqlite3_create_function_v2(sqlite3 *, const char *, int, int, void *,
                               void (*)(sqlite3_context *, int, sqlite3_value **),
                               void (*)(sqlite3_context *, int, sqlite3_value **),
                               void (*)(sqlite3_context *), void (*)(void *));
int sqlite3_create_module(sqlite3 *, const char *, const sqlite3_module *, void *);
int sqlite3_declare_vtab(sqlite3 *, const char *);
int sqlite3_errcode(sqlite3 *);
const char *sqlite3_errmsg(sqlite3 *);
int sqlite3_exec(sqlite3 *, const char *, sqlite3_callback, void *, char **);
int sqlite3_finalize(sqlite3_stmt *);
void sqlite3_free(void *);
sqlite3_int64 sqlite3_hard_heap_limit64(sqlite3_int64);
int sqlite3_limit(sqlite3 *, int, int);
void *sqlite3_malloc64(sqlite3_uint64);
int sqlite3_open_v2(const char *, sqlite3 **, int, const char *);
int sqlite3_prepare_v2(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
void sqlite3_progress_handler(sqlite3 *, int, int (*)(void *), void *);
int sqlite3_reset(sqlite3_stmt *);
void sqlite3_result_double(sqlite3_context *, double);
void sqlite3_result_error_nomem(sqlite3_context *);
void sqlite3_result_int(sqlite3_context *, int);
void sqlite3_result_int64(sqlite3_context *, sqlite3_int64);
void sqlite3_result_null(sqlite3_context *);
void sqlite3_result_text(sqlite3_context *, const char *, int, void (*)(void *));
int sqlite3_set_authorizer(sqlite3 *,
                           int (*)(void *, int, const char *, const char *, const char *,
                                   const char *),
                           void *);
int sqlite3_step(sqlite3_stmt *);
void *sqlite3_user_data(sqlite3_context *);
sqlite3_int64 sqlite3_value_int64(sqlite3_value *);
const unsigned char *sqlite3_value_text(sqlite3_value *);
int sqlite3_value_type(sqlite3_value *);
const char *sqlite3_vtab_collation(sqlite3_index_info *, int);
__END_DECLS
