/*
 * fix_words.h - what to change, so that a knot is none any more.
 */
#ifndef LOUPE_WATCH_FIX_WORDS_H
#define LOUPE_WATCH_FIX_WORDS_H

#include "phrases.h"

/* Nothing where the answer has no fix of it. */
void watch_add_fixes(const struct watch_phrases *answer, watch_value_at knot);

#endif
