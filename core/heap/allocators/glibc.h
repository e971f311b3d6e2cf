/*
 * glibc.h - glibc's malloc, 2.26 to 2.42 and what is to be 2.43, on 64 bits, as the files of this
 * folder share it.
 *
 * Each arena has heaps, stretches of chunks; the chunk at the end of the last one is its top. The
 * arenas stand in a ring that begins with the main arena, a variable of the library's. What threads
 * keep in caches, and arenas in fast bins, counts as used in the chunks: those lists are walked.
 */
#ifndef LOUPE_HEAP_GLIBC_H
#define LOUPE_HEAP_GLIBC_H

#include "heap/allocators/allocation_scan.h"
#include "runtime/glibc_chunk.h"

/* Where the fields of an arena stand, from its first list on: there they are the same in all. */
enum {
    GLIBC_LISTS = 127, /* heads of lists of free chunks: two words each */
    GLIBC_LIST = 16,
    GLIBC_FAST_BINS = 10,
    GLIBC_FLAGS = 4, /* from the start of an arena */
    GLIBC_FAST_BIN_0 = -96,
    GLIBC_TOP = -16,
    GLIBC_NEXT = GLIBC_LISTS * GLIBC_LIST + 16,
    GLIBC_SYSTEM_MEMORY = GLIBC_NEXT + 24
};

/* What differs by release: where the lists begin, and what an arena has in all. */
struct glibc_release {
    uint32_t lists, arena_size;
    bool has_fast_bins;
    bool adds_when_moved; /* to the bytes of mapped chunks: a header each time that one grows */
};

struct glibc_arena {
    loupe_addr address, lists;
    loupe_addr top;
    uint64_t top_size, system_memory; /* by its own account */
    uint32_t allocator;
    bool is_main;
};

/* A stretch of chunks. */
struct glibc_heap {
    loupe_addr start, end;
    uint32_t arena;
};

/* Memory that could be the cache of a thread. */
struct glibc_cache {
    loupe_addr address;
    uint32_t allocator; /* of its memory */
};

struct glibc {
    struct loupe_allocation_scan *scan;
    struct loupe_memory *memory;
    const struct glibc_release *release;
    struct loupe_vector arenas; /* of struct glibc_arena */
    struct loupe_vector heaps;  /* of struct glibc_heap */
    struct loupe_vector caches; /* of struct glibc_cache */
    struct loupe_range data;    /* of the library, where the main arena was found */
    loupe_addr main_start;      /* of the main heap; 0: it has none */
    uint64_t links_left; /* that may be followed, so that lists which share chunks come to an end */
};

static inline struct glibc_arena *glibc_arena(const struct glibc *glibc, uint32_t number) {
    return loupe_vector_at(&glibc->arenas, number, sizeof(struct glibc_arena));
}
static inline struct glibc_heap *glibc_heap(const struct glibc *glibc, uint32_t number) {
    return loupe_vector_at(&glibc->heaps, number, sizeof(struct glibc_heap));
}
static inline bool glibc_word(const struct glibc *glibc, loupe_addr address, uint64_t *ret) {
    return loupe_memory_read_word(glibc->memory, address, ret) == LOUPE_OK;
}

enum loupe_status glibc_add_heap(struct glibc *glibc, uint32_t arena, loupe_addr start,
                                 loupe_addr end);

/* glibc_arenas.c: all arenas, as allocators, and their heaps by rising address. Without any, this
 * glibc is not at work. */
enum loupe_status glibc_find_arenas(struct glibc *glibc);

enum loupe_status glibc_add_cache(struct glibc *glibc, loupe_addr address, uint32_t allocator);

/* Whether two headers stand there that belong to no chunk and cut off what was the top. */
bool glibc_is_fence(const struct glibc *glibc, loupe_addr address);

/* glibc_parts.c: the heaps of a main arena that has several. */
enum loupe_status glibc_find_parts(struct glibc *glibc, uint32_t number);

/* glibc_chunks.c: the chunks of all heaps that count as used, and what could be caches of threads.
 */
enum loupe_status glibc_walk_heaps(struct glibc *glibc);

/* glibc_mapped.c: the chunks that are mapped by themselves. */
enum loupe_status glibc_find_mapped(struct glibc *glibc);

/* glibc_lists.c: what is in caches and fast bins, as freed. */
enum loupe_status glibc_walk_lists(struct glibc *glibc);

#endif
