/* Aligned columns. */
#include "answers/columns.h"

#include <string.h>

enum { GAP = 2 };

void answer_columns_init(struct answer_columns *columns, struct loupe_arena *arena,
                         uint32_t count) {
    *columns = (struct answer_columns){.arena = arena, .columns = count, .shown = count};
}

void answer_take_cell(struct answer_columns *columns, struct answer_lines *lines) {
    struct loupe_span text = visible_text(&lines->line);
    size_t *width = &columns->widths[columns->count % columns->columns];
    struct loupe_span *larger = loupe_arena_grow(columns->arena, columns->cells, columns->count,
                                                 &columns->room, sizeof(*larger));
    char *copy = larger ? loupe_arena_alloc(columns->arena, text.length + 1) : NULL;
    lines->line.length = 0;
    if (!copy) {
        columns->status = LOUPE_ENOMEM;
        return;
    }
    memcpy(copy, text.bytes, text.length);
    columns->cells = larger;
    columns->cells[columns->count++] = (struct loupe_span){copy, text.length};
    *width = answer_width(text) > *width ? answer_width(text) : *width;
}

void answer_take_text(struct answer_columns *columns, struct answer_lines *lines,
                      const char *text) {
    answer_say(lines, "%s", text);
    answer_take_cell(columns, lines);
}

uint32_t answer_rows(const struct answer_columns *columns) {
    return columns->count / columns->columns;
}

struct loupe_span answer_cell(const struct answer_columns *columns, uint32_t row, uint32_t column) {
    return columns->cells[row * columns->columns + column];
}

void answer_say_row(struct answer_lines *lines, const struct answer_columns *columns,
                    uint32_t row) {
    size_t padding = 0;
    for (uint32_t column = 0; column < columns->shown; column++) {
        struct loupe_span cell = answer_cell(columns, row, column);
        size_t rest = columns->widths[column] - answer_width(cell);
        if (columns->numbers >> column & 1) {
            padding += rest;
            rest = 0;
        }
        if (cell.length) {
            answer_say_spaces(lines, padding);
            visible_add_text(&lines->line, cell, VISIBLE_ROOM);
            padding = 0;
        }
        padding += rest + GAP;
    }
}

void answer_say_rows(struct answer_lines *lines, const struct answer_columns *columns) {
    for (uint32_t row = 0; row < answer_rows(columns); row++) {
        answer_say(lines, "  ");
        answer_say_row(lines, columns, row);
        answer_end_line(lines);
    }
}

size_t answer_row_width(const struct answer_columns *columns, uint32_t row) {
    size_t end = 0, start = 0;
    for (uint32_t column = 0; column < columns->shown; column++) {
        struct loupe_span cell = answer_cell(columns, row, column);
        end = cell.length ? start + answer_width(cell) : end;
        start += columns->widths[column] + GAP;
    }
    return end;
}
