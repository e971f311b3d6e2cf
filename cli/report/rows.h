/*
 * rows.h - answers about one heap as flat rows, a JSON object a line.
 *
 * Rows hold no values of the program unless asked for: what stands in brackets in a path is [*],
 * whoever names a root's thread is left out, and no file is named.
 */
#ifndef LOUPE_REPORT_ROWS_H
#define LOUPE_REPORT_ROWS_H

#include "answers/json_tree.h"
#include "base/json.h"
#include "report/identity.h"

enum { ROWS_MOST_TAGS = 32 };

/* What every row says of the heap that it is about. */
struct row_source {
    struct loupe_sink sink;
    uint64_t heap; /* what it is, by its bytes */
    int64_t time;  /* when it was made, in milliseconds since 1970; INT64_MIN: not known */
    uint32_t input;
    const char *file;                     /* shown with values only */
    const struct heap_identity *identity; /* NULL: none was found */
    const char *const *tags;              /* "key=value" */
    unsigned tag_count;
    bool with_values;
    uint32_t most_classes; /* 0: all */
    struct loupe_arena *arena;
    enum loupe_status status; /* the first failure of the sink */
    uint32_t mistakes;        /* findings that should not be: all but owners */
};

/* "key=value" with a key of letters, digits, and _ or - . */
bool row_is_tag(const char *text);

/* Rows of the answers of `heap`, which is the row of the heap too, `leaks` and `suspects`; the
 * latter knows what of the heap is alive. */
void rows_of_heap(struct row_source *source, const struct json_value *answer,
                  const struct json_value *suspects, const char *format);
void rows_of_leaks(struct row_source *source, const struct json_value *answer);
void rows_of_suspects(struct row_source *source, const struct json_value *answer);
void rows_of_threads(struct row_source *source, const struct json_value *answer);
/* The row of a heap that could not be asked. */
void row_of_error(struct row_source *source, const char *code, struct loupe_span message);

#endif
