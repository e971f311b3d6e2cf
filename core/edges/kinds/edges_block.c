/* What blocks capture: strong objects, blocks, and the storage of __block variables. */
#include "blocks/block.h"
#include "edges/kinds/capture_shape.h"

static bool applies(struct loupe_walk *walk, const struct loupe_class *cls) {
    (void)walk;
    return cls->kind == LOUPE_INSTANCE_BLOCK;
}

/* Captures depend on the descriptor and on these flags, not on the block. */
static uint64_t shape_key(loupe_addr descriptor, uint32_t flags) {
    const uint32_t telling =
        LOUPE_BLOCK_IS_NOESCAPE | LOUPE_BLOCK_IS_GLOBAL | LOUPE_BLOCK_HAS_COPY_DISPOSE;
    return loupe_hash(descriptor) ^ (flags & telling);
}

/* The shape of a block like one that was met before, without a look at the descriptor. */
static const struct loupe_shape *find_shape(const struct loupe_walk *walk, loupe_addr address) {
    const struct loupe_memory *memory = walk->target->memory;
    unsigned word = memory->machine.pointer_size;
    const uint8_t *bytes = loupe_memory_peek(memory, address, loupe_block_header_size(word));
    if (!bytes)
        return NULL;
    uint32_t flags;
    memcpy(&flags, bytes + word, sizeof(flags));
    loupe_addr descriptor =
        loupe_memory_strip(memory, loupe_load_word((uint8_t)word, bytes + 2 * word + 8));
    return loupe_capture_shape_find(walk, &walk->block_shapes, shape_key(descriptor, flags));
}

static enum loupe_status make_shape(struct loupe_walk *walk, loupe_addr address,
                                    const struct loupe_shape **ret) {
    struct loupe_target *target = walk->target;
    const struct loupe_block_traits *traits = target->abi->block_traits(target);
    struct loupe_block block;
    struct loupe_captures captures;
    enum loupe_status status = loupe_block_read(target->memory, address, traits, &block, NULL);
    if (status)
        return status;
    uint64_t key = shape_key(block.descriptor, block.flags);
    if ((*ret = loupe_capture_shape_find(walk, &walk->block_shapes, key)))
        return LOUPE_OK;
    status = loupe_captures_read(target->memory, &target->arena, &block, traits, &captures);
    if (status)
        return status;
    struct loupe_capture_shapes shapes = {.by_key = &walk->block_shapes,
                                          .kind = LOUPE_EDGE_CAPTURE,
                                          .undescribed = LOUPE_FINDING_BLOCK_LAYOUT,
                                          .is_lent = block.flags & LOUPE_BLOCK_IS_NOESCAPE};
    return loupe_capture_shape_keep(walk, &shapes, key, &captures, ret);
}

enum loupe_status loupe_block_shape(struct loupe_walk *walk, loupe_addr address,
                                    const struct loupe_shape **ret) {
    *ret = find_shape(walk, address);
    return *ret ? LOUPE_OK : make_shape(walk, address, ret);
}

static enum loupe_status emit(struct loupe_walk *walk, loupe_addr address,
                              const struct loupe_class *cls) {
    const struct loupe_shape *shape;
    enum loupe_status status = loupe_block_shape(walk, address, &shape);
    (void)cls;
    if (status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT) {
        loupe_findings_add(&walk->target->findings, LOUPE_FINDING_BLOCK_LAYOUT, address);
        return LOUPE_OK;
    }
    return status ? status : loupe_shape_follow(walk, shape, address);
}

static void label(struct loupe_walk *walk, loupe_addr from, const struct loupe_class *cls,
                  const struct loupe_edge *edge, struct loupe_edge_label *ret) {
    (void)walk;
    (void)cls;
    loupe_capture_label(from, edge, ret);
}

const struct loupe_edge_source loupe_edges_block = {
    .applies = applies, .kinds = 1 << LOUPE_NODE_BLOCK, .emit = emit, .label = label};
