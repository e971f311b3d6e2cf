/* What is left over in tables of the runtime: words that hold nothing. */
#include "heap/snapshot_builder.h"

/* The part of a stretch that is in the block in which it begins. */
static loupe_addr end_in_block(const struct loupe_snapshot_builder *builder,
                               const struct loupe_range *stretch) {
    uint32_t block;
    if (!loupe_blocks_find(builder->blocks, stretch->start, &block))
        return stretch->start;
    loupe_addr end = builder->blocks->starts[block] + loupe_blocks_size(builder->blocks, block);
    return stretch->end < end ? stretch->end : end;
}

enum loupe_status loupe_heap_leave_out_unused(struct loupe_snapshot_builder *builder) {
    struct loupe_target *target = builder->target;
    enum loupe_status status = LOUPE_OK;
    struct loupe_range stretch;
    uint64_t cursor = 0;
    while (!status && target->abi->next_unused &&
           target->abi->next_unused(target, &cursor, &stretch)) {
        loupe_addr end = end_in_block(builder, &stretch);
        for (loupe_addr at = stretch.start; !status && at < end;
             at += target->memory->machine.pointer_size)
            status = loupe_word_set_add(&builder->described, at);
        if (!status && loupe_memory_interrupted(target->memory))
            status = LOUPE_ETIMEOUT;
    }
    return status;
}
