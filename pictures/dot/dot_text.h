/*
 * dot_text.h - text inside of the quotes of Graphviz.
 */
#ifndef LOUPE_PICTURES_DOT_TEXT_H
#define LOUPE_PICTURES_DOT_TEXT_H

#include "base/json.h"

/* Where a drawing is written to. The first failure sticks. */
struct dot_writer {
    struct loupe_sink sink;
    enum loupe_status status;
};

void dot_put(struct dot_writer *writer, struct loupe_span text);
void dot_put_string(struct dot_writer *writer, const char *text);
void dot_put_format(struct dot_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Text of the target as a part of a label: what Graphviz takes for an escape or an entity is
 * escaped, and so is what is not seen or rules how other characters are shown. Long texts are cut.
 */
void dot_put_label(struct dot_writer *writer, struct loupe_span text);

#endif
