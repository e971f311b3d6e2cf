#include "target.h"

void loupe_target_init(struct loupe_target *target, struct loupe_memory *memory,
                       const struct loupe_chunk_ops *chunks) {
    *target = (struct loupe_target){.memory = memory, .chunks = chunks};
    loupe_arena_init(&target->arena, chunks);
}

void loupe_target_deinit(struct loupe_target *target) {
    loupe_arena_deinit(&target->arena);
}
