#include "shared/table.h"

#include "shared/output.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, GAP = 2 };

static bool is_plain(char c) {
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f;
}

static char *escaped_copy(struct loupe_span text) {
    enum { LONGEST = sizeof("\\xff") }; /* with the end of the text */
    char *copy = malloc(text.length * (LONGEST - 1) + 1);
    char *end = copy;
    if (!copy)
        return NULL;
    for (size_t i = 0; i < text.length; i++) {
        if (is_plain(text.bytes[i]))
            *end++ = text.bytes[i];
        else
            end += snprintf(end, LONGEST, "\\x%02x", (unsigned char)text.bytes[i]);
    }
    *end = '\0';
    return copy;
}

void table_init(struct table *table, unsigned columns, const char *const *headings) {
    *table = (struct table){.columns = columns};
    for (unsigned i = 0; i < columns; i++)
        table_add(table, loupe_span_of(headings[i]));
}

void table_deinit(struct table *table) {
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
}

void table_add(struct table *table, struct loupe_span text) {
    if (table->cell_count == table->cell_capacity) {
        size_t capacity = table->cell_capacity ? table->cell_capacity * 2 : 64;
        char **larger = realloc(table->cells, capacity * sizeof(*larger));
        if (!larger) {
            table->failed = true;
            return;
        }
        table->cells = larger;
        table->cell_capacity = capacity;
    }
    char *copy = escaped_copy(text);
    if (copy)
        table->cells[table->cell_count++] = copy;
    else
        table->failed = true;
}

void table_add_format(struct table *table, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    table_add(table, loupe_span_of(text));
}

static void measure_columns(const struct table *table, size_t *widths) {
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t length = strlen(table->cells[i]);
        if (length > widths[i % table->columns])
            widths[i % table->columns] = length;
    }
}

/* Cells of a row are padded when something follows, so that no line ends in spaces. */
static void print_row(const struct table *table, size_t first, const size_t *widths, FILE *to) {
    size_t padding = INDENT;
    for (unsigned column = 0; column < table->columns; column++) {
        const char *cell = table->cells[first + column];
        size_t length = strlen(cell), rest = widths[column] - length;
        if (table->numbers >> column & 1) {
            padding += rest;
            rest = 0;
        }
        if (length) {
            fprintf(to, "%*s%s", (int)padding, "", cell);
            padding = 0;
        }
        padding += rest + GAP;
    }
    putc('\n', to);
}

bool table_print(const struct table *table) {
    size_t widths[TABLE_MAX_COLUMNS] = {0};
    if (table->failed)
        return false;
    measure_columns(table, widths);
    for (size_t row = 0; row + table->columns <= table->cell_count; row += table->columns)
        print_row(table, row, widths, cli_output());
    return true;
}
