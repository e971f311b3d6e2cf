/*
 * drawn_heap.h - target memory that a test draws: regions of bytes at chosen addresses, symbols,
 * pages that cannot be read, a reader that fails on demand. Classes and objects are drawn on top of
 * it (drawn_objects.h), bytes and words here.
 *
 * Fixed limits, checked: a drawing that does not fit ends the test program.
 */
#ifndef LOUPE_TESTS_DRAWN_HEAP_H
#define LOUPE_TESTS_DRAWN_HEAP_H

#include "base/target/memory.h"

enum { DRAWN_MAX_REGIONS = 64, DRAWN_MAX_SYMBOLS = 512 };

struct drawn_region {
    loupe_addr start;
    size_t size;
    uint8_t *bytes;
};

struct drawn_symbol {
    const char *name; /* the test's, not copied */
    loupe_addr address;
};

struct drawn_heap {
    struct loupe_machine machine;
    struct drawn_region regions[DRAWN_MAX_REGIONS];
    unsigned region_count;
    struct drawn_symbol symbols[DRAWN_MAX_SYMBOLS];
    unsigned symbol_count;
    loupe_addr next;     /* where drawn_alloc() puts the next thing */
    size_t alignment;    /* of what drawn_alloc() gives; a page's: each thing on pages of its own */
    uint64_t reads;      /* reads so far */
    uint64_t fail_at;    /* the read (counted from 1) that fails, and all after it; 0: none */
    loupe_addr bad_page; /* a page that cannot be read; 0: none */
    uint64_t address_mask; /* the bits of an address, the others are its signature; 0: no such */
    bool tells_regions;    /* set before drawn_memory(): the reader knows where regions are */
    /* Set before drawn_memory(): what it consists of (drawn_process.h); NULL: nobody knows. */
    const struct loupe_process_ops *process;
    struct loupe_reader_ops ops; /* as drawn_memory() makes it */
};

/* A heap with one region of 1 MB at 0x10000, where drawn_alloc() puts things. */
void drawn_heap_init(struct drawn_heap *heap, uint8_t pointer_size);
void drawn_heap_deinit(struct drawn_heap *heap);

/* One more region, zeroed. Its bytes, for tests that fill it whole. */
uint8_t *drawn_region_add(struct drawn_heap *heap, loupe_addr start, size_t size);

/* Room in the first region, zeroed, aligned to 16 bytes or what heap->alignment says. */
loupe_addr drawn_alloc(struct drawn_heap *heap, size_t size);
loupe_addr drawn_bytes(struct drawn_heap *heap, const void *bytes, size_t size);
loupe_addr drawn_string(struct drawn_heap *heap, const char *text); /* with its NUL */

/* Copies drawn memory out, whatever the reader is told to fail at. */
void drawn_get(const struct drawn_heap *heap, loupe_addr addr, void *dst, size_t size);
/* Overwrites drawn memory. */
void drawn_put(struct drawn_heap *heap, loupe_addr addr, const void *bytes, size_t size);
void drawn_put_u32(struct drawn_heap *heap, loupe_addr addr, uint32_t value);
void drawn_put_word(struct drawn_heap *heap, loupe_addr addr, uint64_t value);

void drawn_symbol_add(struct drawn_heap *heap, const char *name, loupe_addr addr);

/* A memory over the heap. The caller deinits it. */
void drawn_memory(struct drawn_heap *heap, struct loupe_memory *ret);

/* malloc as chunk provider, and one that fails: from the n-th get on (counted from 1). */
extern const struct loupe_chunk_ops drawn_chunks;
struct drawn_failing_chunks {
    uint64_t gets, fail_at;
    int64_t outstanding; /* chunks not given back */
};
struct loupe_chunk_ops drawn_failing_chunk_ops(struct drawn_failing_chunks *state);

/*
 * An arena with room for so many bytes and no more, so that each allocation can be the one that
 * fails. chunks and state are filled in; all three are the caller's. room < 65000.
 */
struct loupe_arena;
void drawn_tight_arena(struct loupe_arena *arena, struct loupe_chunk_ops *chunks,
                       struct drawn_failing_chunks *state, size_t room);

/* A sink that collects text in a NUL-ended buffer; free(text) is the caller's. */
struct drawn_text {
    char *text;
    size_t length, capacity;
};
struct loupe_sink;
struct loupe_sink drawn_text_sink(struct drawn_text *text);

#endif
