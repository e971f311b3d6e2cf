/* The references of nodes that the runtime, the compiler or the host describes. */
#include "edges/roots/pools.h"
#include "heap/snapshot_builder.h"

/* ---- One reference ---- */

enum loupe_link_kind loupe_heap_link_kind(const struct loupe_edge *edge) {
    switch ((enum loupe_ownership)edge->ownership) {
    case LOUPE_STRONG:
        return LOUPE_LINK_STRONG;
    case LOUPE_NONOWNING_WEAK:
        return LOUPE_LINK_WEAK;
    case LOUPE_NONOWNING_UNRETAINED:
    case LOUPE_DISOWNED:
        return LOUPE_LINK_UNOWNED;
    case LOUPE_ASSUMED:
    case LOUPE_DECLARED:
        break;
    }
    return LOUPE_LINK_ASSUMED;
}

/* Whether a word stands in the node whose references are found. */
static bool is_own(const struct loupe_snapshot_builder *builder, loupe_addr slot) {
    if (builder->number >= builder->heap_nodes)
        return false;
    return slot - builder->blocks->starts[builder->number] <
           loupe_blocks_size(builder->blocks, builder->number);
}

static const struct loupe_class *class_of_node(const struct loupe_snapshot_builder *builder) {
    uint32_t number =
        builder->number < builder->heap_nodes
            ? builder->classes[builder->number]
            : loupe_outside_at(builder, builder->number - builder->heap_nodes)->class_number;
    return loupe_heap_class_at(&builder->tables, number)->cls;
}

/* The block around a place is memory that the node keeps for itself, if it is nothing else. */
static void name_storage(struct loupe_snapshot_builder *builder, loupe_addr place) {
    const struct loupe_class *cls = class_of_node(builder);
    uint32_t block;
    if (!cls || !place || is_own(builder, place) ||
        place - builder->storage.start < builder->storage.end - builder->storage.start ||
        !loupe_blocks_find(builder->blocks, place, &block) ||
        loupe_heap_form(builder, block) != LOUPE_HEAP_RAW)
        return;
    builder->classes[block] = loupe_heap_class_of_storage(&builder->tables, cls);
    builder->storage.start = builder->blocks->starts[block];
    builder->storage.end = builder->storage.start + loupe_blocks_size(builder->blocks, block);
}

/*
 * An array that gets shorter may keep what was removed behind its last element. Nobody looks there,
 * so such words lead nowhere: without this a ring would be alive for what once held it. Only in a
 * block of the array's own, which begins with it or with a few words about it.
 */
static void pass_over_room(struct loupe_snapshot_builder *builder,
                           const struct loupe_slot_group *group) {
    enum { MOST_WORDS_BEFORE = 2 };
    uint8_t word = builder->target->memory->machine.pointer_size;
    uint32_t block;
    if (!group->ends_memory || !loupe_blocks_find(builder->blocks, group->first, &block) ||
        loupe_heap_form(builder, block) != LOUPE_HEAP_RAW ||
        group->first - builder->blocks->starts[block] > MOST_WORDS_BEFORE * word)
        return;
    loupe_addr end = builder->blocks->starts[block] + loupe_blocks_size(builder->blocks, block);
    loupe_addr at = group->first + (loupe_addr)group->count * group->stride;
    end -= end % word;
    if (at >= end || loupe_word_set_has(&builder->described, end - word))
        return; /* it is full, or was seen before */
    for (uint64_t i = 0; at < end && !loupe_memory_ends_at(builder->target->memory, i);
         at += word, i++) {
        if (loupe_word_set_add(&builder->described, at))
            builder->tables.status = LOUPE_ENOMEM;
    }
}

uint32_t loupe_heap_slot_number(const struct loupe_snapshot_builder *builder, loupe_addr slot,
                                const struct loupe_edge *edge) {
    bool inside = slot && slot >= builder->node.address && is_own(builder, slot);
    if (builder->group && !builder->group->name)
        return edge->offset;
    if (inside && slot - builder->node.address < LOUPE_SLOT_SPECIAL)
        return (uint32_t)(slot - builder->node.address);
    return edge->kind == LOUPE_EDGE_IVAR ? edge->offset : LOUPE_SLOT_UNKNOWN;
}

/* One more link, which is to be filled in. */
struct link_places {
    uint32_t *to, *slot, *label;
    uint8_t *kind; /* NULL: there is no memory */
};

static struct link_places append(struct loupe_link_columns *links) {
    struct link_places places = {.to = loupe_vector_add(&links->to)};
    places.slot = places.to ? loupe_vector_add(&links->slots) : NULL;
    places.label = places.slot ? loupe_vector_add(&links->labels) : NULL;
    places.kind = places.label ? loupe_vector_add(&links->kinds) : NULL;
    return places;
}

static enum loupe_status add_link(struct loupe_snapshot_builder *builder, uint32_t to,
                                  loupe_addr slot, const struct loupe_edge *edge) {
    struct loupe_link_columns *links = &builder->found;
    if (links->to.count == LOUPE_MOST_LINKS) {
        builder->counts.not_linked++;
        return LOUPE_OK;
    }
    uint32_t label = loupe_heap_label(&builder->tables, builder->walk, builder->node, edge,
                                      builder->group, slot);
    struct link_places places = append(links);
    if (!places.kind)
        return LOUPE_ENOMEM;
    *places.to = to;
    *places.slot = loupe_heap_slot_number(builder, slot, edge);
    *places.label = label;
    *places.kind = (uint8_t)loupe_heap_link_kind(edge);
    return LOUPE_OK;
}

/* A slot that holds a record in place of its object. */
static bool holds_weak_record(struct loupe_snapshot_builder *builder, uint64_t word) {
    uint32_t block;
    return loupe_blocks_find(builder->blocks, word, &block) &&
           loupe_heap_form(builder, block) == LOUPE_HEAP_RECORD;
}

/* What leads to no object is a word like any other, except where it is weak. Of one that leads to
 * what was freed more is said than that. */
static enum loupe_status pass_over(struct loupe_snapshot_builder *builder, uint64_t word,
                                   loupe_addr slot, const struct loupe_edge *edge) {
    struct loupe_target *target = builder->target;
    bool in_flux = target->abi->is_in_flux && target->abi->is_in_flux(target, word);
    if (slot && (edge->ownership == LOUPE_NONOWNING_WEAK || holds_weak_record(builder, word)))
        return loupe_word_set_add(&builder->described, slot);
    uint32_t dangling = builder->dangling.count;
    enum loupe_status status =
        in_flux ? LOUPE_OK : loupe_heap_keep_dangling(builder, word, LOUPE_NO_NODE, slot, edge);
    if (status || loupe_heap_link_kind(edge) == LOUPE_LINK_UNOWNED || in_flux)
        return status;
    if (builder->dangling.count == dangling)
        loupe_findings_add(&target->findings, LOUPE_FINDING_NOT_AN_OBJECT, slot);
    loupe_walk_keep_freed(builder->walk, builder->number, word, edge);
    return LOUPE_OK;
}

static enum loupe_status take(void *ctx, uint64_t word, loupe_addr slot,
                              const struct loupe_edge *edge) {
    struct loupe_snapshot_builder *builder = ctx;
    uint32_t to;
    enum loupe_status status = edge->to == LOUPE_TO_BYREF
                                   ? loupe_heap_byref_node(builder, word, &to)
                                   : loupe_heap_object_node(builder, word, &to);
    if (status)
        return status;
    if (to == LOUPE_NO_NODE)
        return pass_over(builder, word, slot, edge);
    if (slot) {
        status = loupe_word_set_add(&builder->described, slot);
        name_storage(builder, slot);
    }
    if (!status)
        status = loupe_heap_keep_dangling(builder, word, to, slot, edge);
    return status ? status : add_link(builder, to, slot, edge);
}

/* An item that is no object in memory; other such words stand in fields. */
static enum loupe_status take_value(void *ctx, uint64_t word, loupe_addr slot,
                                    const struct loupe_edge *edge) {
    struct loupe_snapshot_builder *builder = ctx;
    if (edge->kind != LOUPE_EDGE_ELEMENT && edge->kind != LOUPE_EDGE_VALUE)
        return LOUPE_OK;
    if (builder->items.count == LOUPE_MOST_VALUE_ITEMS) {
        builder->counts.texts_left_out++;
        return LOUPE_OK;
    }
    struct loupe_value_item item = {.word = word,
                                    .node = builder->number,
                                    .slot = loupe_heap_slot_number(builder, slot, edge),
                                    .label = loupe_heap_label(&builder->tables, builder->walk,
                                                              builder->node, edge, builder->group,
                                                              slot)};
    struct loupe_value_item *added = loupe_vector_add(&builder->items);
    if (!added || item.label == LOUPE_NONE)
        return LOUPE_ENOMEM;
    *added = item;
    return LOUPE_OK;
}

static void enter(void *ctx, const struct loupe_slot_group *group) {
    struct loupe_snapshot_builder *builder = ctx;
    builder->group = group;
    builder->storage = (struct loupe_range){0};
    if (group) {
        name_storage(builder, group->first);
        name_storage(builder, group->keys);
        pass_over_room(builder, group);
    }
}

static struct loupe_node node(void *ctx, uint32_t number) {
    return loupe_heap_node(ctx, number);
}

/* ---- Which block led to a byref ---- */

static enum loupe_status take_holder(void *ctx, uint64_t word, loupe_addr slot,
                                     const struct loupe_edge *edge) {
    struct loupe_snapshot_builder *builder = ctx;
    uint32_t to, ignored;
    (void)slot;
    if (edge->to != LOUPE_TO_BYREF)
        return LOUPE_OK;
    enum loupe_status status = loupe_heap_byref_node(builder, word, &to);
    if (!status && to != LOUPE_NO_NODE && !loupe_map_find(&builder->walk->holders, to, &ignored))
        status = loupe_map_put(&builder->walk->holders, to, builder->number);
    return status;
}

static bool has_references(enum loupe_heap_form form) {
    return form == LOUPE_HEAP_OBJECT || form == LOUPE_HEAP_BLOCK || form == LOUPE_HEAP_BYREF ||
           form == LOUPE_HEAP_CLASS;
}

/* Nothing in a byref tells how its code manages memory; the block that led to it may. */
static enum loupe_status find_holders(struct loupe_snapshot_builder *builder) {
    struct loupe_reference_taker taker = {
        .ctx = builder, .node = node, .take = take_holder, .enter = enter};
    struct loupe_findings findings = builder->target->findings;
    enum loupe_status status = LOUPE_OK;
    builder->walk->taker = &taker;
    for (uint32_t i = 0; !status && i < builder->heap_nodes; i++) {
        builder->number = i;
        if (loupe_heap_form(builder, i) == LOUPE_HEAP_BLOCK)
            status = loupe_walk_hand_over(builder->walk, i);
    }
    builder->target->findings = findings; /* they are met again */
    loupe_unread_forget(&builder->walk->unread);
    return status;
}

/* ---- All nodes ---- */

static void forget(struct loupe_link_columns *links) {
    links->to.count = links->slots.count = links->labels.count = links->kinds.count = 0;
}

/* A word of the runtime's own, as those are that nothing describes. */
static enum loupe_status add_plain_link(struct loupe_snapshot_builder *builder, uint32_t from,
                                        uint32_t to, loupe_addr slot) {
    struct loupe_link_columns *links = &builder->found;
    uint64_t offset = slot - builder->addresses[from];
    if (from == to)
        return LOUPE_OK;
    if (links->to.count == LOUPE_MOST_LINKS) {
        builder->counts.not_linked++;
        return LOUPE_OK;
    }
    struct link_places places = append(links);
    if (!places.kind)
        return LOUPE_ENOMEM;
    *places.to = to;
    *places.slot = offset < LOUPE_SLOT_SPECIAL ? (uint32_t)offset : LOUPE_SLOT_UNKNOWN;
    *places.label = LOUPE_NONE;
    *places.kind = LOUPE_LINK_CONSERVATIVE;
    return LOUPE_OK;
}

/* Those of a block, once each: two classes may share what they lead to. */
static enum loupe_status add_class_links(struct loupe_snapshot_builder *builder, uint32_t number) {
    enum loupe_status status = LOUPE_OK;
    loupe_addr last = 0;
    while (!status && builder->class_links_done < builder->class_links.count) {
        const struct loupe_class_link *link = loupe_vector_at(
            &builder->class_links, builder->class_links_done, sizeof(struct loupe_class_link));
        if (link->from != number)
            break;
        if (link->slot != last)
            status = add_plain_link(builder, number, link->to, link->slot);
        last = link->slot;
        builder->class_links_done++;
    }
    return status;
}

/* The pages before and after one. */
static enum loupe_status add_pages(struct loupe_snapshot_builder *builder, uint32_t number) {
    struct loupe_pool_page page;
    enum loupe_status status = LOUPE_OK;
    if (!loupe_pool_page_at(builder->target, builder->addresses[number], &page))
        return LOUPE_OK;
    const loupe_addr places[] = {page.parent_place, page.child_place};
    const loupe_addr pages[] = {page.parent, page.child};
    for (unsigned i = 0; !status && i < sizeof(pages) / sizeof(pages[0]); i++) {
        uint32_t block;
        if (pages[i] && loupe_blocks_find(builder->blocks, pages[i], &block))
            status = add_plain_link(builder, number, block, places[i]);
    }
    return status;
}

/* What is counted keeps what counts it: one is freed behind the other. */
static enum loupe_status add_control(struct loupe_snapshot_builder *builder, uint32_t number) {
    struct loupe_link_columns *links = &builder->found;
    if (links->to.count == LOUPE_MOST_LINKS) {
        builder->counts.not_linked++;
        return LOUPE_OK;
    }
    struct link_places places = append(links);
    if (!places.kind)
        return LOUPE_ENOMEM;
    *places.to = loupe_heap_counted(builder, number)->control;
    *places.slot = LOUPE_SLOT_UNKNOWN;
    *places.label = loupe_heap_control_label(&builder->tables);
    *places.kind = LOUPE_LINK_STRONG;
    return LOUPE_OK;
}

static enum loupe_status expand(struct loupe_snapshot_builder *builder, uint32_t number,
                                enum loupe_heap_form form) {
    enum loupe_status status = LOUPE_OK;
    if (has_references(form)) {
        builder->number = number;
        builder->node = loupe_heap_node(builder, number);
        status = loupe_walk_hand_over(builder->walk, number);
    }
    if (!status && form == LOUPE_HEAP_POOL)
        status = add_pages(builder, number);
    if (!status && form == LOUPE_HEAP_MANAGED)
        status = add_control(builder, number);
    return status ? status : add_class_links(builder, number);
}

/* What is outside has its references behind those of the heap, as it has its number. */
static enum loupe_status expand_outside(struct loupe_snapshot_builder *builder) {
    enum loupe_status status = LOUPE_OK;
    builder->outside_ends.count = 0;
    for (uint32_t i = 0; !status && i < builder->outside.count; i++) {
        const struct loupe_outside_node *outside = loupe_outside_at(builder, i);
        status = expand(builder, builder->heap_nodes + i, (enum loupe_heap_form)outside->form);
        uint32_t *end = status ? NULL : loupe_vector_add(&builder->outside_ends);
        if (!status && !end)
            status = LOUPE_ENOMEM;
        if (end)
            *end = builder->found.to.count;
    }
    return status;
}

/* Fetches what tells which node a word leads to. */
static void expect(const struct loupe_snapshot_builder *builder, uint64_t word) {
    uint32_t guess = loupe_blocks_expect(builder->blocks, word);
    if (guess == LOUPE_MAX_BLOCKS)
        return;
    loupe_prefetch(&builder->marks[guess]);
    loupe_prefetch(&builder->addresses[guess]);
}

/* Of a node that comes soon: fetches what tells where its words lead. */
static void look_ahead(const struct loupe_snapshot_builder *builder, uint32_t node) {
    enum { LOOKED_AT = 6 };
    const struct loupe_memory *memory = builder->target->memory;
    uint8_t word = memory->machine.pointer_size;
    if (node >= builder->heap_nodes || !has_references(loupe_heap_form(builder, node)))
        return;
    /* Cap: what is fetched ahead; all of it is looked at later. */
    for (unsigned i = 1; i < LOOKED_AT; i++) {
        const uint8_t *bytes =
            loupe_memory_peek(memory, builder->addresses[node] + (loupe_addr)i * word, word);
        if (bytes)
            expect(builder, loupe_load_word(word, bytes));
    }
}

static enum loupe_status expand_all(struct loupe_snapshot_builder *builder) {
    enum { NODES_BETWEEN_CHECKS = 1 << 12, NODES_AHEAD = 8, NODES_FAR_AHEAD = 24 };
    struct loupe_reference_taker taker = {
        .ctx = builder, .node = node, .take = take, .take_value = take_value, .enter = enter};
    enum loupe_status status = LOUPE_OK;
    builder->walk->taker = &taker;
    forget(&builder->found);
    builder->class_links_done = 0;
    for (uint32_t i = 0; !status && i < builder->heap_nodes; i++) {
        loupe_heap_fetch(builder, i + NODES_FAR_AHEAD);
        look_ahead(builder, i + NODES_AHEAD);
        if (i % NODES_BETWEEN_CHECKS == 0 && loupe_memory_interrupted(builder->target->memory))
            status = LOUPE_ETIMEOUT;
        else
            status = expand(builder, i, loupe_heap_form(builder, i));
        builder->found.ends[i] = builder->found.to.count;
    }
    return status ? status : expand_outside(builder);
}

/* ---- Weak references that the runtime lists ---- */

/* The keys of its table lead to objects that they do not keep alive. */
static enum loupe_status describe_weak_keys(struct loupe_snapshot_builder *builder) {
    struct loupe_target *target = builder->target;
    enum loupe_status status = LOUPE_OK;
    struct loupe_weak_keys keys = {.count = 0};
    for (uint32_t i = 0; target->abi->weak_table && !keys.count && i < builder->heap_nodes; i++) {
        loupe_addr start = builder->blocks->starts[i];
        struct loupe_range block = {.start = start,
                                    .end = start + loupe_blocks_size(builder->blocks, i)};
        if (loupe_heap_form(builder, i) != LOUPE_HEAP_RAW ||
            !target->abi->weak_table(target, block, &keys))
            keys.count = 0;
    }
    for (uint32_t i = 0; !status && i < keys.count; i++)
        status = loupe_word_set_add(&builder->described, keys.first + (loupe_addr)i * keys.stride);
    return status;
}

/*
 * Where a reference leads to an object that was not taken for one, all are found again: its own
 * come before those of later nodes.
 */
enum loupe_status loupe_heap_find_described(struct loupe_snapshot_builder *builder) {
    enum { MOST_ROUNDS = 8 };
    struct loupe_findings before = builder->target->findings;
    enum loupe_status status = describe_weak_keys(builder);
    bool holds_byrefs = builder->tables.plain_classes[LOUPE_CLASS_BYREFS] != LOUPE_NONE;
    /* Cap: objects beyond the limit. */
    for (unsigned round = 0; !status && round < MOST_ROUNDS; round++) {
        builder->changed = 0;
        builder->target->findings = before;
        loupe_unread_forget(&builder->walk->unread);
        builder->walk->freed.count = 0;
        builder->dangling.count = 0;
        builder->items.count = 0;
        builder->counts.dangling_left_out = 0;
        if (holds_byrefs)
            status = find_holders(builder);
        if (!status)
            status = expand_all(builder);
        if (!builder->changed)
            break;
    }
    builder->walk->taker = NULL;
    if (!status && builder->changed)
        loupe_findings_add(&builder->target->findings, LOUPE_FINDING_LIMIT, 0);
    return status ? status : builder->tables.status;
}
