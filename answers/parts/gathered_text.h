/*
 * gathered_text.h - text that grows in an arena, as a sink.
 */
#ifndef LOUPE_ANSWERS_GATHERED_TEXT_H
#define LOUPE_ANSWERS_GATHERED_TEXT_H

#include "base/arena.h"
#include "base/json.h"

struct gathered_text {
    struct loupe_arena *arena;
    char *bytes;
    size_t length, room;
};

/* Writes behind what is there; LOUPE_ENOMEM. */
struct loupe_sink gathered_text_sink(struct gathered_text *text);

static inline struct loupe_span gathered_text_get(const struct gathered_text *text) {
    return (struct loupe_span){text->bytes, text->length};
}

#endif
