/*
 * class_words.h - classes by the names that programs use.
 */
#ifndef LOUPE_CLASS_WORDS_H
#define LOUPE_CLASS_WORDS_H

#include "base/text.h"

/* "NSTimer" of "__NSCFTimer", and the observed class of one that key-value observing made; else the
 * name itself. The commands in LLDB have the same list (render/words.py). */
struct loupe_span loupe_public_class_name(struct loupe_span name);

/* A whole text by a pattern with '*' for any text. */
bool loupe_text_fits(struct loupe_span text, const char *pattern);
/* A class by such a pattern: its own name, or the one that programs use. */
bool loupe_class_name_matches(struct loupe_span name, const char *pattern);

#endif
