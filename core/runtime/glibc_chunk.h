/*
 * glibc_chunk.h - how a chunk of glibc's malloc stands in memory, on 64 bits.
 *
 * A chunk: the size of the one before it, if that counts as free; its own size with flags; then the
 * memory that malloc() gave, which reaches into the first word of the next chunk. In a free one the
 * first words of that memory link it. Whether a chunk counts as free is a flag of the next one;
 * those in caches of threads and in fast bins count as used.
 */
#ifndef LOUPE_GLIBC_CHUNK_H
#define LOUPE_GLIBC_CHUNK_H

#include "base/target/memory.h"

enum {
    LOUPE_GLIBC_WORD = 8,
    LOUPE_GLIBC_HEADER = 2 * LOUPE_GLIBC_WORD,
    LOUPE_GLIBC_SMALLEST = 4 * LOUPE_GLIBC_WORD
};

enum loupe_glibc_flag {
    LOUPE_GLIBC_FOLLOWS_USED = 1,
    LOUPE_GLIBC_MAPPED = 2, /* by itself: it is unmapped when it is freed */
    LOUPE_GLIBC_OTHER_ARENA = 4,
    LOUPE_GLIBC_ODD = 8, /* no chunk has it */
    LOUPE_GLIBC_FLAGS = 15
};

struct loupe_glibc_chunk {
    loupe_addr address;
    uint64_t size; /* with its header */
    uint32_t flags;
};

/* The chunk at an address by the word of its size. False: that is too small or too large. */
static inline bool loupe_glibc_chunk_of(loupe_addr address, uint64_t word,
                                        struct loupe_glibc_chunk *ret) {
    ret->address = address;
    ret->size = word & ~(uint64_t)LOUPE_GLIBC_FLAGS;
    ret->flags = (uint32_t)(word & LOUPE_GLIBC_FLAGS);
    return !(ret->flags & LOUPE_GLIBC_ODD) && ret->size >= LOUPE_GLIBC_SMALLEST &&
           ret->size <= UINT64_MAX - address;
}

/* False where no chunk can be: by its address or its size. */
static inline bool loupe_glibc_chunk_read(struct loupe_memory *memory, loupe_addr address,
                                          struct loupe_glibc_chunk *ret) {
    uint64_t word;
    return address % LOUPE_GLIBC_HEADER == 0 &&
           loupe_memory_read_word(memory, address + LOUPE_GLIBC_WORD, &word) == LOUPE_OK &&
           loupe_glibc_chunk_of(address, word, ret);
}

/* One that is mapped by itself: what its own mapping has, and what of that is its user's. */
struct loupe_glibc_mapped {
    loupe_addr mapping;
    uint64_t mapping_size, room;
};

/*
 * Whether a chunk that is mapped by itself begins at an address. It says how far into its mapping
 * it begins, and has the rest; since 2.43 without the last two words, and with a bit for large
 * pages.
 */
static inline bool loupe_glibc_mapped_read(struct loupe_memory *memory, loupe_addr address,
                                           struct loupe_glibc_mapped *ret) {
    enum { PAGE = 4096, LARGE_PAGES = 1 };
    struct loupe_glibc_chunk chunk;
    uint64_t header[2];
    if (address % LOUPE_GLIBC_HEADER ||
        loupe_memory_read_few(memory, address, header, sizeof(header)) != LOUPE_OK ||
        !loupe_glibc_chunk_of(address, header[1], &chunk) || chunk.flags != LOUPE_GLIBC_MAPPED)
        return false;
    uint64_t before = header[0] & ~(uint64_t)LARGE_PAGES;
    if (before > address || (address - before) % PAGE || chunk.size > UINT64_MAX / 2)
        return false;
    uint64_t left_out = (before + chunk.size) % PAGE ? LOUPE_GLIBC_HEADER : 0;
    ret->mapping = address - before;
    ret->mapping_size = before + chunk.size + left_out;
    ret->room = chunk.size - (left_out ? LOUPE_GLIBC_WORD : LOUPE_GLIBC_HEADER);
    return ret->mapping_size % PAGE == 0;
}

/* What a link of a cache or a fast bin that stands at a place says since glibc 2.32. */
static inline loupe_addr loupe_glibc_unmixed(loupe_addr place, uint64_t link) {
    return place >> 12 ^ link;
}

#endif
