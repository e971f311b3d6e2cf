#include "heap/taking.h"

enum loupe_status loupe_taking_allocator(struct loupe_taking *taking,
                                         struct loupe_allocator allocator, uint32_t *ret) {
    if (taking->blocks->allocators.count == LOUPE_MAX_ALLOCATORS)
        return LOUPE_ELIMIT;
    struct loupe_allocator *added = loupe_vector_add(&taking->blocks->allocators);
    if (!added)
        return LOUPE_ENOMEM;
    *added = allocator;
    *ret = taking->blocks->allocators.count - 1;
    return LOUPE_OK;
}

void loupe_taking_damage(const struct loupe_taking *taking, uint32_t allocator, loupe_addr place,
                         const char *doubt) {
    struct loupe_allocator *damaged = loupe_taking_at(taking, allocator);
    if (!damaged->damaged++)
        damaged->first_damaged = place;
    if (!damaged->doubt)
        damaged->doubt = doubt;
}

enum loupe_status loupe_taking_add(struct loupe_taking *taking, loupe_addr start, uint64_t size,
                                   uint32_t allocator) {
    if (taking->taken.count == LOUPE_MAX_BLOCKS)
        return LOUPE_ELIMIT;
    struct loupe_taken_block *added = loupe_vector_add(&taking->taken);
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

enum loupe_status loupe_taking_add_freed(struct loupe_taking *taking, loupe_addr start) {
    return add_address(&taking->freed, start);
}

enum loupe_status loupe_taking_add_own(struct loupe_taking *taking, loupe_addr start) {
    return add_address(&taking->own, start);
}

enum loupe_status loupe_taking_unexplained(struct loupe_taking *taking, struct loupe_ranges *ret) {
    const struct loupe_ranges *writable = &taking->scene->writable;
    enum loupe_status status = LOUPE_OK;
    loupe_ranges_init(ret, taking->blocks->chunks);
    loupe_ranges_join(&taking->explained, 0);
    for (uint32_t i = 0; !status && i < loupe_ranges_count(writable); i++)
        status = loupe_ranges_add_without(ret, loupe_ranges_at(writable, i)->start,
                                          loupe_ranges_at(writable, i)->end, &taking->explained);
    /* The kernel splits the mapping of a block where madvise() or mprotect() was told of a part. */
    loupe_ranges_join(ret, 0);
    return status;
}

loupe_addr loupe_taking_next_writable(const struct loupe_taking *taking, loupe_addr address) {
    const struct loupe_ranges *writable = &taking->scene->writable;
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

static enum loupe_status explain_data(struct loupe_taking *taking) {
    const struct loupe_ranges *tables = &taking->scene->not_objects;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < loupe_ranges_count(tables); i++)
        status = loupe_ranges_add(&taking->explained, loupe_ranges_at(tables, i)->start,
                                  loupe_ranges_at(tables, i)->end);
    for (uint32_t i = 0; !status && i < taking->scene->sources.count; i++) {
        const struct loupe_root_source *source = loupe_scene_source(taking->scene, i);
        if (source->kind == LOUPE_ROOT_DATA)
            status = loupe_ranges_add(&taking->explained, source->memory.start, source->memory.end);
    }
    return status;
}

/* ---- All kinds ---- */

typedef enum loupe_status loupe_take_fn(struct loupe_taking *taking);

static loupe_take_fn *const kinds[] = {loupe_take_named, loupe_take_zones, loupe_take_glibc,
                                       loupe_take_musl, loupe_take_guessed};

enum loupe_status loupe_blocks_take(struct loupe_blocks *blocks, struct loupe_target *target,
                                    const struct loupe_scene *scene) {
    struct loupe_taking taking = {.blocks = blocks, .target = target, .scene = scene};
    enum loupe_status status = LOUPE_OK;
    loupe_blocks_deinit(blocks);
    loupe_vector_init(&taking.taken, blocks->chunks, sizeof(struct loupe_taken_block));
    loupe_vector_init(&taking.freed, blocks->chunks, sizeof(loupe_addr));
    loupe_vector_init(&taking.own, blocks->chunks, sizeof(loupe_addr));
    loupe_ranges_init(&taking.explained, blocks->chunks);
    loupe_ranges_init(&taking.tables, blocks->chunks);
    status = explain_data(&taking);
    for (unsigned i = 0; !status && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        status = kinds[i](&taking);
    if (!status)
        status = loupe_blocks_pack(blocks, &taking);
    loupe_vector_deinit(&taking.taken);
    loupe_vector_deinit(&taking.freed);
    loupe_vector_deinit(&taking.own);
    loupe_ranges_join(&taking.explained, 0);
    loupe_ranges_join(&taking.tables, 0);
    blocks->explained = taking.explained;
    blocks->tables = taking.tables;
    if (status)
        loupe_blocks_deinit(blocks);
    return status;
}
