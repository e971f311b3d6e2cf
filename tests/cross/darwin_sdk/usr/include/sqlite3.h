#pragma once
#include <sys/types.h>
#define SQLITE_VERSION "3.39.5"
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef long long sqlite3_int64;
typedef unsigned long long sqlite3_uint64;
typedef int (*sqlite3_callback)(void *, int, char **, char **);
typedef void (*sqlite3_destructor_type)(void *);
#define SQLITE_STATIC         ((sqlite3_destructor_type)0)
#define SQLITE_OK             0
#define SQLITE_NOMEM          7
#define SQLITE_ROW            100
#define SQLITE_DONE           101
#define SQLITE_UTF8           1
#define SQLITE_OPEN_READWRITE 0x2
#define SQLITE_OPEN_CREATE    0x4
#define SQLITE_OPEN_NOMUTEX   0x8000
__BEGIN_DECLS
int sqlite3_bind_int64(sqlite3_stmt *, int, sqlite3_int64);
int sqlite3_bind_null(sqlite3_stmt *, int);
int sqlite3_bind_text64(sqlite3_stmt *, int, const char *, sqlite3_uint64, void (*)(void *),
                        unsigned char);
int sqlite3_close(sqlite3 *);
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt *, int);
int sqlite3_errcode(sqlite3 *);
const char *sqlite3_errmsg(sqlite3 *);
int sqlite3_exec(sqlite3 *, const char *, sqlite3_callback, void *, char **);
int sqlite3_finalize(sqlite3_stmt *);
int sqlite3_open_v2(const char *, sqlite3 **, int, const char *);
int sqlite3_prepare_v2(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
int sqlite3_reset(sqlite3_stmt *);
int sqlite3_step(sqlite3_stmt *);
__END_DECLS
