/* What keeps nodes alive from outside of the heap. */
#include "edges/roots/pools.h"
#include "heap/snapshot_builder.h"

/* ---- One root ---- */

static enum loupe_status add_root(struct loupe_snapshot_builder *builder, uint32_t node,
                                  loupe_addr slot) {
    if (builder->roots.count == LOUPE_MOST_LINKS) {
        builder->counts.not_linked++;
        return LOUPE_OK;
    }
    struct loupe_snapshot_root *root = loupe_vector_add(&builder->roots);
    struct loupe_root_place *place = root ? loupe_vector_add(&builder->root_places) : NULL;
    if (!place)
        return LOUPE_ENOMEM;
    *root = builder->root;
    root->node = node;
    if (root->kind == LOUPE_ROOT_STACK && root->thread != LOUPE_NONE)
        root->frame = loupe_heap_frame_of(builder, root->thread, slot);
    *place = builder->place;
    place->slot = slot;
    return LOUPE_OK;
}

/* An entry of a pool. */
static enum loupe_status add_entry(void *visitor, loupe_addr object, loupe_addr slot,
                                   uint32_t retains) {
    struct loupe_snapshot_builder *builder = visitor;
    uint32_t block, kind = builder->root.kind;
    if (!loupe_blocks_find(builder->blocks, object, &block))
        return LOUPE_OK;
    builder->root.kind = LOUPE_ROOT_POOL;
    builder->place.retains = retains;
    enum loupe_status status = add_root(builder, block, slot);
    builder->place.retains = 0;
    builder->root.kind = kind;
    return status;
}

static bool is_weak(const struct loupe_snapshot_builder *builder, uint64_t word, loupe_addr slot) {
    struct loupe_target *target = builder->target;
    return slot && target->abi->weakness && target->abi->weakness(target, word, slot) == LOUPE_WEAK;
}

static enum loupe_status add_word(struct loupe_snapshot_builder *builder,
                                  const struct loupe_waiting_word *waiting, uint32_t block) {
    enum loupe_heap_form form = loupe_heap_form(builder, block);
    loupe_addr slot = waiting->place;
    if (!loupe_heap_is_reference(builder, waiting, block))
        return LOUPE_OK;
    if (form == LOUPE_HEAP_POOL) {
        enum loupe_status status = loupe_pools_visit(
            builder->target, builder->blocks->starts[block], &builder->pools, add_entry, builder);
        return status ? status : add_root(builder, block, slot);
    }
    if (form == LOUPE_HEAP_OBJECT && waiting->word == builder->addresses[block] &&
        is_weak(builder, waiting->word, slot))
        return LOUPE_OK;
    enum loupe_status status = loupe_heap_counted_root(builder, waiting, &block);
    if (!status && slot)
        status = loupe_heap_name_pointee(builder, waiting, block);
    return status ? status : add_root(builder, block, slot);
}

/* ---- Sources of the scene ---- */

/* What the roots of a source have in common. */
static enum loupe_status begin_source(struct loupe_snapshot_builder *builder,
                                      const struct loupe_root_source *source) {
    builder->root = (struct loupe_snapshot_root){
        .kind = (uint32_t)source->kind, .thread = LOUPE_NONE, .frame = LOUPE_NONE};
    builder->place = (struct loupe_root_place){
        .image = loupe_heap_text(&builder->tables, source->image),
        .name = loupe_heap_text(&builder->tables,
                                source->holder ? source->holder : source->register_name)};
    return source->of_thread
               ? loupe_heap_thread_number(builder, source->thread, &builder->root.thread)
               : LOUPE_OK;
}

/* A stack in a block ends with it. */
static struct loupe_range memory_of(const struct loupe_snapshot_builder *builder,
                                    const struct loupe_root_source *source) {
    struct loupe_range memory = source->memory;
    uint32_t block;
    if (source->kind == LOUPE_ROOT_STACK &&
        loupe_blocks_find(builder->blocks, memory.start, &block)) {
        loupe_addr end = builder->blocks->starts[block] + loupe_blocks_size(builder->blocks, block);
        memory.end = end < memory.end ? end : memory.end;
    }
    return memory;
}

/* What is not tables of allocators: those lead to blocks, and keep none alive. */
static enum loupe_status scan_data(struct loupe_snapshot_builder *builder,
                                   struct loupe_range memory) {
    struct loupe_ranges data;
    loupe_ranges_init(&data, builder->chunks);
    enum loupe_status status =
        loupe_ranges_add_without(&data, memory.start, memory.end, &builder->blocks->tables);
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&data); i++)
        status = loupe_heap_scan(builder, *loupe_ranges_at(&data, i), add_word);
    loupe_ranges_deinit(&data);
    return status;
}

/*
 * A thread that was stopped in malloc() or free() may have nothing of what it is getting or giving
 * back but where that begins for the allocator, in a register.
 */
static bool is_in_hand(const struct loupe_snapshot_builder *builder, uint64_t word, uint32_t *ret) {
    const struct loupe_blocks *blocks = builder->blocks;
    for (uint32_t i = 0; i < blocks->allocators.count; i++) {
        uint32_t header = loupe_blocks_allocator(blocks, i)->header;
        if (header && loupe_blocks_find(blocks, word + header, ret) &&
            blocks->starts[*ret] == word + header)
            return loupe_blocks_allocator(blocks, loupe_blocks_owner(blocks, *ret))->header ==
                   header;
    }
    return false;
}

static enum loupe_status take_lone_word(struct loupe_snapshot_builder *builder, uint64_t word) {
    struct loupe_waiting_word lone = {.word = word};
    uint32_t block;
    enum loupe_status status = LOUPE_OK;
    if (loupe_blocks_find(builder->blocks, word, &block))
        status = add_word(builder, &lone, block);
    if (!status && builder->root.kind == LOUPE_ROOT_REGISTER && is_in_hand(builder, word, &block))
        status = add_root(builder, block, 0);
    return status;
}

static enum loupe_status take_source(struct loupe_snapshot_builder *builder,
                                     const struct loupe_root_source *source) {
    enum loupe_status status = begin_source(builder, source);
    if (status)
        return status;
    if (source->memory.end)
        return scan_data(builder, memory_of(builder, source));
    return take_lone_word(builder, loupe_memory_strip(builder->target->memory, source->word));
}

/* ---- Memory of nobody: what the loader and the runtime have in images, too ---- */

/* What the scene has looked at, and what allocators have for themselves. */
static enum loupe_status take_known(struct loupe_snapshot_builder *builder,
                                    struct loupe_ranges *known) {
    const struct loupe_blocks *blocks = builder->blocks;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < builder->scene->sources.count; i++) {
        const struct loupe_root_source *source = loupe_scene_source(builder->scene, i);
        status = loupe_ranges_add(known, source->memory.start, source->memory.end);
    }
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&blocks->explained); i++) {
        const struct loupe_range *range = loupe_ranges_at(&blocks->explained, i);
        status = loupe_ranges_add(known, range->start, range->end);
    }
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&blocks->tables); i++) {
        const struct loupe_range *range = loupe_ranges_at(&blocks->tables, i);
        status = loupe_ranges_add(known, range->start, range->end);
    }
    for (uint32_t i = 0, next = 0; !status && i < blocks->count; i++) {
        loupe_addr start = blocks->starts[i];
        while (next < loupe_ranges_count(&blocks->explained) &&
               loupe_ranges_at(&blocks->explained, next)->end <= start)
            next++;
        if (next == loupe_ranges_count(&blocks->explained) ||
            loupe_ranges_at(&blocks->explained, next)->start > start)
            status = loupe_ranges_add(known, start, start + loupe_blocks_size(blocks, i));
    }
    loupe_ranges_join(known, 0);
    return status;
}

static enum loupe_status take_others(struct loupe_snapshot_builder *builder) {
    struct loupe_ranges known, others;
    loupe_ranges_init(&known, builder->chunks);
    loupe_ranges_init(&others, builder->chunks);
    enum loupe_status status = take_known(builder, &known);
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&builder->scene->writable); i++) {
        const struct loupe_range *range = loupe_ranges_at(&builder->scene->writable, i);
        status = loupe_ranges_add_without(&others, range->start, range->end, &known);
    }
    builder->root = (struct loupe_snapshot_root){
        .kind = LOUPE_ROOT_OTHER_MEMORY, .thread = LOUPE_NONE, .frame = LOUPE_NONE};
    builder->place = (struct loupe_root_place){.image = LOUPE_NONE, .name = LOUPE_NONE};
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&others); i++)
        status = loupe_heap_scan(builder, *loupe_ranges_at(&others, i), add_word);
    loupe_ranges_deinit(&known);
    loupe_ranges_deinit(&others);
    return status;
}

/* ---- Pools of threads whose variables are not known ---- */

/* The first page of a thread, or one whose parent is none. */
static bool begins_pools(const struct loupe_snapshot_builder *builder, uint32_t block) {
    struct loupe_pool_page page, parent;
    return loupe_pool_page_at(builder->target, builder->blocks->starts[block], &page) &&
           !loupe_pool_page_at(builder->target, page.parent, &parent);
}

/* The others are its children. */
static enum loupe_status take_pages(struct loupe_snapshot_builder *builder, uint32_t block) {
    enum loupe_status status = loupe_pools_visit(builder->target, builder->blocks->starts[block],
                                                 &builder->pools, add_entry, builder);
    if (status || !begins_pools(builder, block))
        return status;
    builder->root = (struct loupe_snapshot_root){
        .kind = LOUPE_ROOT_POOL, .thread = LOUPE_NONE, .frame = LOUPE_NONE};
    builder->place = (struct loupe_root_place){.image = LOUPE_NONE, .name = LOUPE_NONE};
    return add_root(builder, block, 0);
}

static enum loupe_status take_pools(struct loupe_snapshot_builder *builder) {
    enum loupe_status status = LOUPE_OK;
    struct loupe_pool_page page;
    for (uint32_t i = 0; !status && i < builder->heap_nodes; i++) {
        if (loupe_heap_form(builder, i) != LOUPE_HEAP_POOL)
            continue;
        if (loupe_heap_pool_in(builder, i, &page))
            status = loupe_pool_visit_page(builder->target, &page, add_entry, builder);
        else
            status = take_pages(builder, i);
    }
    return status;
}

/* ---- What is outside is there whoever holds it ---- */

static const struct loupe_root_source nowhere = {.kind = LOUPE_ROOT_GIVEN};

static const struct loupe_root_source *source_around(const struct loupe_snapshot_builder *builder,
                                                     loupe_addr address) {
    for (uint32_t i = 0; i < builder->scene->sources.count; i++) {
        const struct loupe_root_source *source = loupe_scene_source(builder->scene, i);
        if (address >= source->memory.start && address < source->memory.end)
            return source;
    }
    return NULL;
}

/* What the runtime keeps for classes of images. */
static enum loupe_status take_class_memory(struct loupe_snapshot_builder *builder) {
    enum loupe_status status = LOUPE_OK;
    loupe_addr last = 0;
    for (uint32_t i = builder->class_links_done; !status && i < builder->class_links.count; i++) {
        const struct loupe_class_link *link =
            loupe_vector_at(&builder->class_links, i, sizeof(struct loupe_class_link));
        if (link->slot == last)
            continue;
        last = link->slot;
        const struct loupe_root_source *source = source_around(builder, link->slot);
        status = begin_source(builder, source ? source : &nowhere);
        builder->root.kind = LOUPE_ROOT_STICKY_CLASS;
        if (!status)
            status = add_root(builder, link->to, link->slot);
    }
    return status;
}

static enum loupe_status take_outside(struct loupe_snapshot_builder *builder) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < builder->outside.count; i++) {
        const struct loupe_outside_node *node = loupe_outside_at(builder, i);
        const struct loupe_root_source *source = source_around(builder, node->address);
        status = begin_source(builder, source ? source : &nowhere);
        if (!source)
            builder->root.kind = LOUPE_ROOT_OTHER_MEMORY;
        if (node->form == LOUPE_HEAP_CLASS)
            builder->root.kind = LOUPE_ROOT_STICKY_CLASS;
        if (!status)
            status = add_root(builder, builder->heap_nodes + i, node->address);
    }
    return status;
}

enum loupe_status loupe_heap_find_roots(struct loupe_snapshot_builder *builder) {
    enum loupe_status status = loupe_heap_take_threads(builder);
    for (uint32_t i = 0; !status && i < builder->scene->sources.count; i++)
        status = take_source(builder, loupe_scene_source(builder->scene, i));
    if (!status)
        status = take_others(builder);
    if (!status)
        status = take_pools(builder);
    if (!status)
        status = take_class_memory(builder);
    return status ? status : take_outside(builder);
}
