/* What blocks capture: strong objects, blocks, and the storage of __block variables. */
#include "blocks/block.h"
#include "edges/capture_shape.h"

static bool applies(struct loupe_walk *walk, const struct loupe_class *cls) {
    (void)walk;
    return cls->kind == LOUPE_INSTANCE_BLOCK;
}

/* Captures depend on the descriptor and on these flags, not on the block. */
static uint64_t shape_key(const struct loupe_block *block) {
    const uint32_t flags =
        LOUPE_BLOCK_IS_NOESCAPE | LOUPE_BLOCK_IS_GLOBAL | LOUPE_BLOCK_HAS_COPY_DISPOSE;
    return loupe_hash(block->descriptor) ^ (block->flags & flags);
}

static enum loupe_status find_shape(struct loupe_walk *walk, const struct loupe_block *block,
                                    const struct loupe_shape **ret) {
    struct loupe_target *target = walk->target;
    uint64_t key = shape_key(block);
    if ((*ret = loupe_capture_shape_find(walk, &walk->block_shapes, key)))
        return LOUPE_OK;
    struct loupe_captures captures;
    enum loupe_status status = loupe_captures_read(target->memory, &target->arena, block,
                                                   target->abi->block_traits(target), &captures);
    if (status)
        return status;
    struct loupe_capture_shapes shapes = {.by_key = &walk->block_shapes,
                                          .kind = LOUPE_EDGE_CAPTURE,
                                          .undescribed = LOUPE_FINDING_BLOCK_LAYOUT};
    return loupe_capture_shape_keep(walk, &shapes, key, &captures, ret);
}

static enum loupe_status emit(struct loupe_walk *walk, loupe_addr address,
                              const struct loupe_class *cls) {
    struct loupe_target *target = walk->target;
    struct loupe_block block;
    const struct loupe_shape *shape;
    (void)cls;
    enum loupe_status status =
        loupe_block_read(target->memory, address, target->abi->block_traits(target), &block, NULL);
    if (status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT) {
        loupe_findings_add(&target->findings, LOUPE_FINDING_BLOCK_LAYOUT, address);
        return LOUPE_OK;
    }
    if (status || (status = find_shape(walk, &block, &shape)))
        return status;
    return loupe_shape_follow(walk, shape, address);
}

static void label(struct loupe_walk *walk, loupe_addr from, const struct loupe_class *cls,
                  const struct loupe_edge *edge, struct loupe_edge_label *ret) {
    (void)walk;
    (void)cls;
    loupe_capture_label(from, edge, ret);
}

const struct loupe_edge_source loupe_edges_block = {.name = "block",
                                                    .applies = applies,
                                                    .kinds = 1 << LOUPE_NODE_BLOCK,
                                                    .emit = emit,
                                                    .label = label};
