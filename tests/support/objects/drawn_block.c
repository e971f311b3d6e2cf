#include "drawn_block.h"

enum { HAS_COPY_DISPOSE = 1 << 25 };

/* Writes one word after another. */
static void put_next(struct drawn_heap *heap, loupe_addr *place, uint64_t word) {
    drawn_put_word(heap, *place, word);
    *place += heap->machine.pointer_size;
}

/* The address of a new helper with this name. */
static loupe_addr draw_helper(struct drawn_heap *heap, const char *name) {
    loupe_addr helper = drawn_alloc(heap, 16);
    if (name)
        drawn_symbol_add(heap, name, helper);
    return helper;
}

static uint64_t draw_layout(struct drawn_heap *heap, uint64_t word, const char *bytes) {
    return bytes ? drawn_string(heap, bytes) : word;
}

static loupe_addr draw_descriptor(struct drawn_heap *heap, const struct drawn_block *shape) {
    loupe_addr start = drawn_alloc(heap, 7u * heap->machine.pointer_size);
    loupe_addr place = start;
    put_next(heap, &place, draw_layout(heap, shape->generic_info, shape->generic_bytes));
    loupe_addr descriptor = place;
    put_next(heap, &place, shape->in_descriptor_flags);
    put_next(heap, &place, shape->size);
    if (shape->flags & HAS_COPY_DISPOSE) {
        put_next(heap, &place, draw_helper(heap, shape->copy_name));
        put_next(heap, &place, draw_helper(heap, shape->dispose_name));
    }
    put_next(heap, &place, shape->signature ? drawn_string(heap, shape->signature) : 0);
    put_next(heap, &place, draw_layout(heap, shape->layout, shape->layout_bytes));
    if (shape->descriptor_name)
        drawn_symbol_add(heap, shape->descriptor_name, descriptor);
    return descriptor;
}

loupe_addr drawn_block(struct drawn_heap *heap, const struct drawn_block *shape) {
    unsigned word = heap->machine.pointer_size;
    loupe_addr block = drawn_alloc(heap, shape->size > 64 ? shape->size : 64);
    drawn_put_word(heap, block, shape->isa);
    drawn_put_u32(heap, block + word, shape->flags);
    drawn_put_u32(heap, block + word + 4, shape->reserved);
    drawn_put_word(heap, block + word + 8, shape->invoke);
    drawn_put_word(heap, block + 2 * word + 8, draw_descriptor(heap, shape));
    return block;
}

loupe_addr drawn_byref(struct drawn_heap *heap, const struct drawn_byref *shape) {
    unsigned word = heap->machine.pointer_size;
    loupe_addr byref = drawn_alloc(heap, shape->size > 64 ? shape->size : 64);
    drawn_put_word(heap, byref + word, byref);
    drawn_put_u32(heap, byref + 2 * word, shape->flags);
    drawn_put_u32(heap, byref + 2 * word + 4, shape->size);
    loupe_addr place = byref + 2 * word + 8;
    if (shape->flags & HAS_COPY_DISPOSE) {
        put_next(heap, &place, draw_helper(heap, NULL));
        put_next(heap, &place, draw_helper(heap, NULL));
    }
    if (shape->flags >> 28 == 1)
        put_next(heap, &place, draw_layout(heap, shape->layout, shape->layout_bytes));
    return byref;
}
