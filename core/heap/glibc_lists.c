/*
 * Lists whose chunks count as used: fast bins of arenas, and what threads keep for themselves. A
 * cache is a block like any other, in memory of the thread's; it is told by its lists, all of whose
 * chunks have exactly the size of the list.
 */
#include "heap/glibc.h"

enum { CACHE_LISTS = 64, CACHE_ENTRIES = 128, SIZE_STEP = 16 };

/* A list as it is walked: by memory or by header, and how each link was stored. */
struct list {
    const struct glibc *glibc;
    uint64_t size;      /* of its chunks */
    uint32_t to_header; /* bytes back from where a link leads to a header */
};

/* The link that stands in a chunk; since 2.32 mixed with its place. False: it leads nowhere. */
static bool next_of(const struct list *list, loupe_addr chunk, loupe_addr *ret) {
    struct loupe_glibc_chunk next;
    uint64_t link;
    loupe_addr place = chunk + LOUPE_GLIBC_HEADER;
    if (!glibc_word(list->glibc, place, &link))
        return false;
    const loupe_addr ways[] = {loupe_glibc_unmixed(place, link), link};
    for (unsigned i = 0; i < 2; i++) {
        if (!ways[i]) {
            *ret = 0;
            return true;
        }
        if (loupe_glibc_chunk_read(list->glibc->memory, ways[i] - list->to_header, &next) &&
            next.size == list->size) {
            *ret = next.address;
            return true;
        }
    }
    return false;
}

/* The chunks of a list from one on; false where it does not end as lists do. */
static bool length_of(const struct list *list, loupe_addr first, uint32_t most, uint32_t *ret) {
    struct loupe_glibc_chunk chunk;
    uint32_t length = 0;
    if (first &&
        (!loupe_glibc_chunk_read(list->glibc->memory, first, &chunk) || chunk.size != list->size))
        return false;
    for (; first && length <= most; length++)
        if (!next_of(list, first, &first))
            return false;
    *ret = length;
    return length <= most;
}

static enum loupe_status add_list(const struct list *list, loupe_addr first, uint32_t length) {
    enum loupe_status status = LOUPE_OK;
    for (; !status && length--;) {
        status = loupe_taking_add_freed(list->glibc->taking, first + LOUPE_GLIBC_HEADER);
        if (!next_of(list, first, &first))
            break;
    }
    return status;
}

/* ---- Caches of threads, up to 2.41 ---- */

struct cache {
    uint16_t counts[CACHE_LISTS];
    loupe_addr entries[CACHE_LISTS];
};

static struct list list_of_cache(const struct glibc *glibc, unsigned number) {
    return (struct list){.glibc = glibc,
                         .size = LOUPE_GLIBC_SMALLEST + SIZE_STEP * (uint64_t)number,
                         .to_header = LOUPE_GLIBC_HEADER};
}

static bool read_cache(const struct glibc *glibc, loupe_addr address, struct cache *ret) {
    return !loupe_memory_read(glibc->memory, address, ret->counts, sizeof(ret->counts)) &&
           !loupe_memory_read(glibc->memory, address + sizeof(ret->counts), ret->entries,
                              sizeof(ret->entries));
}

static bool is_cache(const struct glibc *glibc, const struct cache *cache) {
    for (unsigned i = 0; i < CACHE_LISTS; i++) {
        struct list list = list_of_cache(glibc, i);
        uint32_t length;
        loupe_addr first = cache->entries[i] ? cache->entries[i] - LOUPE_GLIBC_HEADER : 0;
        if (!length_of(&list, first, cache->counts[i], &length) || length != cache->counts[i])
            return false;
    }
    return true;
}

/* An empty one is nothing but zeros, as much else is. */
static bool is_in_use(const struct cache *cache) {
    for (unsigned i = 0; i < CACHE_LISTS; i++)
        if (cache->counts[i])
            return true;
    return false;
}

static enum loupe_status take_cache(struct glibc *glibc, loupe_addr address) {
    struct cache cache;
    if (!read_cache(glibc, address, &cache) || !is_cache(glibc, &cache))
        return LOUPE_OK;
    enum loupe_status status =
        is_in_use(&cache) ? loupe_taking_add_own(glibc->taking, address) : LOUPE_OK;
    for (unsigned i = 0; !status && i < CACHE_LISTS; i++) {
        struct list list = list_of_cache(glibc, i);
        if (cache.counts[i])
            status = add_list(&list, cache.entries[i] - LOUPE_GLIBC_HEADER, cache.counts[i]);
    }
    return status;
}

/* ---- Fast bins ---- */

static enum loupe_status take_fast_bins(struct glibc *glibc, const struct glibc_arena *arena) {
    enum loupe_status status = LOUPE_OK;
    for (unsigned i = 0; !status && i < GLIBC_FAST_BINS; i++) {
        struct list list = {.glibc = glibc, .size = LOUPE_GLIBC_SMALLEST + SIZE_STEP * (uint64_t)i};
        loupe_addr first;
        uint32_t length;
        if (glibc_word(glibc, arena->lists + (loupe_addr)GLIBC_FAST_BIN_0 + 8 * i, &first) &&
            length_of(&list, first, LOUPE_MAX_BLOCKS, &length))
            status = add_list(&list, first, length);
        else
            loupe_taking_damage(glibc->taking, arena->allocator,
                                arena->lists + (loupe_addr)GLIBC_FAST_BIN_0 + 8 * i,
                                "a list of free chunks does not end");
    }
    return status;
}

enum loupe_status glibc_walk_lists(struct glibc *glibc) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < glibc->caches.count; i++) {
        const loupe_addr *cache = loupe_vector_at(&glibc->caches, i, sizeof(loupe_addr));
        status = take_cache(glibc, *cache);
    }
    for (uint32_t i = 0; !status && glibc->release && i < glibc->arenas.count; i++)
        if (glibc->release->has_fast_bins)
            status = take_fast_bins(glibc, glibc_arena(glibc, i));
    return status;
}
