#include "heap/glibc.h"

static enum loupe_status take(struct glibc *glibc) {
    enum loupe_status status = glibc_find_arenas(glibc);
    if (!status)
        status = glibc_walk_heaps(glibc);
    if (!status)
        status = glibc_walk_lists(glibc);
    return status;
}

enum loupe_status loupe_take_glibc(struct loupe_taking *taking) {
    const struct loupe_chunk_ops *chunks = taking->blocks->chunks;
    struct glibc glibc = {.taking = taking, .memory = taking->target->memory};
    if (glibc.memory->machine.pointer_size != LOUPE_GLIBC_WORD)
        return LOUPE_OK;
    loupe_vector_init(&glibc.arenas, chunks, sizeof(struct glibc_arena));
    loupe_vector_init(&glibc.heaps, chunks, sizeof(struct glibc_heap));
    loupe_vector_init(&glibc.caches, chunks, sizeof(loupe_addr));
    enum loupe_status status = take(&glibc);
    loupe_vector_deinit(&glibc.arenas);
    loupe_vector_deinit(&glibc.heaps);
    loupe_vector_deinit(&glibc.caches);
    return status;
}
