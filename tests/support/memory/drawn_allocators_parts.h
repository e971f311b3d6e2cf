/*
 * drawn_allocators_parts.h - what the drawings of allocators share.
 */
#ifndef LOUPE_TESTS_DRAWN_ALLOCATORS_PARTS_H
#define LOUPE_TESTS_DRAWN_ALLOCATORS_PARTS_H

#include "drawn_allocators.h"

#include <stdlib.h>

static inline void add(struct drawn_allocators *drawn, loupe_addr start, uint64_t size) {
    if (drawn->count == DRAWN_MAX_BLOCKS)
        abort();
    drawn->starts[drawn->count] = start;
    drawn->sizes[drawn->count++] = size;
}

static inline void begin(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    drawn->heap = heap;
    drawn->count = 0;
    drawn_process_init(heap);
}

static inline void add_memory(struct drawn_heap *heap, loupe_addr start, size_t size) {
    drawn_region_add(heap, start, size);
    drawn_process_region(start, start + size);
}

static inline void put_half(struct drawn_heap *heap, loupe_addr address, uint16_t value) {
    drawn_put(heap, address, &value, sizeof(value));
}

#endif
