/*
 * large_cache.h - a shared region as large as a Mac's, of mappings of a file that holds nothing.
 */
#ifndef LOUPE_BOX_LARGE_CACHE_H
#define LOUPE_BOX_LARGE_CACHE_H

#include <stdint.h>

/* Fills size bytes of the shared region, which has begun, with so many mappings. */
void box_large_cache_fill(uint64_t size, unsigned mappings);

#endif
