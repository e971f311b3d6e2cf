/*
 * ring_words.h - a knot and a ring of it, drawn.
 */
#ifndef LOUPE_WATCH_RING_WORDS_H
#define LOUPE_WATCH_RING_WORDS_H

#include "phrases.h"

/* A ring of 3 objects, leaked: nothing outside keeps it alive */
void watch_add_ring_heading(const struct watch_phrases *answer, watch_value_at knot);
void watch_add_ring(const struct watch_phrases *answer, watch_value_at ring);

#endif
