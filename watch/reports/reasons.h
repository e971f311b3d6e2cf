/*
 * reasons.h - why objects should be dead, as small numbers.
 */
#ifndef LOUPE_WATCH_REASONS_H
#define LOUPE_WATCH_REASONS_H

#include "objects/expectations.h"

/* The reason of those that nothing but a time was said of: "it was expected to die within 2 s". */
enum { WATCH_REASON_TIME = 0 };

/* The same number for the same words, until the process ends. */
uint16_t watch_reason(const char *words);

/* The words, which may be in dst; delay: what the object was given. */
enum { WATCH_REASON_WORDS = 80 };
const char *watch_reason_words(uint16_t reason, watch_time delay, char dst[WATCH_REASON_WORDS]);

#endif
