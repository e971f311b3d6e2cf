/*
 * symbol_cache.h - symbols that were looked up before, found or not. Every question asks for the
 * same few dozen; the answer changes only when an image is loaded or unloaded.
 *
 * Static memory, from question to question.
 */
#ifndef LOUPE_HELPER_SYMBOL_CACHE_H
#define LOUPE_HELPER_SYMBOL_CACHE_H

#include "base/status.h"

/* Forgets everything unless the images are those of last time, by a hash of which they are and
 * where. */
void loupe_symbol_cache_begin(uint64_t images);

/* False: never asked for. *ret is 0 for a symbol that does not exist. */
bool loupe_symbol_cache_recall(const char *name, loupe_addr *ret);
void loupe_symbol_cache_remember(const char *name, loupe_addr addr);

#endif
