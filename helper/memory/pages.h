/*
 * pages.h - the helper's own memory: pages from the kernel, never the program's heap.
 *
 * Every page given out is on record until it comes back, so that the memory of a question that
 * never returned can still be given back.
 */
#ifndef LOUPE_HELPER_PAGES_H
#define LOUPE_HELPER_PAGES_H

#include "base/arena.h"

#include <stdint.h>

/* Chunk provider for the core. Chunks come zeroed. Small ones that come back are given out again,
 * whole or in pieces, and go back to the kernel when all are reclaimed. */
extern const struct loupe_chunk_ops loupe_pages;

/* Puts pages on record that the caller mapped itself: they are given back with the rest. False when
 * there is no memory for that: they stay the caller's. */
bool loupe_pages_adopt(const void *pages, size_t size);

/* The lowest pages on record in [start, end), which can begin before it. False: there are none. */
bool loupe_pages_find(uintptr_t start, uintptr_t end, uintptr_t *start_ret, uintptr_t *end_ret);

/* Gives back what is still out. */
void loupe_pages_reclaim(void);

/* Pages that are not on record, for what outlives a question. NULL when there are none. */
void *loupe_pages_map(size_t size);
void loupe_pages_unmap(void *pages, size_t size);

#endif
