#include "capture_shape.h"

#include "byref.h"

static uint32_t findings_of(const struct loupe_captures *captures, enum loupe_finding unknown) {
    uint32_t findings = captures->unread ? 1u << unknown : 0;
    for (uint32_t i = 0; i < captures->count; i++) {
        if (loupe_capture_may_own(&captures->items[i]))
            findings |= 1u << (captures->items[i].type.length ? LOUPE_FINDING_CXX : unknown);
    }
    return findings;
}

static enum loupe_status make_shape(struct loupe_walk *walk, const struct loupe_captures *captures,
                                    struct loupe_shape *shape) {
    struct loupe_target *target = walk->target;
    struct loupe_slot *slots =
        loupe_arena_alloc_array(&target->arena, captures->count, sizeof(*slots));
    if (!slots)
        return LOUPE_ENOMEM;
    shape->slots = slots;
    for (uint32_t i = 0; i < captures->count; i++) {
        const struct loupe_capture *capture = &captures->items[i];
        if (!loupe_capture_owns(capture))
            continue;
        slots[shape->slot_count++] =
            (struct loupe_slot){.offset = capture->offset, .detail = (uint32_t)capture->kind};
        shape->extent = capture->offset + target->memory->machine.pointer_size;
    }
    return LOUPE_OK;
}

enum loupe_status loupe_capture_shape_keep(struct loupe_walk *walk, struct loupe_map *shapes,
                                           uint64_t key, const struct loupe_captures *captures,
                                           enum loupe_finding unknown,
                                           const struct loupe_shape **ret) {
    struct loupe_shape shape = {.findings = findings_of(captures, unknown)};
    uint32_t number = walk->shapes.count;
    enum loupe_status status = make_shape(walk, captures, &shape);
    if (status)
        return status;
    struct loupe_shape *place = loupe_vector_add(&walk->shapes);
    if (!place || loupe_map_put(shapes, key, number))
        return LOUPE_ENOMEM;
    *place = shape;
    *ret = place;
    return LOUPE_OK;
}

const struct loupe_shape *loupe_capture_shape_find(const struct loupe_walk *walk,
                                                   const struct loupe_map *shapes, uint64_t key) {
    uint32_t number;
    if (!loupe_map_find(shapes, key, &number))
        return NULL;
    return loupe_vector_at(&walk->shapes, number, sizeof(struct loupe_shape));
}

/*
 * A byref is a node where its variable lives now: blocks that share a variable then share the node,
 * also when one of them captured it before it moved to the heap.
 */
static enum loupe_status add_byref(struct loupe_walk *walk, struct loupe_reference *reference) {
    struct loupe_target *target = walk->target;
    struct loupe_byref byref;
    enum loupe_status status = loupe_byref_read_header(
        target->memory, reference->word, target->abi->block_traits(target), &byref, NULL);
    if (status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT) {
        loupe_findings_add(&target->findings, LOUPE_FINDING_BYREF_LAYOUT, reference->word);
        return LOUPE_OK;
    }
    return status ? status : loupe_walk_add_byref(walk, reference, byref.address);
}

enum loupe_status loupe_capture_add(struct loupe_walk *walk, struct loupe_reference *reference,
                                    enum loupe_capture_kind kind) {
    return kind == LOUPE_CAPTURE_BYREF ? add_byref(walk, reference)
                                       : loupe_walk_add(walk, reference);
}

void loupe_capture_label(loupe_addr from, const struct loupe_edge *edge,
                         struct loupe_edge_label *ret) {
    loupe_format(ret->path, sizeof(ret->path), "+0x%x", edge->offset);
    ret->has_offset = true;
    ret->offset = edge->offset;
    ret->slot = from + edge->offset;
}
