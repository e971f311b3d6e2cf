#include "shared/buffer.h"

#include <stdlib.h>
#include <string.h>

static enum loupe_status add(void *ctx, const char *bytes, size_t length) {
    struct cli_buffer *buffer = ctx;
    buffer->is_too_large |= buffer->most && length > buffer->most - buffer->length;
    if (buffer->is_too_large)
        return LOUPE_ENOMEM;
    if (buffer->capacity - buffer->length < length) {
        size_t capacity = 2 * (buffer->length + length);
        char *grown = realloc(buffer->bytes, capacity);
        if (!grown)
            return LOUPE_ENOMEM;
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }
    if (length)
        memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    return LOUPE_OK;
}

struct loupe_sink cli_buffer_sink(struct cli_buffer *buffer) {
    return (struct loupe_sink){.write = add, .ctx = buffer};
}

struct loupe_span cli_buffer_text(const struct cli_buffer *buffer) {
    return (struct loupe_span){buffer->bytes, buffer->length};
}

void cli_buffer_deinit(struct cli_buffer *buffer) {
    free(buffer->bytes);
    *buffer = (struct cli_buffer){.bytes = NULL};
}
