/* Text that grows in an arena. */
#include "answers/parts/gathered_text.h"

#include <string.h>

enum { LEAST_ROOM = 1024 };

static enum loupe_status gather(void *ctx, const char *bytes, size_t length) {
    struct gathered_text *text = ctx;
    if (length > text->room - text->length) {
        size_t room = 2 * (text->length + length) + LEAST_ROOM;
        char *larger = loupe_arena_alloc(text->arena, room);
        if (!larger)
            return LOUPE_ENOMEM;
        if (text->length)
            memcpy(larger, text->bytes, text->length);
        text->bytes = larger;
        text->room = room;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    return LOUPE_OK;
}

struct loupe_sink gathered_text_sink(struct gathered_text *text) {
    return (struct loupe_sink){gather, text};
}
