/*
 * buffer.h - text in memory that grows as it is written.
 */
#ifndef LOUPE_SERVE_BUFFER_H
#define LOUPE_SERVE_BUFFER_H

#include "base/json.h"

struct serve_buffer {
    char *bytes;
    size_t length, capacity;
};

struct loupe_sink serve_buffer_sink(struct serve_buffer *buffer);
struct loupe_span serve_buffer_text(const struct serve_buffer *buffer);
void serve_buffer_deinit(struct serve_buffer *buffer);

#endif
