/*
 * columns.h - cells of text in rows, each column as wide as its widest cell.
 */
#ifndef LOUPE_ANSWERS_COLUMNS_H
#define LOUPE_ANSWERS_COLUMNS_H

#include "answers/lines.h"

enum { ANSWER_MOST_COLUMNS = 8 };

struct answer_columns {
    struct loupe_arena *arena;
    struct loupe_span *cells;
    uint32_t columns, count, room;
    uint32_t shown;   /* of the columns, from the left */
    uint32_t numbers; /* columns as bits, whose cells stand at the right */
    size_t widths[ANSWER_MOST_COLUMNS];
    enum loupe_status status; /* LOUPE_ENOMEM: cells are missing */
};

void answer_columns_init(struct answer_columns *columns, struct loupe_arena *arena, uint32_t count);
/* What has been said on the line, unpainted, becomes the next cell. */
void answer_take_cell(struct answer_columns *columns, struct answer_lines *lines);
/* So does what is said of our own. */
void answer_take_text(struct answer_columns *columns, struct answer_lines *lines, const char *text);
/* Onto the line: a row whose last cell is not padded. */
void answer_say_row(struct answer_lines *lines, const struct answer_columns *columns, uint32_t row);
/* Lines: all rows, indented. */
void answer_say_rows(struct answer_lines *lines, const struct answer_columns *columns);
/* Its characters there. */
size_t answer_row_width(const struct answer_columns *columns, uint32_t row);
uint32_t answer_rows(const struct answer_columns *columns);
struct loupe_span answer_cell(const struct answer_columns *columns, uint32_t row, uint32_t column);

#endif
