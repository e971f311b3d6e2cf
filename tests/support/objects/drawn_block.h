/*
 * drawn_block.h - blocks and __block variables in a drawn heap.
 *
 *     loupe_addr block = drawn_block(&heap, &(struct drawn_block){
 *         .flags = 0xc2000000, .size = 48, .layout = 0x101,
 *         .descriptor_name = "__block_descriptor_48_e8_32s40w_e5_v8\x01?0l"});
 *     drawn_put_word(&heap, block + 32, captured);
 */
#ifndef LOUPE_TESTS_DRAWN_BLOCK_H
#define LOUPE_TESTS_DRAWN_BLOCK_H

#include "memory/drawn_heap.h"

/* What is 0 or NULL is left out, or 0. The descriptor is a large one. */
struct drawn_block {
    loupe_addr isa;
    uint32_t flags;
    uint32_t reserved;
    loupe_addr invoke;
    uint32_t size;
    const char *signature;
    uint64_t layout;          /* an inline layout word */
    const char *layout_bytes; /* a layout string; overrides layout */
    /* Symbols of the descriptor and the helpers. The test's, not copied. */
    const char *descriptor_name;
    const char *copy_name;
    const char *dispose_name;
    uint64_t in_descriptor_flags;
    uint64_t generic_info;     /* the inline form */
    const char *generic_bytes; /* the string form; overrides generic_info */
};

/* The address of a block of this shape, with zeroed captures. */
loupe_addr drawn_block(struct drawn_heap *heap, const struct drawn_block *shape);

/* A __block variable with its forwarding to itself; the variable's bytes are zeroed. Helpers and
 * the layout word are there if the flags say so. */
struct drawn_byref {
    uint32_t flags;
    uint32_t size;
    uint64_t layout;
    const char *layout_bytes; /* overrides layout */
};
loupe_addr drawn_byref(struct drawn_heap *heap, const struct drawn_byref *shape);

#endif
