#include "runtime/allocation.h"

#include "runtime/free_chunks.h"

enum { WORD = 8, ALIGNMENT = 16 };

/* Those that count otherwise may be static, or not allocated by themselves. */
static bool is_counted(struct loupe_target *target, const struct loupe_object *object) {
    uint64_t ignored;
    return loupe_object_kind(object) == LOUPE_NODE_OBJECT &&
           target->abi->retain_count(target, object, &ignored) == LOUPE_COUNT_KNOWN;
}

enum loupe_allocation loupe_allocation_of(struct loupe_target *target,
                                          const struct loupe_object *object) {
    uint32_t before = target->abi->words_before_object, instance = object->cls->instance_size;
    enum loupe_allocation ret = LOUPE_ALLOCATION_IMPOSSIBLE;
    /* Without words before it nothing tells it from any other allocation. */
    if (target->memory->machine.pointer_size != WORD || (before & 1) || !is_counted(target, object))
        return LOUPE_ALLOCATION_UNKNOWN;
    for (unsigned words = 0; before >> words; words++) {
        loupe_addr start = object->address - (loupe_addr)words * WORD;
        if (!(before >> words & 1) || start % ALIGNMENT)
            continue;
        if (loupe_chunk_is_used(target->memory, start, (uint64_t)words * WORD + instance))
            return LOUPE_ALLOCATION_BEGINS;
        ret = LOUPE_ALLOCATION_NOT_SEEN;
    }
    return ret;
}
