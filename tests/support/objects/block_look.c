#include "block_look.h"

#include "check.h"
#include "runtime/abi.h"

void look_open(struct look *look, struct drawn_heap *heap, const struct loupe_chunk_ops *chunks) {
    static const struct loupe_abi no_runtime = {.name = "none"};
    struct loupe_request request = {0};
    drawn_memory(heap, &look->memory);
    loupe_target_init(&look->target, &look->memory, &drawn_chunks);
    look->target.abi = &no_runtime;
    loupe_scene_init(&look->scene, &look->target);
    CHECK_EQ(loupe_scene_take(&look->scene, &request), LOUPE_OK);
    loupe_blocks_init(&look->blocks, chunks);
    look->status = loupe_blocks_take(&look->blocks, &look->target, &look->scene);
}

void look_close(struct look *look) {
    loupe_blocks_deinit(&look->blocks);
    loupe_target_deinit(&look->target);
    loupe_memory_deinit(&look->memory);
}

bool look_has_doubt(const struct look *look) {
    for (uint32_t i = 0; i < look->blocks.allocators.count; i++)
        if (loupe_blocks_allocator(&look->blocks, i)->doubt)
            return true;
    return false;
}

unsigned look_count_missed(const struct look *look, const struct drawn_allocators *drawn) {
    unsigned missed = 0;
    for (unsigned i = 0; i < drawn->count; i++) {
        uint32_t block;
        loupe_addr last = drawn->starts[i] + drawn->sizes[i] - 1;
        if (!loupe_blocks_find(&look->blocks, last, &block) ||
            look->blocks.starts[block] != drawn->starts[i] ||
            loupe_blocks_size(&look->blocks, block) != drawn->sizes[i])
            missed++;
    }
    return missed;
}

bool look_is_sound(const struct look *look) {
    const struct loupe_blocks *blocks = &look->blocks;
    uint64_t of_allocators = 0;
    for (uint32_t i = 0; i < blocks->count; i++) {
        uint64_t size = loupe_blocks_size(blocks, i);
        uint32_t first, last;
        if (!size ||
            (i && blocks->starts[i - 1] + loupe_blocks_size(blocks, i - 1) > blocks->starts[i]) ||
            !loupe_blocks_find(blocks, blocks->starts[i], &first) || first != i ||
            !loupe_blocks_find(blocks, blocks->starts[i] + size - 1, &last) || last != i ||
            loupe_blocks_owner(blocks, i) >= blocks->allocators.count)
            return false;
    }
    for (uint32_t i = 0; i < blocks->allocators.count; i++)
        of_allocators += loupe_blocks_allocator(blocks, i)->blocks;
    return of_allocators == blocks->count;
}

unsigned look_count_lost(const struct look *look, const struct drawn_allocators *drawn) {
    unsigned lost = 0;
    for (unsigned i = 0; i < drawn->count; i++) {
        uint32_t block;
        lost += !loupe_blocks_find(&look->blocks, drawn->starts[i], &block) ||
                look->blocks.starts[block] != drawn->starts[i];
    }
    return lost;
}
