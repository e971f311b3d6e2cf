#include "questions/live_heap.h"

#include "blocks/byref.h"
#include "runtime/abi.h"

/* ---- Nodes as a walk knows them ---- */

static struct loupe_node node_of(void *ctx, uint32_t number) {
    const struct loupe_live_heap *live = ctx;
    loupe_addr address = loupe_snapshot_address(live->snapshot, number);
    enum loupe_node_kind kind = loupe_native_node_kind(live->snapshot, number);
    struct loupe_object object;
    if (kind == LOUPE_NODE_BYREF || kind == LOUPE_NODE_RAW ||
        loupe_object_at(live->walk.target, address, &object, NULL))
        return (struct loupe_node){.address = address, .tag = loupe_node_tag(kind, 0)};
    return (struct loupe_node){
        .address = address, .tag = loupe_node_tag(loupe_object_kind(&object), object.cls->number)};
}

/* ---- Slots ---- */

static loupe_addr *slot_place(const struct loupe_live_heap *live, uint32_t link) {
    uint32_t index = link - live->snapshot->columns.first[live->node];
    return loupe_vector_at(&live->slots, index, sizeof(loupe_addr));
}

/* References come in the order of the links that were made of them; some were made into none. */
static enum loupe_status take(void *ctx, uint64_t word, loupe_addr slot,
                              const struct loupe_edge *edge) {
    struct loupe_live_heap *live = ctx;
    const struct loupe_columns *columns = &live->snapshot->columns;
    uint32_t link = live->next, end = columns->first[live->node + 1];
    (void)edge;
    while (link < end && loupe_snapshot_address(live->snapshot, columns->to[link]) != word)
        link++;
    if (link == end)
        return LOUPE_OK;
    *slot_place(live, link) = slot;
    live->next = link + 1;
    return LOUPE_OK;
}

static void enter(void *ctx, const struct loupe_slot_group *group) {
    (void)ctx;
    (void)group;
}

static bool make_room(struct loupe_live_heap *live, uint32_t node) {
    const struct loupe_columns *columns = &live->snapshot->columns;
    uint32_t count = columns->first[node + 1] - columns->first[node];
    live->slots.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        loupe_addr *slot = loupe_vector_add(&live->slots);
        if (!slot)
            return false;
        *slot = 0;
    }
    return true;
}

/* What was met on the way was counted when the snapshot was made. */
static bool look_at(struct loupe_live_heap *live, uint32_t node) {
    struct loupe_reference_taker taker = {
        .ctx = live, .node = node_of, .take = take, .enter = enter};
    struct loupe_target *target = live->walk.target;
    struct loupe_findings findings = target->findings;
    if (!make_room(live, node))
        return false;
    live->node = node;
    live->next = live->snapshot->columns.first[node];
    live->walk.taker = &taker;
    enum loupe_status status = loupe_walk_hand_over(&live->walk, node);
    live->walk.taker = NULL;
    target->findings = findings;
    return !status;
}

static loupe_addr slot(void *ctx, uint32_t node, uint32_t link) {
    struct loupe_live_heap *live = ctx;
    if (node != live->node && !look_at(live, node))
        live->node = LOUPE_NO_NODE;
    return live->node == node ? *slot_place(live, link) : 0;
}

/* ---- Sizes ---- */

static bool size(void *ctx, uint32_t node, uint64_t *ret) {
    const struct loupe_live_heap *live = ctx;
    struct loupe_target *target = live->walk.target;
    loupe_addr address = loupe_snapshot_address(live->snapshot, node);
    struct loupe_object object;
    struct loupe_block block;
    struct loupe_byref byref;
    switch (loupe_native_node_kind(live->snapshot, node)) {
    case LOUPE_NODE_OBJECT:
        if (loupe_object_at(target, address, &object, NULL))
            return false;
        *ret = object.cls->instance_size;
        return true;
    case LOUPE_NODE_BLOCK:
        if (loupe_block_read(target->memory, address, target->abi->block_traits(target), &block,
                             NULL))
            return false;
        *ret = block.size;
        return true;
    case LOUPE_NODE_BYREF:
        if (loupe_byref_read(target->memory, &target->arena, address,
                             target->abi->block_traits(target), &byref, NULL))
            return false;
        *ret = byref.size;
        return true;
    default:
        return false;
    }
}

/* ---- Life ---- */

void loupe_live_heap_init(struct loupe_live_heap *live, const struct loupe_snapshot *snapshot,
                          struct loupe_target *target, const struct loupe_facts *facts) {
    live->snapshot = snapshot;
    loupe_walk_init(&live->walk, target);
    loupe_walk_believe(&live->walk, facts);
    live->walk.explains = true;
    loupe_vector_init(&live->slots, target->chunks, sizeof(loupe_addr));
    live->node = LOUPE_NO_NODE;
    live->facts = (struct loupe_heap_live){.ctx = live, .slot = slot, .size = size};
}

void loupe_live_heap_deinit(struct loupe_live_heap *live) {
    loupe_vector_deinit(&live->slots);
}
