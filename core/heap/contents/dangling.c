/* References to what was freed: by the marks of runtime/freed.h, and only where these are certain.
 */
#include "heap/snapshot_builder.h"
#include "runtime/freed.h"

/* Of what is in no block, whether it was freed: struct loupe_outside_node, freed. */
enum { NOT_ASKED, WAS_FREED, IS_THERE };

/* A zombie is an object as any to the heap. What is in no block may be a constant, or a freed
 * object that reads as well as ever. */
static bool may_be_freed(const struct loupe_snapshot_builder *builder, uint32_t to) {
    if (to == LOUPE_NO_NODE)
        return true;
    if (to < builder->heap_nodes)
        return builder->tables.has_zombies &&
               loupe_heap_class_at(&builder->tables, builder->classes[to])->is_zombie;
    const struct loupe_outside_node *node = loupe_outside_at(builder, to - builder->heap_nodes);
    return node->freed != IS_THERE &&
           (node->form == LOUPE_HEAP_OBJECT || node->form == LOUPE_HEAP_BLOCK);
}

static bool was_freed(const struct loupe_snapshot_builder *builder, uint64_t word, uint32_t to,
                      struct loupe_freed *ret) {
    bool is_freed =
        may_be_freed(builder, to) && loupe_freed_at(builder->target, word, ret) && ret->certain;
    if (to != LOUPE_NO_NODE && to >= builder->heap_nodes)
        loupe_outside_at(builder, to - builder->heap_nodes)->freed =
            is_freed ? WAS_FREED : IS_THERE;
    return is_freed;
}

/* gnustep-base has a table of all zombies, which points to them as long as it is there. */
static bool keeps_zombies(const struct loupe_snapshot_builder *builder) {
    loupe_addr table = builder->target->zombie_classes;
    return table && builder->node.address == table;
}

/* The class that it had: its isa may still lead there. */
static uint32_t class_before(struct loupe_snapshot_builder *builder, uint64_t word,
                             const struct loupe_freed *freed) {
    struct loupe_object object;
    if (freed->was)
        return loupe_heap_text(&builder->tables, freed->was);
    if (freed->mark == LOUPE_FREED_ZOMBIE ||
        loupe_object_at(builder->target, word, &object, NULL) ||
        loupe_object_kind(&object) != LOUPE_NODE_OBJECT)
        return LOUPE_NONE;
    return loupe_heap_text(&builder->tables, object.cls->name);
}

enum loupe_status loupe_heap_keep_dangling(struct loupe_snapshot_builder *builder, uint64_t word,
                                           uint32_t to, loupe_addr slot,
                                           const struct loupe_edge *edge) {
    struct loupe_freed freed;
    if (edge->ownership == LOUPE_NONOWNING_WEAK || !was_freed(builder, word, to, &freed) ||
        keeps_zombies(builder))
        return LOUPE_OK;
    if (builder->dangling.count == LOUPE_MOST_DANGLING) {
        builder->counts.dangling_left_out++;
        return LOUPE_OK;
    }
    struct loupe_dangling dangling = {
        .target = word,
        .from = builder->number,
        .slot = loupe_heap_slot_number(builder, slot, edge),
        .label = loupe_heap_label(&builder->tables, builder->walk, builder->node, edge,
                                  builder->group, slot),
        .kind = (uint32_t)loupe_heap_link_kind(edge),
        .was = class_before(builder, word, &freed),
        .why = loupe_heap_text(&builder->tables, loupe_freed_text(freed.mark))};
    struct loupe_dangling *added = loupe_vector_add(&builder->dangling);
    if (!added || dangling.label == LOUPE_NONE)
        return LOUPE_ENOMEM;
    *added = dangling;
    return LOUPE_OK;
}
