/* The chunks of a heap, one behind the other, from its start to its top or its end. */
#include "heap/allocators/glibc.h"

enum {
    CHAIN = 8, /* chunks that have to follow one another where the walk goes on behind damage */
    SMALLEST_CACHE = 0x250,
    LARGEST_CACHE = 0x310
};

struct chunks {
    struct glibc *glibc;
    const struct glibc_arena *arena;
    struct glibc_heap heap;
    loupe_addr at;
};

static bool is_chunk_of(const struct chunks *chunks, const struct loupe_glibc_chunk *chunk) {
    return !(chunk->flags & LOUPE_GLIBC_MAPPED) && chunk->size <= chunks->heap.end - chunk->address;
}

static enum loupe_status add_used(struct chunks *chunks, const struct loupe_glibc_chunk *chunk) {
    struct glibc *glibc = chunks->glibc;
    loupe_addr memory = chunk->address + LOUPE_GLIBC_HEADER;
    enum loupe_status status = LOUPE_OK;
    if (chunk->size >= SMALLEST_CACHE && chunk->size <= LARGEST_CACHE)
        status = glibc_add_cache(glibc, memory, chunks->arena->allocator);
    if (status)
        return status;
    return loupe_allocation_scan_add(glibc->scan, memory, chunk->size - LOUPE_GLIBC_WORD,
                                     chunks->arena->allocator);
}

static void count_free(const struct chunks *chunks, uint64_t bytes) {
    struct loupe_allocator *allocator =
        loupe_allocation_scan_at(chunks->glibc->scan, chunks->arena->allocator);
    allocator->free_blocks++;
    allocator->free_bytes += bytes;
}

/*
 * Where a heap came to its end, its last top was cut off by two headers that belong to no chunk; a
 * rest too small for a chunk stays before them. In the main arena more of it may follow, where
 * somebody else has moved the end of the program's data.
 */
static bool is_fence(const struct chunks *chunks, loupe_addr at, uint64_t *bytes) {
    uint64_t word, left = chunks->heap.end - at;
    *bytes = chunks->arena->is_main ? 2 * LOUPE_GLIBC_HEADER : left;
    if (chunks->arena->is_main)
        return glibc_is_fence(chunks->glibc, at);
    if (left > 3 * LOUPE_GLIBC_HEADER || at == chunks->arena->top ||
        !glibc_word(chunks->glibc, at + LOUPE_GLIBC_WORD, &word))
        return false;
    return (word & ~(uint64_t)LOUPE_GLIBC_FLAGS) == left - LOUPE_GLIBC_HEADER &&
           !(word & LOUPE_GLIBC_OTHER_ARENA);
}

/* Whether a walk can go on at an address: chunks follow, as many as are enough or all there are. */
static bool is_chain(const struct chunks *chunks, loupe_addr address) {
    struct loupe_glibc_chunk chunk;
    /* Cap: enough to believe it. */
    for (unsigned i = 0; i < CHAIN && address < chunks->heap.end; i++, address += chunk.size) {
        uint64_t fence;
        if (i && is_fence(chunks, address, &fence))
            return true;
        if (!loupe_glibc_chunk_read(chunks->glibc->memory, address, &chunk) ||
            !is_chunk_of(chunks, &chunk))
            return false;
        if (address == chunks->arena->top)
            return true;
    }
    return true;
}

/* Where chunks go on, from here on, over pages that nothing can stand in. */
static enum loupe_status find_chain(struct chunks *chunks) {
    loupe_addr looked_at = UINT64_MAX; /* page */
    for (uint64_t step = 0; chunks->at < chunks->heap.end; step++) {
        if (chunks->at / LOUPE_PAGE_SIZE != looked_at) {
            chunks->at = loupe_allocation_scan_next_writable(chunks->glibc->scan, chunks->at);
            looked_at = chunks->at / LOUPE_PAGE_SIZE;
        }
        if (loupe_memory_ends_at(chunks->glibc->memory, step))
            return LOUPE_ETIMEOUT;
        if (chunks->at >= chunks->heap.end || is_chain(chunks, chunks->at))
            break;
        chunks->at += LOUPE_GLIBC_HEADER;
    }
    return LOUPE_OK;
}

/* Behind what makes no sense. What is left out until there is not known. */
static enum loupe_status skip_damage(struct chunks *chunks) {
    loupe_allocation_scan_damage(chunks->glibc->scan, chunks->arena->allocator, chunks->at,
                                 "some of its chunks do not follow one another");
    chunks->at += LOUPE_GLIBC_HEADER;
    return find_chain(chunks);
}

/* Where a header stands is in the one before: what a processor sees too late to fetch it. */
static void fetch_ahead(const struct chunks *chunks) {
    enum { BYTES_AHEAD = 1024 };
    const uint8_t *bytes = loupe_memory_peek(chunks->glibc->memory, chunks->at + BYTES_AHEAD, 1);
    if (bytes)
        loupe_prefetch(bytes);
}

static enum loupe_status take_chunk(struct chunks *chunks) {
    struct loupe_memory *memory = chunks->glibc->memory;
    struct loupe_glibc_chunk chunk;
    uint64_t next, fence;
    fetch_ahead(chunks);
    if (is_fence(chunks, chunks->at, &fence)) {
        chunks->at += fence;
        return find_chain(chunks);
    }
    if (!loupe_glibc_chunk_read(memory, chunks->at, &chunk) || !is_chunk_of(chunks, &chunk))
        return skip_damage(chunks);
    chunks->at += chunk.size;
    if (chunk.address == chunks->arena->top) {
        loupe_allocation_scan_at(chunks->glibc->scan, chunks->arena->allocator)->free_bytes +=
            chunk.size;
        return LOUPE_OK;
    }
    if (!glibc_word(chunks->glibc, chunks->at + LOUPE_GLIBC_WORD, &next))
        return skip_damage(chunks);
    if (next & LOUPE_GLIBC_FOLLOWS_USED)
        return add_used(chunks, &chunk);
    if (!glibc_word(chunks->glibc, chunks->at, &next) || next != chunk.size) {
        loupe_allocation_scan_damage(chunks->glibc->scan, chunks->arena->allocator, chunks->at,
                                     "a chunk is free by one header and used by another");
        return add_used(chunks, &chunk);
    }
    count_free(chunks, chunk.size);
    return LOUPE_OK;
}

enum loupe_status glibc_walk_heaps(struct glibc *glibc) {
    enum loupe_status status = LOUPE_OK;
    uint64_t step = 0;
    for (uint32_t i = 0; !status && i < glibc->heaps.count; i++) {
        struct chunks chunks = {.glibc = glibc, .heap = *glibc_heap(glibc, i)};
        chunks.arena = glibc_arena(glibc, chunks.heap.arena);
        status = loupe_ranges_add(&glibc->scan->explained, chunks.heap.start, chunks.heap.end);
        for (chunks.at = chunks.heap.start; !status && chunks.at < chunks.heap.end;)
            status =
                loupe_memory_ends_at(glibc->memory, step++) ? LOUPE_ETIMEOUT : take_chunk(&chunks);
    }
    return status;
}
