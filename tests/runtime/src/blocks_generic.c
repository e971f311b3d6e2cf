/*
 * blocks_generic.c - blocks without helpers of their own, whose descriptor says what they own
 * (libclosure-84 and later). Only the inline form: the word before the descriptor counts the
 * captures of each kind, which lie in this order behind the header.
 */
#include "internal.h"
#include <Block.h>

enum {
    /* In the first word of the descriptor, which is otherwise a copy of the flags of the block. */
    GENERIC_HELPER_MASK = 0xc000,
    GENERIC_HELPER_INLINE = 0x8000,
};

OBJC_EXTERN void objc_copyWeak(id *to, id *from);
OBJC_EXTERN void objc_destroyWeak(id *location);

static unsigned nibble(uintptr_t word, unsigned shift) {
    return (word >> shift) & 0xf;
}

/* How many captures of each kind the block owns; all zero if it has helpers or owns nothing. */
struct generic_captures {
    unsigned strong, blocks, byrefs, weak;
};

static struct generic_captures generic_captures(const struct block_literal *block) {
    struct generic_captures none = {0, 0, 0, 0};
    const struct block_descriptor *descriptor = block->descriptor;
    uintptr_t form = descriptor->reserved & GENERIC_HELPER_MASK;
    if (form == 0)
        return none;
    if (form != GENERIC_HELPER_INLINE)
        rt_fatal("block %p: generic helpers of form %#zx", (const void *)block, (size_t)form);
    uintptr_t info = ((const uintptr_t *)descriptor)[-1];
    return (struct generic_captures){nibble(info, 8), nibble(info, 12), nibble(info, 16),
                                     nibble(info, 20)};
}

static void **first_capture(const struct block_literal *block) {
    return (void **)(uintptr_t)(block + 1);
}

void rt_block_copy_generic(struct block_literal *to, const struct block_literal *from) {
    struct generic_captures owned = generic_captures(from);
    void **dst = first_capture(to);
    void **src = first_capture(from);
    for (; owned.strong > 0; owned.strong--)
        _Block_object_assign(dst++, *src++, BLOCK_FIELD_IS_OBJECT);
    for (; owned.blocks > 0; owned.blocks--)
        _Block_object_assign(dst++, *src++, BLOCK_FIELD_IS_BLOCK);
    for (; owned.byrefs > 0; owned.byrefs--)
        _Block_object_assign(dst++, *src++, BLOCK_FIELD_IS_BYREF);
    for (; owned.weak > 0; owned.weak--)
        objc_copyWeak((id *)dst++, (id *)src++);
}

void rt_block_dispose_generic(struct block_literal *block) {
    struct generic_captures owned = generic_captures(block);
    void **slot = first_capture(block);
    for (; owned.strong > 0; owned.strong--)
        _Block_object_dispose(*slot++, BLOCK_FIELD_IS_OBJECT);
    for (; owned.blocks > 0; owned.blocks--)
        _Block_object_dispose(*slot++, BLOCK_FIELD_IS_BLOCK);
    for (; owned.byrefs > 0; owned.byrefs--)
        _Block_object_dispose(*slot++, BLOCK_FIELD_IS_BYREF);
    for (; owned.weak > 0; owned.weak--)
        objc_destroyWeak((id *)slot++);
}
