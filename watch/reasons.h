/*
 * reasons.h - why objects should die, in words; each kept once.
 */
#ifndef LOUPE_WATCH_REASONS_H
#define LOUPE_WATCH_REASONS_H

#include <stdint.h>

/* Where there is no room for more, reasons are told as one: "for one of many reasons". */
uint16_t watch_reason(const char *words);
const char *watch_reason_words(uint16_t reason);

#endif
