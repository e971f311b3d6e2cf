#include "heap/allocators/glibc.h"

enum loupe_status glibc_add_cache(struct glibc *glibc, loupe_addr address, uint32_t allocator) {
    struct glibc_cache *added = loupe_vector_add(&glibc->caches);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct glibc_cache){.address = address, .allocator = allocator};
    return LOUPE_OK;
}

enum loupe_status glibc_add_heap(struct glibc *glibc, uint32_t arena, loupe_addr start,
                                 loupe_addr end) {
    struct glibc_heap *added = loupe_vector_add(&glibc->heaps);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct glibc_heap){.start = start, .end = end, .arena = arena};
    return LOUPE_OK;
}

static enum loupe_status take(struct glibc *glibc) {
    enum loupe_status status = glibc_find_arenas(glibc);
    if (status || !glibc->arenas.count)
        return status;
    status = glibc_walk_heaps(glibc);
    if (!status)
        status = glibc_find_mapped(glibc);
    if (!status)
        status = glibc_walk_lists(glibc);
    return status;
}

enum loupe_status loupe_take_glibc(struct loupe_allocation_scan *scan) {
    const struct loupe_chunk_ops *chunks = scan->blocks->chunks;
    struct glibc glibc = {.scan = scan, .memory = scan->target->memory};
    if (glibc.memory->machine.pointer_size != LOUPE_GLIBC_WORD)
        return LOUPE_OK;
    loupe_vector_init(&glibc.arenas, chunks, sizeof(struct glibc_arena));
    loupe_vector_init(&glibc.heaps, chunks, sizeof(struct glibc_heap));
    loupe_vector_init(&glibc.caches, chunks, sizeof(struct glibc_cache));
    enum loupe_status status = take(&glibc);
    loupe_vector_deinit(&glibc.arenas);
    loupe_vector_deinit(&glibc.heaps);
    loupe_vector_deinit(&glibc.caches);
    return status;
}
