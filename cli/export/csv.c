/* The tables of export_tables.h as comma-separated values (RFC 4180), a file each in a folder. */
#include "export/tables.h"
#include "shared/new_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

struct csv {
    struct export *export;
    FILE *file;
    bool begins_row;
    const char *table;
};

static void separate(struct csv *csv) {
    if (!csv->begins_row)
        putc(',', csv->file);
    csv->begins_row = false;
}

static void put_integer(void *ctx, int64_t value) {
    struct csv *csv = ctx;
    separate(csv);
    fprintf(csv->file, "%" PRId64, value);
}

/* What a spreadsheet takes for a formula, and calls programs for, is a text behind an apostrophe;
 * bytes that no text has are told as \x1b, so that a terminal does not obey them either. */
static bool is_formula(struct loupe_span text) {
    return text.length && memchr("=+-@", text.bytes[0], 4);
}

static bool is_control(char letter) {
    return (unsigned char)letter < ' ' || letter == 0x7f;
}

/* Always in quotes, so that an empty text is not taken for none. */
static void put_text(void *ctx, struct loupe_span text) {
    struct csv *csv = ctx;
    separate(csv);
    fputs(is_formula(text) ? "\"'" : "\"", csv->file);
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == '"')
            putc('"', csv->file);
        if (is_control(text.bytes[i]))
            fprintf(csv->file, "\\x%02x", (unsigned char)text.bytes[i]);
        else
            putc(text.bytes[i], csv->file);
    }
    putc('"', csv->file);
}

static void put_null(void *ctx) {
    separate(ctx);
}

static enum loupe_status end_row(void *ctx) {
    struct csv *csv = ctx;
    fputs("\r\n", csv->file);
    csv->begins_row = true;
    return LOUPE_OK;
}

static enum loupe_status fail(struct csv *csv) {
    return export_fail(csv->export, LOUPE_EFAULT, "%s.csv: %s", csv->table, strerror(errno));
}

static enum loupe_status begin_table(void *ctx, const struct table *table) {
    struct csv *csv = ctx;
    char path[4096];
    csv->table = table->name;
    if (loupe_format(path, sizeof(path), "%s/%s.csv", csv->export->path, table->name) + 1 ==
        sizeof(path))
        return export_fail(csv->export, LOUPE_EUSAGE, "its name is too long");
    csv->file = new_file(path);
    if (!csv->file)
        return fail(csv);
    csv->begins_row = true;
    for (const struct table_column *column = table->columns; column->name; column++)
        put_text(csv, loupe_span_of(column->name));
    return end_row(csv);
}

static enum loupe_status end_table(void *ctx) {
    struct csv *csv = ctx;
    long size = ftell(csv->file);
    bool failed = ferror(csv->file) != 0;
    FILE *file = csv->file;
    csv->file = NULL;
    if (fclose(file) || failed || size < 0)
        return fail(csv);
    csv->export->size += (uint64_t)size;
    return LOUPE_OK;
}

static enum loupe_status write_csv(struct export *export) {
    struct csv csv = {.export = export};
    struct row_taker taker = {.ctx = &csv,
                              .begin_table = begin_table,
                              .integer = put_integer,
                              .text = put_text,
                              .null = put_null,
                              .end_row = end_row,
                              .end_table = end_table};
    if (mkdir(export->path, 0700) && errno != EEXIST)
        return export_fail(export, LOUPE_EFAULT, "%s", strerror(errno));
    enum loupe_status status = export_rows(export, 1, &taker);
    if (csv.file)
        fclose(csv.file);
    return status;
}

const struct export_format export_csv = {.ending = ".csv", .write = write_csv};
