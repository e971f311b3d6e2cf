/*
 * Parquet as its format says it (apache/parquet-format): data pages of version 1, definition levels
 * of one bit, a footer in Thrift's compact protocol.
 */
#define _POSIX_C_SOURCE 200809L /* mkdir() */

#include "report/parquet.h"

#include "answers/json_tree.h"
#include "base/json.h"
#include "heaps/heap_verb.h"
#include "shared/buffer.h"
#include "shared/new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_COLUMNS = 32,
    MOST_ROWS = 1 << 14,   /* of a group, */
    MOST_BYTES = 32 << 20, /* and of a group's values */
    LONGEST_PATH = 4096
};

/* ---- Thrift ---- */

enum thrift { T_I32 = 5, T_I64 = 6, T_BINARY = 8, T_LIST = 9, T_STRUCT = 12 };

/* A structure that is being written: the number of its last field. */
struct thrift_struct {
    struct cli_buffer *to;
    unsigned last;
};

static bool put(struct cli_buffer *to, const void *bytes, size_t length) {
    struct loupe_sink sink = cli_buffer_sink(to);
    return !length || sink.write(sink.ctx, bytes, length) == LOUPE_OK ||
           (to->is_too_large = true, false);
}

static void put_byte(struct cli_buffer *to, unsigned byte) {
    uint8_t one = (uint8_t)byte;
    put(to, &one, 1);
}

static void put_varint(struct cli_buffer *to, uint64_t number) {
    for (; number > 127; number >>= 7)
        put_byte(to, (unsigned)(number & 127) | 128);
    put_byte(to, (unsigned)number);
}

static void put_zigzag(struct cli_buffer *to, int64_t number) {
    put_varint(to, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

static void begin_field(struct thrift_struct *in, unsigned number, enum thrift type) {
    put_byte(in->to, (number - in->last) << 4 | type);
    in->last = number;
}

static void put_number(struct thrift_struct *in, unsigned number, enum thrift type, int64_t value) {
    begin_field(in, number, type);
    put_zigzag(in->to, value);
}

static void put_string(struct cli_buffer *to, const char *text) {
    put_varint(to, strlen(text));
    put(to, text, strlen(text));
}

static void begin_list(struct thrift_struct *in, unsigned number, enum thrift type, size_t count) {
    begin_field(in, number, T_LIST);
    if (count < 15) {
        put_byte(in->to, (unsigned)count << 4 | type);
        return;
    }
    put_byte(in->to, 15 << 4 | type);
    put_varint(in->to, count);
}

static void end_struct(struct thrift_struct *in) {
    put_byte(in->to, 0);
}

/* ---- Which columns there are ---- */

/* Numbers of the format. */
enum physical { P_BOOLEAN = 0, P_INT64 = 2, P_BYTE_ARRAY = 6 };
enum { CONVERTED_UTF8 = 0, CONVERTED_TIME = 9, OPTIONAL = 1, PLAIN = 0, RLE = 3 };

enum type { TEXT, WHOLE, TRUTH, TIME, OBJECT }; /* OBJECT: its JSON, as text */

struct column {
    const char *name;
    enum type type;
};

/* clang-format off */
#define OF_ALL                                                                                     \
    {"schema", WHOLE}, {"heap", TEXT}, {"input", WHOLE}, {"time", TIME}, {"app", TEXT},            \
    {"version", TEXT}, {"build", TEXT}, {"tags", OBJECT}, {"loupe", TEXT}, {"file", TEXT}

static const struct kind {
    const char *name;
    struct column columns[MOST_COLUMNS];
} kinds[] = {
    {"heap", {OF_ALL, {"format", TEXT}, {"runtime", TEXT}, {"objects", WHOLE}, {"references", WHOLE}, {"bytes", WHOLE},
              {"reachable_bytes", WHOLE}, {"status", TEXT}, {"build_id", TEXT}, {"system", OBJECT}, {"classes_left_out", WHOLE}}},
    {"finding", {OF_ALL, {"kind", TEXT}, {"degree", TEXT}, {"fingerprint", TEXT}, {"class", TEXT}, {"culprit", TEXT},
                 {"count", WHOLE}, {"bytes", WHOLE}, {"path", TEXT}, {"path_cut", TRUTH}, {"advice", TEXT}}},
    {"class", {OF_ALL, {"class", TEXT}, {"count", WHOLE}, {"bytes", WHOLE}, {"retained", WHOLE}}},
    {"thread", {OF_ALL, {"name", TEXT}, {"top", TEXT}, {"frames", WHOLE}, {"retained", WHOLE}, {"out_of_memory", TRUTH}}},
    {"error", {OF_ALL, {"code", TEXT}, {"message", TEXT}}}};
/* clang-format on */
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static enum physical physical_of(enum type type) {
    return type == TRUTH ? P_BOOLEAN : type == WHOLE || type == TIME ? P_INT64 : P_BYTE_ARRAY;
}

/* ---- Files ---- */

struct values {
    struct cli_buffer there; /* a byte a row: 1, or 0 for null */
    struct cli_buffer bytes; /* plain, but that each truth is a byte */
};

struct table {
    FILE *file;
    char path[LONGEST_PATH], beside[LONGEST_PATH + NEW_FILE_ENDING];
    unsigned columns, groups;
    uint64_t written, rows, all_rows; /* rows: of the group that is being made */
    struct values values[MOST_COLUMNS];
    struct cli_buffer footer; /* its groups */
};

struct parquet {
    struct table tables[KINDS];
    const char *problem;
};

static const char no_memory[] = "out of memory";

static bool fail(struct parquet *parquet, const char *problem) {
    parquet->problem = parquet->problem ? parquet->problem : problem;
    return false;
}

static bool write_out(struct parquet *parquet, struct table *table,
                      const struct cli_buffer *bytes) {
    if (bytes->is_too_large)
        return fail(parquet, no_memory);
    if (bytes->length && fwrite(bytes->bytes, 1, bytes->length, table->file) != bytes->length)
        return fail(parquet, strerror(errno));
    table->written += bytes->length;
    return true;
}

/* ---- A page ---- */

static void put_u4(struct cli_buffer *to, uint32_t number) {
    uint8_t bytes[4];
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    put(to, bytes, sizeof(bytes));
}

/* Bytes that are 0 or 1 as bits, the first in the lowest. */
static void put_bits(struct cli_buffer *to, const struct cli_buffer *from) {
    for (size_t at = 0; at < from->length; at += 8) {
        unsigned byte = 0;
        for (size_t bit = 0; bit < 8 && at + bit < from->length; bit++)
            byte |= (unsigned)(from->bytes[at + bit] != 0) << bit;
        put_byte(to, byte);
    }
}

static void put_page(struct cli_buffer *to, const struct values *values, enum type type) {
    struct cli_buffer levels = {.bytes = NULL};
    size_t groups = (values->there.length + 7) / 8;
    put_varint(&levels, groups << 1 | 1); /* one run, packed */
    put_bits(&levels, &values->there);
    put_u4(to, (uint32_t)levels.length);
    put(to, levels.bytes, levels.length);
    to->is_too_large |= levels.is_too_large;
    cli_buffer_deinit(&levels);
    if (type == TRUTH)
        put_bits(to, &values->bytes);
    else
        put(to, values->bytes.bytes, values->bytes.length);
}

static void put_page_header(struct cli_buffer *to, const struct cli_buffer *page, uint64_t rows) {
    struct thrift_struct header = {to, 0}, data = {to, 0};
    put_number(&header, 1, T_I32, 0); /* a data page */
    put_number(&header, 2, T_I32, (int64_t)page->length);
    put_number(&header, 3, T_I32, (int64_t)page->length);
    begin_field(&header, 5, T_STRUCT);
    put_number(&data, 1, T_I32, (int64_t)rows);
    put_number(&data, 2, T_I32, PLAIN);
    put_number(&data, 3, T_I32, RLE);
    put_number(&data, 4, T_I32, RLE);
    end_struct(&data);
    end_struct(&header);
}

/* What the footer says of a column's part in a group. */
static void put_chunk(struct cli_buffer *to, const struct column *column, const uint64_t place[2],
                      uint64_t rows) {
    struct thrift_struct chunk = {to, 0}, about = {to, 0};
    put_number(&chunk, 2, T_I64, (int64_t)place[0]);
    begin_field(&chunk, 3, T_STRUCT);
    put_number(&about, 1, T_I32, physical_of(column->type));
    begin_list(&about, 2, T_I32, 2);
    put_zigzag(to, PLAIN);
    put_zigzag(to, RLE);
    begin_list(&about, 3, T_BINARY, 1);
    put_string(to, column->name);
    put_number(&about, 4, T_I32, 0); /* not compressed */
    put_number(&about, 5, T_I64, (int64_t)rows);
    put_number(&about, 6, T_I64, (int64_t)place[1]);
    put_number(&about, 7, T_I64, (int64_t)place[1]);
    put_number(&about, 9, T_I64, (int64_t)place[0]);
    end_struct(&about);
    end_struct(&chunk);
}

static bool write_column(struct parquet *parquet, struct table *table, const struct column *column,
                         struct values *values) {
    struct cli_buffer page = {.bytes = NULL}, head = {.bytes = NULL};
    uint64_t place[2] = {table->written, 0};
    put_page(&page, values, column->type);
    put_page_header(&head, &page, table->rows);
    bool is_written = write_out(parquet, table, &head) && write_out(parquet, table, &page);
    place[1] = table->written - place[0];
    put_chunk(&table->footer, column, place, table->rows);
    cli_buffer_deinit(&page);
    cli_buffer_deinit(&head);
    values->there.length = values->bytes.length = 0;
    return is_written;
}

/* ---- A group of rows ---- */

static bool write_group(struct parquet *parquet, struct table *table, const struct kind *kind) {
    struct thrift_struct group = {&table->footer, 0};
    uint64_t before = table->written;
    if (!table->rows)
        return true;
    begin_list(&group, 1, T_STRUCT, table->columns);
    for (unsigned i = 0; i < table->columns; i++) {
        if (!write_column(parquet, table, &kind->columns[i], &table->values[i]))
            return false;
    }
    put_number(&group, 2, T_I64, (int64_t)(table->written - before));
    put_number(&group, 3, T_I64, (int64_t)table->rows);
    end_struct(&group);
    table->groups++;
    table->all_rows += table->rows;
    table->rows = 0;
    return true;
}

static void put_schema(struct thrift_struct *footer, const struct table *table,
                       const struct kind *kind) {
    struct cli_buffer *to = footer->to;
    struct thrift_struct root = {to, 0};
    begin_list(footer, 2, T_STRUCT, table->columns + 1);
    begin_field(&root, 4, T_BINARY);
    put_string(to, kind->name);
    put_number(&root, 5, T_I32, table->columns);
    end_struct(&root);
    for (unsigned i = 0; i < table->columns; i++) {
        const struct column *column = &kind->columns[i];
        struct thrift_struct element = {to, 0};
        put_number(&element, 1, T_I32, physical_of(column->type));
        put_number(&element, 3, T_I32, OPTIONAL);
        begin_field(&element, 4, T_BINARY);
        put_string(to, column->name);
        if (physical_of(column->type) == P_BYTE_ARRAY)
            put_number(&element, 6, T_I32, CONVERTED_UTF8);
        else if (column->type == TIME)
            put_number(&element, 6, T_I32, CONVERTED_TIME);
        end_struct(&element);
    }
}

static bool write_footer(struct parquet *parquet, struct table *table, const struct kind *kind) {
    struct cli_buffer bytes = {.bytes = NULL};
    struct thrift_struct footer = {&bytes, 0};
    put_number(&footer, 1, T_I32, 1);
    put_schema(&footer, table, kind);
    put_number(&footer, 3, T_I64, (int64_t)table->all_rows);
    begin_list(&footer, 4, T_STRUCT, table->groups);
    put(&bytes, table->footer.bytes, table->footer.length);
    bytes.is_too_large |= table->footer.is_too_large;
    begin_field(&footer, 6, T_BINARY);
    put_string(&bytes, "loupe " LOUPE_VERSION);
    end_struct(&footer);
    put_u4(&bytes, (uint32_t)bytes.length);
    put(&bytes, "PAR1", 4);
    bool is_written = write_out(parquet, table, &bytes);
    cli_buffer_deinit(&bytes);
    return is_written;
}

/* ---- Rows ---- */

/* "2023-11-14T22:13:20Z" as milliseconds since 1970; false: it is none. */
static bool read_time(struct loupe_span text, int64_t *ret) {
    int y, month, day, hour, minute, second;
    char copy[32];
    loupe_format(copy, sizeof(copy), "%.*s", (int)text.length, text.bytes);
    if (sscanf(copy, "%d-%d-%dT%d:%d:%dZ", &y, &month, &day, &hour, &minute, &second) != 6)
        return false;
    y -= month <= 2; /* years from March on, so that a leap day is the last */
    int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
    *ret = ((days * 24 + hour) * 60 + minute) * 60000 + second * 1000;
    return true;
}

static void put_text(struct cli_buffer *to, struct loupe_span text) {
    put_u4(to, (uint32_t)text.length);
    put(to, text.bytes, text.length);
}

/* An object of texts. */
static void put_object(struct cli_buffer *to, const struct json_value *object) {
    struct cli_buffer text = {.bytes = NULL};
    struct loupe_json json;
    loupe_json_init(&json, cli_buffer_sink(&text));
    loupe_json_begin_object(&json);
    JSON_EACH(member, object) {
        loupe_json_key_span(&json, member->key);
        loupe_json_span(&json, member->text);
    }
    loupe_json_end_object(&json);
    to->is_too_large |= loupe_json_finish(&json) != LOUPE_OK;
    put_text(to, cli_buffer_text(&text));
    cli_buffer_deinit(&text);
}

static void put_int64(struct cli_buffer *to, int64_t number) {
    put_u4(to, (uint32_t)number);
    put_u4(to, (uint32_t)((uint64_t)number >> 32));
}

static bool put_value(struct cli_buffer *to, const struct json_value *value, enum type type) {
    int64_t time;
    bool fits = value->kind == (type == WHOLE    ? JSON_NUMBER
                                : type == OBJECT ? JSON_OBJECT
                                                 : JSON_TEXT);
    switch (type) {
    case WHOLE:
        if (fits)
            put_int64(to, (int64_t)json_number(value));
        return fits;
    case TRUTH:
        if (value->kind == JSON_TRUE || value->kind == JSON_FALSE)
            put_byte(to, value->kind == JSON_TRUE);
        return value->kind == JSON_TRUE || value->kind == JSON_FALSE;
    case TIME:
        fits = fits && read_time(value->text, &time);
        if (fits)
            put_int64(to, time);
        return fits;
    case OBJECT:
        if (fits)
            put_object(to, value);
        return fits;
    default:
        if (fits)
            put_text(to, value->text);
        return fits;
    }
}

static bool add_row(struct parquet *parquet, const struct json_value *row) {
    struct loupe_span name = json_text(row, "row");
    unsigned number = 0;
    /* Cap: all of a table. */
    while (number < KINDS && !loupe_span_equals(name, kinds[number].name))
        number++;
    if (number == KINDS)
        return fail(parquet, "a row of no known kind");
    struct table *table = &parquet->tables[number];
    size_t bytes = 0;
    bool has_room = true;
    for (unsigned i = 0; i < table->columns; i++) {
        const struct column *column = &kinds[number].columns[i];
        struct values *values = &table->values[i];
        bool is_there = put_value(&values->bytes, json_member(row, column->name), column->type);
        put_byte(&values->there, is_there);
        bytes += values->bytes.length;
        has_room = has_room && !values->bytes.is_too_large && !values->there.is_too_large;
    }
    if (!has_room)
        return fail(parquet, no_memory);
    table->rows++;
    return (table->rows < MOST_ROWS && bytes < MOST_BYTES) ||
           write_group(parquet, table, &kinds[number]);
}

bool parquet_add(struct parquet *parquet, struct loupe_span lines) {
    const char *at = lines.bytes, *all = at + lines.length, *end;
    for (; at < all && !parquet->problem; at = end + 1) {
        struct loupe_arena arena;
        struct loupe_error error;
        const struct json_value *row;
        end = memchr(at, '\n', (size_t)(all - at));
        if (!end)
            end = all;
        loupe_arena_init(&arena, &heap_chunks);
        if (json_read((struct loupe_span){at, (size_t)(end - at)}, &arena, &row, &error))
            fail(parquet, no_memory);
        else
            add_row(parquet, row);
        loupe_arena_deinit(&arena);
    }
    return !parquet->problem;
}

/* ---- All ---- */

static bool open_table(struct parquet *parquet, const char *folder, unsigned number) {
    struct table *table = &parquet->tables[number];
    int length =
        snprintf(table->path, sizeof(table->path), "%s/%s.parquet", folder, kinds[number].name);
    if (length < 0 || (size_t)length >= sizeof(table->path))
        return fail(parquet, strerror(ENAMETOOLONG));
    /* Cap: all of a table. */
    while (table->columns < MOST_COLUMNS && kinds[number].columns[table->columns].name)
        table->columns++;
    table->file = new_file_beside(table->path, table->beside);
    struct cli_buffer magic = {.bytes = NULL};
    put(&magic, "PAR1", 4);
    bool is_open = table->file ? write_out(parquet, table, &magic) : fail(parquet, strerror(errno));
    cli_buffer_deinit(&magic);
    return is_open;
}

struct parquet *parquet_open(const char *folder, const char **problem_ret) {
    struct parquet *parquet = calloc(1, sizeof(*parquet));
    *problem_ret = no_memory;
    if (!parquet)
        return NULL;
    bool is_there = !mkdir(folder, 0777) || errno == EEXIST || fail(parquet, strerror(errno));
    /* Cap: all of a table. */
    for (unsigned i = 0; i < KINDS && is_there; i++)
        is_there = open_table(parquet, folder, i);
    *problem_ret = is_there ? NULL : parquet_close(parquet);
    return is_there ? parquet : NULL;
}

static void end_table(struct parquet *parquet, struct table *table, const struct kind *kind) {
    if (!table->file)
        return;
    bool is_whole = !parquet->problem && write_group(parquet, table, kind) &&
                    write_footer(parquet, table, kind);
    if (fclose(table->file) && is_whole)
        is_whole = fail(parquet, strerror(errno));
    if (!is_whole)
        new_file_remove(table->beside);
}

const char *parquet_close(struct parquet *parquet) {
    /* Cap: all of a table. */
    for (unsigned i = 0; i < KINDS; i++)
        end_table(parquet, &parquet->tables[i], &kinds[i]);
    /* Cap: all of a table. */
    for (unsigned i = 0; i < KINDS; i++) {
        struct table *table = &parquet->tables[i];
        if (!parquet->problem && rename(table->beside, table->path))
            fail(parquet, strerror(errno));
        if (parquet->problem && table->file)
            new_file_remove(table->beside);
        /* Cap: all of a table. */
        for (unsigned k = 0; k < MOST_COLUMNS; k++) {
            cli_buffer_deinit(&table->values[k].there);
            cli_buffer_deinit(&table->values[k].bytes);
        }
        cli_buffer_deinit(&table->footer);
    }
    const char *problem = parquet->problem;
    free(parquet);
    return problem;
}
