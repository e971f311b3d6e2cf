/*
 * buffer.h - text in memory that grows as it is written.
 */
#ifndef LOUPE_CLI_BUFFER_H
#define LOUPE_CLI_BUFFER_H

#include "base/json.h"

struct cli_buffer {
    char *bytes;
    size_t length, capacity;
    size_t most;       /* bytes that it takes; 0: all */
    bool is_too_large; /* there were more: LOUPE_ENOMEM, too */
};

struct loupe_sink cli_buffer_sink(struct cli_buffer *buffer);
struct loupe_span cli_buffer_text(const struct cli_buffer *buffer);
void cli_buffer_deinit(struct cli_buffer *buffer);

#endif
