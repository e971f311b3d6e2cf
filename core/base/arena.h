/*
 * arena.h - all memory of one question, given back at once.
 *
 * The core has no heap of its own. Hosts hand out chunks: malloc in the plugin, mmap in the helper
 * (which may run while the target's malloc is locked), a provider that fails in tests. Everything
 * that an analysis makes lives in an arena until loupe_arena_deinit(), the only free; results
 * point into it and say so. Tables too large for that (graph arrays, maps) take and give back
 * chunks themselves.
 */
#ifndef LOUPE_ARENA_H
#define LOUPE_ARENA_H

#include "base/text.h"

#include <stddef.h>

struct loupe_chunk_ops {
    /* Memory aligned to 16 bytes, zeroed or not; NULL when there is none. size > 0. */
    void *(*get)(void *ctx, size_t size);
    /* Takes back what get() returned, with the same size. */
    void (*put)(void *ctx, void *chunk, size_t size);
    void *ctx;
    /* Gives what get() returned another size, and perhaps another place: pages that are there need
     * not be made again. NULL when it cannot, and the chunk stays. Itself NULL where no chunk can.
     */
    void *(*resize)(void *ctx, void *chunk, size_t size, size_t wanted);
};

void *loupe_chunk_get(const struct loupe_chunk_ops *chunks, size_t size);
void loupe_chunk_put(const struct loupe_chunk_ops *chunks, void *chunk, size_t size);
/* A larger one with what stands in it, which may be NULL; NULL: no memory, and it stays. */
void *loupe_chunk_grow(const struct loupe_chunk_ops *chunks, void *chunk, size_t size,
                       size_t larger);
/* One of another size in place of a chunk (or of NULL) whose contents are of no use any more: it is
 * resized, or goes back before. NULL: there is no memory, and the old one went back. */
void *loupe_chunk_exchange(const struct loupe_chunk_ops *chunks, void *chunk, size_t size,
                           size_t wanted);

/*
 * A hint to the processor that memory of ours is about to be read. Never a fault. GCC 12
 * takes a function that gives only hints for one without any effect, and drops the calls of it; the
 * empty assembly is an effect.
 */
static inline void loupe_prefetch(const void *address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
    __asm__ volatile("");
#else
    (void)address;
#endif
}

struct loupe_arena {
    const struct loupe_chunk_ops *chunks;
    struct loupe_arena_chunk *last;
    size_t used;  /* bytes taken from the last chunk */
    size_t total; /* bytes of all chunks, for budgets and reports */
};

void loupe_arena_init(struct loupe_arena *arena, const struct loupe_chunk_ops *chunks);
void loupe_arena_deinit(struct loupe_arena *arena);

/* Zeroed memory aligned to 16 bytes, or NULL. size 0 gives a valid pointer to nothing. */
void *loupe_arena_alloc(struct loupe_arena *arena, size_t size);
/* The same for count elements; NULL also when count * size overflows. */
void *loupe_arena_alloc_array(struct loupe_arena *arena, size_t count, size_t size);
/*
 * An array in the arena with room for one more element: items itself while count < *capacity, else
 * a copy of twice the capacity (the old one stays in the arena until its end). NULL: no memory.
 */
void *loupe_arena_grow(struct loupe_arena *arena, void *items, uint32_t count, uint32_t *capacity,
                       size_t size);
/* A copy that ends in a NUL, or NULL. */
char *loupe_arena_copy_string(struct loupe_arena *arena, struct loupe_span span);

#endif
