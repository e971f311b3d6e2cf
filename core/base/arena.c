#include "base/arena.h"

#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 16, MIN_CHUNK = 64 * 1024 };

struct loupe_arena_chunk {
    struct loupe_arena_chunk *previous;
    size_t size; /* with this header */
};

/* Rounded up, so that what follows the header stays aligned. */
enum { HEADER_SIZE = (sizeof(struct loupe_arena_chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

void *loupe_chunk_get(const struct loupe_chunk_ops *chunks, size_t size) {
    return chunks->get(chunks->ctx, size);
}

void loupe_chunk_put(const struct loupe_chunk_ops *chunks, void *chunk, size_t size) {
    if (chunk)
        chunks->put(chunks->ctx, chunk, size);
}

static void *resize(const struct loupe_chunk_ops *chunks, void *chunk, size_t size, size_t wanted) {
    return chunk && chunks->resize ? chunks->resize(chunks->ctx, chunk, size, wanted) : NULL;
}

void *loupe_chunk_grow(const struct loupe_chunk_ops *chunks, void *chunk, size_t size,
                       size_t larger) {
    void *grown = resize(chunks, chunk, size, larger);
    if (grown)
        return grown;
    grown = loupe_chunk_get(chunks, larger);
    if (grown && chunk) {
        memcpy(grown, chunk, size);
        loupe_chunk_put(chunks, chunk, size);
    }
    return grown;
}

void *loupe_chunk_exchange(const struct loupe_chunk_ops *chunks, void *chunk, size_t size,
                           size_t wanted) {
    enum { MAY_BE_COPIED = 1 << 25 }; /* by realloc(), unless the kernel has mapped it by itself */
    void *resized = size < MAY_BE_COPIED ? NULL : resize(chunks, chunk, size, wanted);
    if (resized)
        return resized;
    loupe_chunk_put(chunks, chunk, size);
    return loupe_chunk_get(chunks, wanted);
}

void loupe_arena_init(struct loupe_arena *arena, const struct loupe_chunk_ops *chunks) {
    *arena = (struct loupe_arena){.chunks = chunks};
}

void loupe_arena_deinit(struct loupe_arena *arena) {
    struct loupe_arena_chunk *chunk = arena->last;
    while (chunk) {
        struct loupe_arena_chunk *previous = chunk->previous;
        loupe_chunk_put(arena->chunks, chunk, chunk->size);
        chunk = previous;
    }
    loupe_arena_init(arena, arena->chunks);
}

static bool add_chunk(struct loupe_arena *arena, size_t room) {
    size_t size = room + HEADER_SIZE < MIN_CHUNK ? MIN_CHUNK : room + HEADER_SIZE;
    struct loupe_arena_chunk *chunk = loupe_chunk_get(arena->chunks, size);
    if (!chunk)
        return false;
    *chunk = (struct loupe_arena_chunk){.previous = arena->last, .size = size};
    arena->last = chunk;
    arena->used = HEADER_SIZE;
    arena->total += size;
    return true;
}

void *loupe_arena_alloc(struct loupe_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2)
        return NULL;
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if ((!arena->last || arena->last->size - arena->used < rounded) && !add_chunk(arena, rounded))
        return NULL;
    uint8_t *place = (uint8_t *)arena->last + arena->used;
    arena->used += rounded;
    memset(place, 0, rounded);
    return place;
}

void *loupe_arena_alloc_array(struct loupe_arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size)
        return NULL;
    return loupe_arena_alloc(arena, count * size);
}

void *loupe_arena_grow(struct loupe_arena *arena, void *items, uint32_t count, uint32_t *capacity,
                       size_t size) {
    if (count < *capacity)
        return items;
    uint32_t larger = *capacity ? *capacity * 2 : 8;
    if (larger <= *capacity)
        return NULL;
    void *copy = loupe_arena_alloc_array(arena, larger, size);
    if (!copy)
        return NULL;
    if (count)
        memcpy(copy, items, count * size);
    *capacity = larger;
    return copy;
}

char *loupe_arena_copy_string(struct loupe_arena *arena, struct loupe_span span) {
    char *copy = loupe_arena_alloc(arena, span.length + 1);
    if (copy && span.length)
        memcpy(copy, span.bytes, span.length);
    return copy;
}
