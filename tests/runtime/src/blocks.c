/*
 * blocks.c - copying blocks and __block variables to the heap and releasing them, after
 * libclosure's runtime.cpp. Counts are in the flags, in steps of two; a count that has reached its
 * maximum stays there.
 */
#include "internal.h"
#include <Block.h>

#include <stdlib.h>
#include <string.h>

/* The stack keeps one reference to a __block variable, the block that moved it the other. */
#define BYREF_FIRST_COUNT 4
#define COUNT_ONE         2

OBJC_EXTERN BOOL _Block_tryRetain(const void *block);
OBJC_EXTERN BOOL _Block_isDeallocating(const void *block);
OBJC_EXTERN BOOL _Block_has_signature(void *block);
OBJC_EXTERN BOOL _Block_use_stret(void *block);
OBJC_EXTERN const char *_Block_layout(void *block);

extern void *_NSConcreteMallocBlock[];

static void count_up(volatile uint32_t *flags) {
    uint32_t old = __atomic_load_n(flags, __ATOMIC_RELAXED);
    do {
        if ((old & BLOCK_REFCOUNT_MASK) == BLOCK_REFCOUNT_MASK)
            return;
    } while (!__atomic_compare_exchange_n(flags, &old, old + COUNT_ONE, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
}

/* True if the object must go. It is then marked as deallocating, its count is left at one. */
static bool count_down(volatile uint32_t *flags) {
    uint32_t old = __atomic_load_n(flags, __ATOMIC_RELAXED);
    uint32_t now;
    do {
        uint32_t count = old & BLOCK_REFCOUNT_MASK;
        if (count == BLOCK_REFCOUNT_MASK || count == 0)
            return false;
        bool last = (old & (BLOCK_REFCOUNT_MASK | BLOCK_DEALLOCATING)) == COUNT_ONE;
        now = last ? old - 1 : old - COUNT_ONE;
    } while (
        !__atomic_compare_exchange_n(flags, &old, now, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return (now & BLOCK_DEALLOCATING) != 0 && !(old & BLOCK_DEALLOCATING);
}

static void copy_captures(struct block_literal *to, const struct block_literal *from) {
    if (to->flags & BLOCK_HAS_COPY_DISPOSE) {
        void (*copy)(void *, const void *) =
            (void (*)(void *, const void *))to->descriptor->rest[0];
        copy(to, from);
    }
    rt_block_copy_generic(to, from);
}

static void dispose_captures(struct block_literal *block) {
    if (block->flags & BLOCK_HAS_COPY_DISPOSE) {
        void (*dispose)(const void *) = (void (*)(const void *))block->descriptor->rest[1];
        dispose(block);
    }
    rt_block_dispose_generic(block);
}

void *_Block_copy(const void *argument) {
    struct block_literal *block = (struct block_literal *)(uintptr_t)argument;
    if (!block)
        return NULL;
    if (block->flags & BLOCK_NEEDS_FREE) {
        count_up(&block->flags);
        return block;
    }
    if (block->flags & BLOCK_IS_GLOBAL)
        return block;
    struct block_literal *copy = rt_object_alloc(block->descriptor->size);
    memcpy(copy, block, block->descriptor->size);
    copy->flags &= ~(uint32_t)(BLOCK_REFCOUNT_MASK | BLOCK_DEALLOCATING);
    copy->flags |= BLOCK_NEEDS_FREE | COUNT_ONE;
    copy_captures(copy, block);
    /* Only now is it a heap block for whoever looks at it from another thread. */
    copy->isa = _NSConcreteMallocBlock;
    return copy;
}

void _Block_release(const void *argument) {
    struct block_literal *block = (struct block_literal *)(uintptr_t)argument;
    if (!block || (block->flags & BLOCK_IS_GLOBAL) || !(block->flags & BLOCK_NEEDS_FREE))
        return;
    if (!count_down(&block->flags))
        return;
    dispose_captures(block);
    rt_destruct_instance((id)block);
    rt_object_free(block);
}

BOOL _Block_tryRetain(const void *argument) {
    struct block_literal *block = (struct block_literal *)(uintptr_t)argument;
    if (!(block->flags & BLOCK_NEEDS_FREE))
        return YES;
    if (block->flags & BLOCK_DEALLOCATING)
        return NO;
    count_up(&block->flags);
    return YES;
}

BOOL _Block_isDeallocating(const void *block) {
    return (((const struct block_literal *)block)->flags & BLOCK_DEALLOCATING) != 0;
}

OBJC_EXTERN id objc_retainBlock(id block) {
    return (id)_Block_copy(block);
}

/* ---- __block variables --------------------------------------------------------------------------
 */

static struct block_byref_helpers *byref_helpers(struct block_byref *byref) {
    return (struct block_byref_helpers *)(byref + 1);
}

static struct block_byref *byref_move_to_heap(struct block_byref *from) {
    struct block_byref *copy = calloc(1, from->size);
    if (!copy)
        rt_fatal("no memory for a __block variable of %u bytes", from->size);
    rt_byref_count_add(1);
    copy->isa = NULL;
    copy->flags = from->flags | BLOCK_NEEDS_FREE | BYREF_FIRST_COUNT;
    copy->size = from->size;
    copy->forwarding = copy;
    from->forwarding = copy;
    if (from->flags & BLOCK_HAS_COPY_DISPOSE) {
        size_t header = sizeof(struct block_byref_helpers);
        if ((from->flags & BLOCK_BYREF_LAYOUT_MASK) == BLOCK_BYREF_LAYOUT_EXTENDED)
            header += sizeof(void *);
        memcpy(copy + 1, from + 1, header);
        byref_helpers(from)->keep(copy, from);
    } else {
        memcpy(copy + 1, from + 1, from->size - sizeof *from);
    }
    return copy;
}

static struct block_byref *byref_retain(struct block_byref *byref) {
    struct block_byref *target = byref->forwarding;
    if (!(target->flags & BLOCK_REFCOUNT_MASK))
        return byref_move_to_heap(byref);
    if (target->flags & BLOCK_NEEDS_FREE)
        count_up(&target->flags);
    return target;
}

static void byref_release(struct block_byref *byref) {
    byref = byref->forwarding;
    if (!(byref->flags & BLOCK_NEEDS_FREE) || !count_down(&byref->flags))
        return;
    if (byref->flags & BLOCK_HAS_COPY_DISPOSE)
        byref_helpers(byref)->destroy(byref);
    rt_byref_count_add(-1);
    free(byref);
}

/* ---- what copy and dispose helpers call ---------------------------------------------------------
 */

/* With BLOCK_BYREF_CALLER the variable is a __block one, which does not retain without ARC. */
void _Block_object_assign(void *destination, const void *object, const int flags) {
    const void **slot = destination;
    switch (flags & ~BLOCK_FIELD_IS_WEAK) {
    case BLOCK_FIELD_IS_OBJECT:
        *slot = objc_retain((id)(uintptr_t)object);
        break;
    case BLOCK_FIELD_IS_BLOCK:
        *slot = _Block_copy(object);
        break;
    case BLOCK_FIELD_IS_BYREF:
        *slot = byref_retain((struct block_byref *)(uintptr_t)object);
        break;
    case BLOCK_BYREF_CALLER | BLOCK_FIELD_IS_OBJECT:
    case BLOCK_BYREF_CALLER | BLOCK_FIELD_IS_BLOCK:
        *slot = object;
        break;
    default:
        rt_fatal("_Block_object_assign: flags %#x", (unsigned)flags);
    }
}

void _Block_object_dispose(const void *object, const int flags) {
    switch (flags & ~BLOCK_FIELD_IS_WEAK) {
    case BLOCK_FIELD_IS_OBJECT:
        objc_release((id)(uintptr_t)object);
        break;
    case BLOCK_FIELD_IS_BLOCK:
        _Block_release(object);
        break;
    case BLOCK_FIELD_IS_BYREF:
        byref_release((struct block_byref *)(uintptr_t)object);
        break;
    case BLOCK_BYREF_CALLER | BLOCK_FIELD_IS_OBJECT:
    case BLOCK_BYREF_CALLER | BLOCK_FIELD_IS_BLOCK:
        break;
    default:
        rt_fatal("_Block_object_dispose: flags %#x", (unsigned)flags);
    }
}

/* ---- what a block says of itself
 * ------------------------------------------------------------------ */

static const uintptr_t *signature_and_layout(const struct block_literal *block) {
    if (!(block->flags & BLOCK_HAS_SIGNATURE))
        return NULL;
    return block->descriptor->rest + (block->flags & BLOCK_HAS_COPY_DISPOSE ? 2 : 0);
}

unsigned long Block_size(void *block) {
    return ((struct block_literal *)block)->descriptor->size;
}

BOOL _Block_has_signature(void *block) {
    return signature_and_layout(block) != NULL;
}

BOOL _Block_use_stret(void *block) {
    return _Block_has_signature(block) &&
           (((struct block_literal *)block)->flags & BLOCK_USE_STRET) != 0;
}

const char *_Block_signature(void *block) {
    const uintptr_t *words = signature_and_layout(block);
    return words ? (const char *)words[0] : NULL;
}

const char *_Block_layout(void *block) {
    const uintptr_t *words = signature_and_layout(block);
    bool extended = (((struct block_literal *)block)->flags & BLOCK_HAS_EXTENDED_LAYOUT) != 0;
    return words && !extended ? (const char *)words[1] : NULL;
}

const char *_Block_extended_layout(void *block) {
    const uintptr_t *words = signature_and_layout(block);
    if (!words || !(((struct block_literal *)block)->flags & BLOCK_HAS_EXTENDED_LAYOUT))
        return NULL;
    return words[1] ? (const char *)words[1] : "";
}
