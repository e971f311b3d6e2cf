/* What __block variables hold: one object, or the objects in a struct. */
#include "blocks/byref.h"
#include "edges/kinds/capture_shape.h"

/* The common case, without a look at any layout: the variable is one strong word at the end. */
static enum loupe_status follow_object(struct loupe_walk *walk, const struct loupe_byref *byref) {
    struct loupe_edge slot = {.to = LOUPE_TO_OBJECT,
                              .offset = byref->size - walk->target->memory->machine.pointer_size,
                              .kind = LOUPE_EDGE_BYREF,
                              .ownership = LOUPE_STRONG};
    struct loupe_shape shape = {.slots = &slot,
                                .slot_count = 1,
                                .extent = slot.offset + walk->target->memory->machine.pointer_size};
    return loupe_shape_follow(walk, &shape, byref->address);
}

/* A variable that owns nothing, for walks that explain. */
static enum loupe_status keep_nonowning(struct loupe_walk *walk, const struct loupe_byref *byref) {
    unsigned word_size = walk->target->memory->machine.pointer_size;
    struct loupe_edge slot = {.offset = byref->size - word_size,
                              .kind = LOUPE_EDGE_BYREF,
                              .ownership = byref->kind == LOUPE_BYREF_WEAK
                                               ? LOUPE_NONOWNING_WEAK
                                               : LOUPE_NONOWNING_UNRETAINED};
    loupe_addr place = byref->address + slot.offset;
    uint64_t word;
    enum loupe_status status = loupe_memory_read_word(walk->target->memory, place, &word);
    return status ? status : loupe_walk_add_nonowning(walk, word, place, &slot);
}

/* Records of one type have the same size, kind and layout word. */
static uint64_t shape_key(struct loupe_walk *walk, const struct loupe_byref *byref,
                          enum loupe_memory_mode mode) {
    unsigned word = walk->target->memory->machine.pointer_size;
    uint64_t layout = 0;
    loupe_memory_read_word(walk->target->memory,
                           byref->address + 2 * word + 8 + (byref->has_helpers ? 2 * word : 0),
                           &layout);
    uint64_t rest = (uint64_t)byref->size << 8 | (uint64_t)byref->kind << 3 | (uint64_t)mode << 1 |
                    byref->has_helpers;
    return loupe_hash(layout) ^ loupe_hash(~rest);
}

/* Nothing in a byref tells how its code manages memory; the block that led to it may. */
static enum loupe_status ask_holder(struct loupe_walk *walk, enum loupe_memory_mode *ret) {
    uint32_t id = loupe_walk_holder(walk, walk->node);
    const struct loupe_shape *shape;
    *ret = LOUPE_MODE_UNKNOWN;
    if (id == LOUPE_NO_NODE)
        return LOUPE_OK;
    struct loupe_node holder = loupe_walk_node(walk, id);
    if (loupe_node_kind(holder) != LOUPE_NODE_BLOCK)
        return LOUPE_OK;
    enum loupe_status status = loupe_block_shape(walk, holder.address, &shape);
    if (!status)
        *ret = shape->mode;
    return status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT ? LOUPE_OK : status;
}

/*
 * The layout calls the objects in a record strong also where the code is no ARC: there it has
 * helpers for C++ members, and what those own is not known.
 */
static void doubt(struct loupe_captures *variable) {
    for (uint32_t i = 0; i < variable->count; i++) {
        struct loupe_capture *item = &variable->items[i];
        if (item->kind == LOUPE_CAPTURE_STRONG)
            *item = (struct loupe_capture){
                .offset = item->offset, .size = item->size, .kind = LOUPE_CAPTURE_UNKNOWN};
    }
}

static enum loupe_status make_record_shape(struct loupe_walk *walk,
                                           const struct loupe_byref *header, uint64_t key,
                                           enum loupe_memory_mode mode,
                                           const struct loupe_shape **ret) {
    struct loupe_target *target = walk->target;
    struct loupe_byref byref;
    enum loupe_status status = loupe_byref_read(target->memory, &target->arena, header->address,
                                                target->abi->block_traits(target), &byref, NULL);
    if (status)
        return status;
    struct loupe_capture_shapes shapes = {.by_key = &walk->byref_shapes,
                                          .kind = LOUPE_EDGE_BYREF,
                                          .undescribed = LOUPE_FINDING_BYREF_LAYOUT,
                                          .whole = header->has_helpers ? byref.variable_offset : 0};
    byref.variable.mode = mode;
    if (mode == LOUPE_MODE_MANUAL)
        doubt(&byref.variable);
    return loupe_capture_shape_keep(walk, &shapes, key, &byref.variable, ret);
}

static enum loupe_status follow_record(struct loupe_walk *walk, const struct loupe_byref *header) {
    enum loupe_memory_mode mode;
    enum loupe_status status = ask_holder(walk, &mode);
    if (status)
        return status;
    uint64_t key = shape_key(walk, header, mode);
    const struct loupe_shape *shape = loupe_capture_shape_find(walk, &walk->byref_shapes, key);
    if (!shape)
        status = make_record_shape(walk, header, key, mode, &shape);
    return status ? status : loupe_shape_follow(walk, shape, header->address);
}

const struct loupe_shape *loupe_byref_shape(struct loupe_walk *walk, loupe_addr address) {
    struct loupe_target *target = walk->target;
    struct loupe_byref byref;
    enum loupe_memory_mode mode;
    if (loupe_byref_read_header(target->memory, address, target->abi->block_traits(target), &byref,
                                NULL) ||
        ask_holder(walk, &mode))
        return NULL;
    return loupe_capture_shape_find(walk, &walk->byref_shapes, shape_key(walk, &byref, mode));
}

static enum loupe_status emit(struct loupe_walk *walk, loupe_addr address,
                              const struct loupe_class *cls) {
    struct loupe_target *target = walk->target;
    struct loupe_byref byref;
    (void)cls;
    enum loupe_status status = loupe_byref_read_header(
        target->memory, address, target->abi->block_traits(target), &byref, NULL);
    if (!status && byref.kind == LOUPE_BYREF_STRONG && byref.has_helpers)
        status = follow_object(walk, &byref);
    else if (!status && (byref.kind == LOUPE_BYREF_EXTENDED ||
                         (byref.kind == LOUPE_BYREF_UNSPECIFIED && byref.has_helpers)))
        status = follow_record(walk, &byref);
    else if (!status && walk->explains &&
             (byref.kind == LOUPE_BYREF_WEAK || byref.kind == LOUPE_BYREF_UNRETAINED))
        status = keep_nonowning(walk, &byref);
    if (status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT) {
        loupe_findings_add(&target->findings, LOUPE_FINDING_BYREF_LAYOUT, address);
        return LOUPE_OK;
    }
    return status;
}

static void label(struct loupe_walk *walk, loupe_addr from, const struct loupe_class *cls,
                  const struct loupe_edge *edge, struct loupe_edge_label *ret) {
    (void)walk;
    (void)cls;
    loupe_capture_label(from, edge, ret);
}

const struct loupe_edge_source loupe_edges_byref = {
    .kinds = 1 << LOUPE_NODE_BYREF, .emit = emit, .label = label};
