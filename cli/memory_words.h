/*
 * memory_words.h - what memory without a class is called: by who points to it.
 */
#ifndef LOUPE_CLI_MEMORY_WORDS_H
#define LOUPE_CLI_MEMORY_WORDS_H

#include "analysis/shortest.h"
#include "native_words.h"
#include "snapshot/trace.h"

/*
 * "buffer of _bytes in Frame", "memory of Cache 0x1f00", "memory of cache (static in App.m)": by
 * the last object of its path from a root, else by the root. False: it is no such memory, or has no
 * path.
 */
bool memory_words(const struct loupe_tracer *tracer, const struct loupe_shortest *shortest,
                  uint32_t node, struct words *ret);

#endif
