/* block_look.h - one look at the blocks of an allocator that a test drew, or damaged. */
#ifndef LOUPE_TESTS_BLOCK_LOOK_H
#define LOUPE_TESTS_BLOCK_LOOK_H

#include "memory/drawn_allocators.h"
#include "heap/allocators/blocks.h"

struct look {
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_scene scene;
    struct loupe_blocks blocks;
    enum loupe_status status;
};

void look_open(struct look *look, struct drawn_heap *heap, const struct loupe_chunk_ops *chunks);
void look_close(struct look *look);

bool look_has_doubt(const struct look *look);
/* Blocks that were drawn and do not begin where they should; or have another size. */
unsigned look_count_lost(const struct look *look, const struct drawn_allocators *drawn);
unsigned look_count_missed(const struct look *look, const struct drawn_allocators *drawn);
/* What holds whatever the memory is. */
bool look_is_sound(const struct look *look);

#endif
