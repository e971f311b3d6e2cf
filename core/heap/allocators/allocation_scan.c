#include "heap/allocators/allocation_scan.h"

enum loupe_status loupe_allocation_scan_allocator(struct loupe_allocation_scan *scan,
                                                  struct loupe_allocator allocator, uint32_t *ret) {
    if (scan->blocks->allocators.count == LOUPE_MAX_ALLOCATORS)
        return LOUPE_ELIMIT;
    struct loupe_allocator *added = loupe_vector_add(&scan->blocks->allocators);
    if (!added)
        return LOUPE_ENOMEM;
    *added = allocator;
    *ret = scan->blocks->allocators.count - 1;
    return LOUPE_OK;
}

void loupe_allocation_scan_damage(const struct loupe_allocation_scan *scan, uint32_t allocator,
                                  loupe_addr place, const char *doubt) {
    struct loupe_allocator *damaged = loupe_allocation_scan_at(scan, allocator);
    if (!damaged->damaged++)
        damaged->first_damaged = place;
    if (!damaged->doubt)
        damaged->doubt = doubt;
}

enum loupe_status loupe_allocation_scan_add(struct loupe_allocation_scan *scan, loupe_addr start,
                                            uint64_t size, uint32_t allocator) {
    if (scan->taken.count == LOUPE_MAX_BLOCKS)
        return LOUPE_ELIMIT;
    struct loupe_taken_block *added = loupe_vector_add(&scan->taken);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct loupe_taken_block){
        .start = start, .size = size & (((uint64_t)1 << 48) - 1), .allocator = allocator & 0xffff};
    return LOUPE_OK;
}

static enum loupe_status add_address(struct loupe_vector *addresses, loupe_addr address) {
    if (addresses->count == LOUPE_MAX_BLOCKS)
        return LOUPE_ELIMIT;
    loupe_addr *added = loupe_vector_add(addresses);
    if (added)
        *added = address;
    return added ? LOUPE_OK : LOUPE_ENOMEM;
}

enum loupe_status loupe_allocation_scan_add_freed(struct loupe_allocation_scan *scan,
                                                  loupe_addr start) {
    return add_address(&scan->freed, start);
}

enum loupe_status loupe_allocation_scan_add_own(struct loupe_allocation_scan *scan,
                                                loupe_addr start) {
    return add_address(&scan->own, start);
}

enum loupe_status loupe_allocation_scan_unexplained(struct loupe_allocation_scan *scan,
                                                    struct loupe_ranges *ret) {
    const struct loupe_ranges *writable = &scan->scene->writable;
    enum loupe_status status = LOUPE_OK;
    loupe_ranges_init(ret, scan->blocks->chunks);
    loupe_ranges_join(&scan->explained, 0);
    for (uint32_t i = 0; !status && i < loupe_ranges_count(writable); i++)
        status = loupe_ranges_add_without(ret, loupe_ranges_at(writable, i)->start,
                                          loupe_ranges_at(writable, i)->end, &scan->explained);
    /* The kernel splits the mapping of a block where madvise() or mprotect() was told of a part. */
    loupe_ranges_join(ret, 0);
    return status;
}

loupe_addr loupe_allocation_scan_next_writable(const struct loupe_allocation_scan *scan,
                                               loupe_addr address) {
    const struct loupe_ranges *writable = &scan->scene->writable;
    uint32_t low = 0, high = loupe_ranges_count(writable); /* the first that ends behind it */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loupe_ranges_at(writable, middle)->end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == loupe_ranges_count(writable))
        return UINT64_MAX;
    loupe_addr start = loupe_ranges_at(writable, low)->start;
    return start > address ? start : address;
}

static enum loupe_status explain_data(struct loupe_allocation_scan *scan) {
    const struct loupe_ranges *tables = &scan->scene->not_objects;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < loupe_ranges_count(tables); i++)
        status = loupe_ranges_add(&scan->explained, loupe_ranges_at(tables, i)->start,
                                  loupe_ranges_at(tables, i)->end);
    for (uint32_t i = 0; !status && i < scan->scene->sources.count; i++) {
        const struct loupe_root_source *source = loupe_scene_source(scan->scene, i);
        if (source->kind == LOUPE_ROOT_GLOBAL)
            status = loupe_ranges_add(&scan->explained, source->memory.start, source->memory.end);
    }
    return status;
}

/* ---- All kinds ---- */

typedef enum loupe_status loupe_take_fn(struct loupe_allocation_scan *scan);

static loupe_take_fn *const kinds[] = {loupe_take_named, loupe_take_zones, loupe_take_glibc,
                                       loupe_take_musl, loupe_take_guessed};

enum loupe_status loupe_blocks_take(struct loupe_blocks *blocks, struct loupe_target *target,
                                    const struct loupe_scene *scene) {
    struct loupe_allocation_scan scan = {.blocks = blocks, .target = target, .scene = scene};
    enum loupe_status status = LOUPE_OK;
    loupe_blocks_deinit(blocks);
    loupe_vector_init(&scan.taken, blocks->chunks, sizeof(struct loupe_taken_block));
    loupe_vector_init(&scan.freed, blocks->chunks, sizeof(loupe_addr));
    loupe_vector_init(&scan.own, blocks->chunks, sizeof(loupe_addr));
    loupe_ranges_init(&scan.explained, blocks->chunks);
    loupe_ranges_init(&scan.tables, blocks->chunks);
    status = explain_data(&scan);
    for (unsigned i = 0; !status && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        status = kinds[i](&scan);
    if (!status)
        status = loupe_blocks_pack(blocks, &scan);
    loupe_vector_deinit(&scan.taken);
    loupe_vector_deinit(&scan.freed);
    loupe_vector_deinit(&scan.own);
    loupe_ranges_join(&scan.explained, 0);
    loupe_ranges_join(&scan.tables, 0);
    blocks->explained = scan.explained;
    blocks->tables = scan.tables;
    if (status)
        loupe_blocks_deinit(blocks);
    return status;
}
