/*
 * numbers.h - arrays of 32-bit numbers, one for each node or edge, as chunks of their own.
 */
#ifndef LOUPE_NUMBERS_H
#define LOUPE_NUMBERS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Arrays with room for one number more than is asked for: none is empty, and some need an end. */
static inline uint32_t *loupe_numbers_get(const struct loupe_chunk_ops *chunks, uint32_t count) {
    return loupe_chunk_get(chunks, ((size_t)count + 1) * sizeof(uint32_t));
}

/* More room for what stands there. False: no memory, and it stays. */
static inline bool loupe_numbers_grow(const struct loupe_chunk_ops *chunks, uint32_t **numbers,
                                      uint32_t count, uint32_t more) {
    uint32_t *grown = loupe_chunk_grow(chunks, *numbers, ((size_t)count + 1) * sizeof(uint32_t),
                                       ((size_t)more + 1) * sizeof(uint32_t));
    if (grown)
        *numbers = grown;
    return grown;
}

static inline void loupe_numbers_put(const struct loupe_chunk_ops *chunks, uint32_t **numbers,
                                     uint32_t count) {
    loupe_chunk_put(chunks, *numbers, ((size_t)count + 1) * sizeof(uint32_t));
    *numbers = NULL;
}

#endif
