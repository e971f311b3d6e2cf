#include "edges/kinds/capture_shape.h"

#include "edges/plain_pointer.h"

static bool is_cxx(const struct loupe_capture *capture) {
    return loupe_capture_may_own(capture) && capture->type.length;
}

static uint32_t findings_of(const struct loupe_captures *captures, enum loupe_finding unknown) {
    uint32_t findings = captures->unread ? 1u << unknown : 0;
    for (uint32_t i = 0; i < captures->count; i++) {
        if (loupe_capture_may_own(&captures->items[i]) && !is_cxx(&captures->items[i]))
            findings |= 1u << unknown;
    }
    return findings;
}

/* The C++ object that an item is of, up to the last item of it: its number to *last. */
static struct loupe_unread_member cxx_member(const struct loupe_captures *captures, uint32_t first,
                                             uint32_t *last) {
    const struct loupe_capture *items = captures->items;
    struct loupe_unread_member member = {.reason = LOUPE_FINDING_CXX,
                                         .kind = LOUPE_NODE_BLOCK,
                                         .type = items[first].type,
                                         .offset = items[first].offset,
                                         .mode = captures->mode,
                                         .guessed = true};
    uint32_t i = first;
    for (; i < captures->count && items[i].type.bytes == items[first].type.bytes; i++)
        member.guessed &= !is_cxx(&items[i]);
    *last = i - 1;
    member.size = items[*last].offset + items[*last].size - member.offset;
    return member;
}

static enum loupe_status add_undescribed(struct loupe_walk *walk,
                                         const struct loupe_captures *captures, bool is_lent) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < captures->count && !status; i++) {
        if (!captures->items[i].type.length) {
            if (!is_lent)
                status = loupe_pointers_of_capture(&walk->unread, &captures->items[i],
                                                   walk->target->memory->machine.pointer_size,
                                                   captures->mode);
            continue;
        }
        struct loupe_unread_member member = cxx_member(captures, i, &i);
        status = loupe_unread_add(&walk->unread, &member);
    }
    return status;
}

/* Where the layout accounts for the helpers, it tells of the objects right in the variable. */
static enum loupe_status add_whole(struct loupe_walk *walk, const struct loupe_captures *captures,
                                   const struct loupe_capture_shapes *shapes,
                                   struct loupe_shape *shape) {
    const struct loupe_capture *last = &captures->items[captures->count - 1];
    uint32_t undescribed = 1u << shapes->undescribed;
    struct loupe_unread_member member = {.reason = shapes->undescribed,
                                         .kind = LOUPE_NODE_BYREF,
                                         .offset = shapes->whole,
                                         .size = last->offset + last->size - shapes->whole,
                                         .mode = captures->mode,
                                         .guessed = !(shape->findings & undescribed)};
    shape->findings &= ~undescribed; /* the member counts them */
    return loupe_unread_add(&walk->unread, &member);
}

static enum loupe_status add_members(struct loupe_walk *walk, const struct loupe_captures *captures,
                                     const struct loupe_capture_shapes *shapes,
                                     struct loupe_shape *shape) {
    shape->first_member = walk->unread.members.count;
    enum loupe_status status = shapes->whole && captures->count
                                   ? add_whole(walk, captures, shapes, shape)
                                   : add_undescribed(walk, captures, shapes->is_lent);
    shape->member_count = walk->unread.members.count - shape->first_member;
    return status;
}

/* The captures that refer to objects without owning them. */
static enum loupe_status add_nonowning(struct loupe_walk *walk,
                                       const struct loupe_captures *captures,
                                       enum loupe_edge_kind kind, struct loupe_shape *shape) {
    struct loupe_edge *nonowning =
        loupe_arena_alloc_array(&walk->target->arena, captures->count, sizeof(*nonowning));
    if (!nonowning)
        return LOUPE_ENOMEM;
    shape->nonowning = nonowning;
    for (uint32_t i = 0; i < captures->count; i++) {
        const struct loupe_capture *capture = &captures->items[i];
        bool weak = capture->kind == LOUPE_CAPTURE_WEAK;
        if (weak || capture->kind == LOUPE_CAPTURE_UNRETAINED)
            nonowning[shape->nonowning_count++] = (struct loupe_edge){
                .offset = capture->offset,
                .kind = (uint8_t)kind,
                .ownership = weak ? LOUPE_NONOWNING_WEAK : LOUPE_NONOWNING_UNRETAINED};
    }
    return LOUPE_OK;
}

static enum loupe_status make_shape(struct loupe_walk *walk, const struct loupe_captures *captures,
                                    enum loupe_edge_kind kind, struct loupe_shape *shape) {
    struct loupe_target *target = walk->target;
    struct loupe_edge *slots =
        loupe_arena_alloc_array(&target->arena, captures->count, sizeof(*slots));
    if (!slots)
        return LOUPE_ENOMEM;
    shape->slots = slots;
    for (uint32_t i = 0; i < captures->count; i++) {
        const struct loupe_capture *capture = &captures->items[i];
        if (!loupe_capture_owns(capture))
            continue;
        slots[shape->slot_count++] = (struct loupe_edge){
            .to = capture->kind == LOUPE_CAPTURE_BYREF ? LOUPE_TO_BYREF : LOUPE_TO_OBJECT,
            .offset = capture->offset,
            .kind = (uint8_t)kind,
            .detail = captures->mode,
            .ownership = LOUPE_STRONG};
        shape->extent = capture->offset + target->memory->machine.pointer_size;
    }
    return walk->explains ? add_nonowning(walk, captures, kind, shape) : LOUPE_OK;
}

enum loupe_status loupe_capture_shape_keep(struct loupe_walk *walk,
                                           const struct loupe_capture_shapes *shapes, uint64_t key,
                                           const struct loupe_captures *captures,
                                           const struct loupe_shape **ret) {
    struct loupe_shape shape = {.findings = findings_of(captures, shapes->undescribed),
                                .mode = captures->mode};
    uint32_t number = walk->shapes.count;
    enum loupe_status status = make_shape(walk, captures, shapes->kind, &shape);
    if (!status)
        status = add_members(walk, captures, shapes, &shape);
    if (status)
        return status;
    struct loupe_shape *place = loupe_vector_add(&walk->shapes);
    if (!place || loupe_map_put(shapes->by_key, key, number))
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

void loupe_capture_label(loupe_addr from, const struct loupe_edge *edge,
                         struct loupe_edge_label *ret) {
    loupe_format(ret->path, sizeof(ret->path), "+0x%x", edge->offset);
    ret->has_offset = true;
    ret->offset = edge->offset;
    ret->slot = from + edge->offset;
    ret->manual = edge->detail == LOUPE_MODE_MANUAL;
}
