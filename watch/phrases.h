/*
 * phrases.h - the pieces that all sentences about an answer are made of: objects and references by
 * name.
 */
#ifndef LOUPE_WATCH_PHRASES_H
#define LOUPE_WATCH_PHRASES_H

#include "answer.h"
#include "text_out.h"

enum { WATCH_NAME = 160 };

struct watch_style {
    const char *top, *side, *bottom, *gap, *arrow, *bullet;
};

/* One answer of the helper's, and where words about it go. */
struct watch_phrases {
    watch_value_at root, objects;
    const struct watch_style *style;
    struct watch_text *out;
};

watch_value_at watch_thing_at(const struct watch_phrases *answer, watch_value_at address);
bool watch_is_block(watch_value_at thing);

/* Each returns dst, or a constant. */
const char *watch_class_of(watch_value_at thing, char *dst, size_t cap);
const char *watch_path_of(watch_value_at edge, char *dst, size_t cap);
const char *watch_kind_of(watch_value_at edge, char *dst, size_t cap);

/* PhotoCell 0x1f00; in full a block with the method that it is in. */
void watch_add_thing(const struct watch_phrases *answer, watch_value_at address, bool in_full);

/* How many elements an array has. */
uint32_t watch_count_elements(watch_value_at array);

#endif
