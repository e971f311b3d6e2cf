/*
 * loupe sql: one SELECT about a heap. The statement is a person's, and may be hostile where it
 * comes by `loupe serve`: it reads tables that are the heap, and nothing else; its length, depth,
 * memory, time and rows are bounded.
 */
#include "shared/amounts.h"
#include "shared/output.h"
#include "report/heaps/report_snapshot.h"
#include "sql/sql.h"
#include "shared/table.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_ROWS = 100 };

/* ---- The list ---- */

static int list_queries(const struct heap_query *query) {
    static const char *const headings[] = {"name", "what it shows"};
    struct table table;
    int status = heap_begin_output(query);
    if (status)
        return status;
    table_init(&table, 2, headings);
    for (const struct sql_query *one = sql_queries; one->name; one++) {
        table_add(&table, loupe_span_of(one->name));
        table_add(&table, loupe_span_of(one->about));
    }
    bool printed = table_print(&table);
    table_deinit(&table);
    return printed ? CLI_OK : heap_ended(query);
}

static const char *sql_of(const char *operand) {
    for (const struct sql_query *one = sql_queries; one->name; one++) {
        if (strcmp(one->name, operand) == 0)
            return one->sql;
    }
    return operand;
}

#ifdef LOUPE_HAS_SQLITE

enum {
    MOST_SQL = 1 << 16,
    MOST_DEPTH = 100,
    MOST_VALUE = 1 << 24,
    MOST_TEXT = 1 << 14,
    MOST_COLUMNS = 64,
    STEPS_BETWEEN_CHECKS = 4096
};
#define MOST_MEMORY (INT64_C(1) << 30)

/* ---- The database ---- */

/* Whatever is not a question about the tables is refused. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *c,
                     const char *d) {
    (void)ctx, (void)a, (void)c, (void)d;
    if (action == SQLITE_FUNCTION)
        return b && strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE
               ? SQLITE_OK
               : SQLITE_DENY;
}

static int look_around(void *ctx) {
    (void)ctx;
    return loupe_is_stopped(heap_stop);
}

static void bound(sqlite3 *database) {
    static const struct {
        int id, most;
    } limits[] = {{SQLITE_LIMIT_SQL_LENGTH, MOST_SQL}, {SQLITE_LIMIT_EXPR_DEPTH, MOST_DEPTH},
                  {SQLITE_LIMIT_LENGTH, MOST_VALUE},   {SQLITE_LIMIT_COLUMN, MOST_COLUMNS},
                  {SQLITE_LIMIT_COMPOUND_SELECT, 16},  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1024},
                  {SQLITE_LIMIT_ATTACHED, 0},          {SQLITE_LIMIT_WORKER_THREADS, 0}};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        sqlite3_limit(database, limits[i].id, limits[i].most);
    sqlite3_hard_heap_limit64(MOST_MEMORY);
    sqlite3_progress_handler(database, STEPS_BETWEEN_CHECKS, look_around, NULL);
    sqlite3_set_authorizer(database, authorize, NULL);
}

/* In memory, sorting included: it writes no file. */
static int open_database(struct sql_heap *heap, sqlite3 **ret) {
    int code = sqlite3_open_v2(
        ":memory:", ret, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(*ret, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sql_add_tables(*ret, heap);
    if (code == SQLITE_OK)
        code = sql_add_functions(*ret, heap);
    if (code == SQLITE_OK)
        bound(*ret);
    return code;
}

/* ---- Rows ---- */

struct rows {
    const struct heap_query *query;
    sqlite3_stmt *statement;
    int columns;
    uint64_t limit, count;
    struct table table; /* of --format table */
    struct loupe_json *json;
    char csv_separator;
};

static struct loupe_span text_at(const struct rows *rows, int column) {
    const char *text = (const char *)sqlite3_column_text(rows->statement, column);
    return (struct loupe_span){text ? text : "",
                               text ? (size_t)sqlite3_column_bytes(rows->statement, column) : 0};
}

static void put_json_value(const struct rows *rows, int column) {
    struct loupe_span text = text_at(rows, column);
    switch (sqlite3_column_type(rows->statement, column)) {
    case SQLITE_INTEGER:
        loupe_json_int(rows->json, sqlite3_column_int64(rows->statement, column));
        break;
    case SQLITE_FLOAT:
        if (strpbrk(text.bytes, "IN")) /* Inf and NaN are no numbers in JSON */
            loupe_json_span(rows->json, text);
        else
            loupe_json_value(rows->json, text);
        break;
    case SQLITE_NULL:
        loupe_json_null(rows->json);
        break;
    default:
        loupe_json_span(rows->json, text);
    }
}

static void put_json_row(const struct rows *rows) {
    loupe_json_begin_array(rows->json);
    for (int i = 0; i < rows->columns; i++)
        put_json_value(rows, i);
    loupe_json_end_array(rows->json);
}

/* An object a line. */
static void put_line(struct rows *rows) {
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    rows->json = &json;
    loupe_json_begin_object(&json);
    for (int i = 0; i < rows->columns; i++) {
        loupe_json_key_span(&json, loupe_span_of(sqlite3_column_name(rows->statement, i)));
        put_json_value(rows, i);
    }
    loupe_json_end_object(&json);
    loupe_json_finish(&json);
    cli_end_answer();
}

/* RFC 4180; what a spreadsheet would take for a formula is a text behind an apostrophe. */
static void put_csv_cell(struct loupe_span text, bool is_number, bool is_first) {
    FILE *to = cli_output();
    if (!is_first)
        putc(',', to);
    if (is_number) {
        fwrite(text.bytes, 1, text.length, to);
        return;
    }
    putc('"', to);
    if (text.length && memchr("=+-@", text.bytes[0], 4))
        putc('\'', to);
    for (size_t i = 0; i < text.length; i++) {
        unsigned char letter = (unsigned char)text.bytes[i];
        if (letter < ' ' || letter == 0x7f)
            fprintf(to, "\\x%02x", letter);
        else
            putc(letter, to);
        if (letter == '"')
            putc('"', to);
    }
    putc('"', to);
}

static void put_csv_row(const struct rows *rows) {
    for (int i = 0; i < rows->columns; i++) {
        int type = sqlite3_column_type(rows->statement, i);
        put_csv_cell(text_at(rows, i),
                     type == SQLITE_INTEGER || type == SQLITE_FLOAT || type == SQLITE_NULL, i == 0);
    }
    fputs("\r\n", cli_output());
}

static bool is_format(const struct rows *rows, const char *name) {
    const char *format = rows->query->options.rows_format;
    return format && strcmp(format, name) == 0;
}

static void put_row(struct rows *rows) {
    if (rows->query->options.json)
        put_json_row(rows);
    else if (is_format(rows, "ndjson"))
        put_line(rows);
    else if (is_format(rows, "csv"))
        put_csv_row(rows);
    else
        for (int i = 0; i < rows->columns; i++)
            table_add(&rows->table, text_at(rows, i));
}

static void put_headings(struct rows *rows) {
    const char *headings[TABLE_MAX_COLUMNS];
    for (int i = 0; i < rows->columns; i++) {
        const char *name = sqlite3_column_name(rows->statement, i);
        if (i < TABLE_MAX_COLUMNS)
            headings[i] = name;
        if (is_format(rows, "csv") && !rows->query->options.json)
            put_csv_cell(loupe_span_of(name), false, i == 0);
    }
    if (is_format(rows, "csv") && !rows->query->options.json)
        fputs("\r\n", cli_output());
    if (rows->columns <= TABLE_MAX_COLUMNS)
        table_init(&rows->table, (unsigned)rows->columns, headings);
}

/* SQLITE_DONE, SQLITE_ROW where the limit ended it, or what went wrong. */
static int step_all(struct rows *rows) {
    int code;
    while ((code = sqlite3_step(rows->statement)) == SQLITE_ROW) {
        if (rows->limit && rows->count == rows->limit)
            break;
        rows->count++;
        put_row(rows);
    }
    return code;
}

/* ---- Answers ---- */

static void begin_json(const struct rows *rows) {
    loupe_report_snapshot_begin(rows->json, "sql", rows->query->snapshot, false);
    loupe_json_key(rows->json, "columns");
    loupe_json_begin_array(rows->json);
    for (int i = 0; i < rows->columns; i++)
        loupe_json_string(rows->json, sqlite3_column_name(rows->statement, i));
    loupe_json_end_array(rows->json);
    loupe_json_key(rows->json, "rows");
    loupe_json_begin_array(rows->json);
}

static int finish_table(struct rows *rows, int code) {
    bool printed = table_print(&rows->table);
    if (!printed)
        return heap_ended(rows->query);
    fprintf(cli_output(), "\n%s row%s%s\n", cli_count(rows->count), rows->count == 1 ? "" : "s",
            code == SQLITE_ROW ? ", there are more (--limit 0 shows all)" : "");
    return CLI_OK;
}

static int fail(const struct rows *rows, sqlite3 *database, int code) {
    if (code == SQLITE_NOMEM || code == SQLITE_INTERRUPT)
        return heap_ended(rows->query);
    return heap_fail(rows->query, LOUPE_EUSAGE, "%s",
                     cli_printable(loupe_span_of(sqlite3_errmsg(database))));
}

static int answer(struct rows *rows, sqlite3 *database) {
    struct loupe_json json;
    int status = heap_begin_output(rows->query);
    if (status)
        return status;
    loupe_json_init(&json, cli_answer_sink());
    put_headings(rows);
    rows->json = &json;
    if (rows->query->options.json)
        begin_json(rows);
    int code = step_all(rows);
    bool done = code == SQLITE_DONE || code == SQLITE_ROW;
    if (rows->query->options.json && done) {
        loupe_json_end_array(&json);
        loupe_json_put_uint(&json, "row_count", rows->count);
        loupe_json_put_bool(&json, "more", code == SQLITE_ROW);
        loupe_report_snapshot_end(&json, rows->query->snapshot);
        loupe_json_finish(&json);
        cli_end_answer();
    } else if (done && !rows->query->options.rows_format) {
        status = finish_table(rows, code);
    } else if (done && is_format(rows, "table")) {
        status = finish_table(rows, code);
    }
    table_deinit(&rows->table);
    return done ? status : fail(rows, database, code);
}

static int ask(const struct heap_query *query, sqlite3 *database, const char *sql) {
    struct rows rows = {.query = query, .limit = SHOWN_ROWS};
    const char *rest;
    if (query->options.has_limit)
        rows.limit = query->options.limit;
    else if (query->options.rows_format && strcmp(query->options.rows_format, "table") != 0)
        rows.limit = 0; /* for programs */
    int code = sqlite3_prepare_v2(database, sql, -1, &rows.statement, &rest);
    if (code != SQLITE_OK)
        return fail(&rows, database, code);
    while (*rest == ' ' || *rest == ';' || *rest == '\n')
        rest++;
    rows.columns = rows.statement ? sqlite3_column_count(rows.statement) : 0;
    int status;
    bool is_table =
        !query->options.json && (!query->options.rows_format || is_format(&rows, "table"));
    if (*rest || !rows.columns)
        status = heap_fail(query, LOUPE_EUSAGE, "give one SELECT, and nothing after it");
    else if (is_table && rows.columns > TABLE_MAX_COLUMNS)
        status = heap_fail(query, LOUPE_EUSAGE,
                           "a table has at most %d columns here: --format csv has more",
                           TABLE_MAX_COLUMNS);
    else
        status = answer(&rows, database);
    sqlite3_finalize(rows.statement);
    return status;
}

static int ask_heap(const struct heap_query *query, struct sql_heap *heap, const char *sql) {
    sqlite3 *database = NULL;
    heap->text = malloc(MOST_TEXT);
    heap->text_cap = MOST_TEXT;
    int code = heap->text ? open_database(heap, &database) : SQLITE_NOMEM;
    int status = code == SQLITE_OK ? ask(query, database, sql) : heap_ended(query);
    sqlite3_close(database);
    sql_heap_deinit(heap);
    return status;
}

static int answer_sql(const struct heap_query *query, const char *sql) {
    struct heap_question question;
    int status = heap_question_init(&question, query);
    if (status)
        return status;
    struct sql_heap heap = {.question = &question, .snapshot = query->snapshot};
    status = ask_heap(query, &heap, sql);
    heap_question_deinit(&question);
    return status;
}

#else

static int answer_sql(const struct heap_query *query, const char *sql) {
    (void)sql;
    return heap_fail(query, LOUPE_EUSAGE, CLI_NO_SQLITE);
}

#endif

int heap_verb_sql(struct heap_query *query) {
    if (query->options.list)
        return list_queries(query);
    if (!query->operand_count)
        return heap_fail(query, LOUPE_EUSAGE,
                         "missing SELECT or the name of a shipped question (--list shows them)");
    return answer_sql(query, sql_of(query->operands[0]));
}
