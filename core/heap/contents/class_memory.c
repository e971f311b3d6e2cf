/* The memory that the runtime keeps for its classes, which words lead to that nothing else reads.
 */
#include "base/sort.h"
#include "heap/snapshot_builder.h"
#include "runtime/class_walk.h"

enum { MOST_LISTED = 1 << 24 }; /* words of tables of classes, of all images */

/* ---- One word ---- */

static bool comes_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_class_link *x = a, *y = b;
    (void)ctx;
    return x->from != y->from ? x->from < y->from : x->slot < y->slot;
}

/* The end of the memory that a word leads to, which is the runtime's; 0: it is not. */
static loupe_addr take(void *ctx, loupe_addr slot, loupe_addr memory) {
    struct loupe_snapshot_builder *builder = ctx;
    struct loupe_class_link link = {.slot = slot, .from = LOUPE_NO_NODE};
    if (!loupe_blocks_find(builder->blocks, memory, &link.to))
        return 0;
    loupe_blocks_find(builder->blocks, slot, &link.from);
    struct loupe_class_link *added = loupe_vector_add(&builder->class_links);
    if (!added || loupe_word_set_add(&builder->described, slot)) {
        builder->tables.status = LOUPE_ENOMEM;
        return 0;
    }
    *added = link;
    if (loupe_heap_form(builder, link.to) == LOUPE_HEAP_RAW)
        loupe_heap_take_runtimes(builder, link.to, LOUPE_HEAP_TABLE);
    return loupe_heap_form(builder, link.to) == LOUPE_HEAP_TABLE
               ? builder->blocks->starts[link.to] + loupe_blocks_size(builder->blocks, link.to)
               : 0;
}

/* ---- All classes ---- */

/* Whether any memory of the heap is kept for what may be a class. */
static loupe_addr note_memory(void *ctx, loupe_addr slot, loupe_addr memory) {
    struct loupe_snapshot_builder *builder = ctx;
    uint32_t ignored;
    (void)slot;
    builder->has_class_memory |= loupe_blocks_find(builder->blocks, memory, &ignored);
    return 0;
}

static bool has_memory(struct loupe_snapshot_builder *builder, loupe_addr address) {
    enum { WORDS_OF_A_CLASS = 8 };
    struct loupe_class_memory_taker taker = {
        .take = note_memory, .ctx = builder, .words_left = WORDS_OF_A_CLASS};
    builder->has_class_memory = false;
    builder->target->abi->hand_over_class_memory(builder->target, address, &taker);
    return builder->has_class_memory;
}

/*
 * Those that images list: not every class that is in use is a relative of one that is known. `left`
 * words are looked at, and a page that cannot be read is as many as it has bytes: a damaged image
 * may say that a list has any size.
 */
static void meet_listed(struct loupe_snapshot_builder *builder, struct loupe_class_walk *walk,
                        struct loupe_range list, uint32_t *left) {
    struct loupe_memory *memory = builder->target->memory;
    uint8_t word = memory->machine.pointer_size;
    uint64_t next;
    for (loupe_addr at = list.start; at < list.end && list.end - at >= word && *left; at += next) {
        loupe_addr address;
        bool readable = !loupe_memory_read_pointer(memory, at, &address);
        if (loupe_memory_interrupted(memory))
            return;
        next = readable ? word : LOUPE_PAGE_SIZE - at % LOUPE_PAGE_SIZE;
        uint32_t cost = readable ? 1 : LOUPE_PAGE_SIZE;
        *left -= cost < *left ? cost : *left;
        if (next > list.end - at)
            return;
        if (readable && has_memory(builder, address))
            loupe_class_walk_meet(walk, address);
    }
}

static void meet_all(struct loupe_snapshot_builder *builder, struct loupe_class_walk *walk) {
    const struct loupe_ranges *lists = &builder->scene->not_objects;
    uint32_t left = MOST_LISTED;
    for (uint32_t i = 0; i < loupe_ranges_count(lists); i++)
        meet_listed(builder, walk, *loupe_ranges_at(lists, i), &left);
    if (!left)
        loupe_findings_add(&builder->target->findings, LOUPE_FINDING_LIMIT, 0);
    for (uint32_t i = 0; i < builder->heap_nodes; i++) {
        if (loupe_heap_form(builder, i) == LOUPE_HEAP_CLASS)
            loupe_class_walk_meet(walk, builder->addresses[i]);
    }
}

/* Each word of the heap once, and again where two lists share a third, is more than there can be.
 */
static uint64_t most_words(const struct loupe_snapshot_builder *builder) {
    enum { TIMES = 4, OF_A_CLASS = 8 };
    uint64_t bytes = (uint64_t)LOUPE_MAX_CLASSES * OF_A_CLASS;
    for (uint32_t i = 0; i < builder->blocks->allocators.count; i++)
        bytes += loupe_blocks_allocator(builder->blocks, i)->bytes;
    return TIMES * bytes / builder->target->memory->machine.pointer_size;
}

enum loupe_status loupe_heap_find_class_memory(struct loupe_snapshot_builder *builder) {
    struct loupe_class_memory_taker taker = {.take = take, .ctx = builder};
    const struct loupe_class *cls;
    struct loupe_class_walk walk;
    if (!builder->target->abi->hand_over_class_memory)
        return LOUPE_OK;
    taker.words_left = most_words(builder);
    loupe_class_walk_begin(&walk, builder->target);
    meet_all(builder, &walk);
    while (!builder->tables.status && (cls = loupe_class_walk_next(&walk)))
        builder->target->abi->hand_over_class_memory(builder->target, cls->address, &taker);
    enum loupe_status status = walk.status;
    loupe_class_walk_end(&walk);
    loupe_vector_sort(&builder->class_links, comes_before, NULL);
    if (!taker.words_left)
        loupe_findings_add(&builder->target->findings, LOUPE_FINDING_LIMIT, 0);
    if (!status && loupe_memory_interrupted(builder->target->memory))
        status = LOUPE_ETIMEOUT;
    return status ? status : builder->tables.status;
}
