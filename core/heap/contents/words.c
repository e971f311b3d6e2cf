/* Words that lead into blocks, and that nothing describes. Done for each word of a heap. */
#include "blocks/block.h"
#include "blocks/byref.h"
#include "heap/snapshot_builder.h"
#include "swift/metadata.h"

#include <string.h>

enum { PART = 1 << 16 }; /* bytes that are looked at at once */

/* ---- Words of a stretch ---- */

/* Signatures and tags are no part of an address. */
static inline uint64_t address_of(const struct loupe_memory *memory, uint64_t word) {
    return memory->ops->strip ? loupe_memory_strip(memory, word) : word;
}

static enum loupe_status visit_waiting(struct loupe_snapshot_builder *builder) {
    enum loupe_status status = LOUPE_OK;
    uint32_t block;
    for (uint32_t i = 0; i < builder->waiting_count; i++)
        builder->waiting[i].guess = loupe_blocks_expect_in(
            builder->blocks, builder->waiting[i].cell, builder->waiting[i].word);
    for (uint32_t i = 0; !status && i < builder->waiting_count; i++) {
        const struct loupe_waiting_word *waiting = &builder->waiting[i];
        if (loupe_blocks_settle(builder->blocks, waiting->guess, waiting->word, &block))
            status = builder->visit(builder, waiting, block);
    }
    builder->waiting_count = 0;
    return status;
}

/* Words wait until some are there: by then what tells which blocks they lead to is fetched. */
static enum loupe_status scan_bytes(struct loupe_snapshot_builder *builder, loupe_addr start,
                                    const uint8_t *bytes, size_t size) {
    const struct loupe_memory *memory = builder->target->memory;
    const struct loupe_blocks *blocks = builder->blocks;
    uint8_t pointer_size = memory->machine.pointer_size;
    uint64_t all_bits = pointer_size == 8 ? UINT64_MAX : UINT32_MAX;
    uint64_t spare_bits = builder->scene->has_swift ? loupe_swift_spare_bits(&memory->machine) : 0;
    for (size_t at = 0; at + pointer_size <= size; at += pointer_size) {
        uint64_t there = loupe_load_word(pointer_size, bytes + at);
        uint64_t word = address_of(memory, there);
        if (word - blocks->lowest >= blocks->extent)
            word &= ~spare_bits; /* of enums: their cases */
        bool is_complement = word - blocks->lowest >= blocks->extent;
        if (is_complement) {
            word = there ^ all_bits;
            if (word - blocks->lowest >= blocks->extent || !builder->in_blocks)
                continue;
        }
        if (loupe_word_set_has(&builder->described, start + at))
            continue;
        builder->waiting[builder->waiting_count++] =
            (struct loupe_waiting_word){.place = start + at,
                                        .word = word,
                                        .cell = loupe_blocks_await(blocks, word),
                                        .from = builder->number,
                                        .is_complement = is_complement};
        enum loupe_status status =
            builder->waiting_count == LOUPE_MOST_WAITING ? visit_waiting(builder) : LOUPE_OK;
        if (status)
            return status;
    }
    return LOUPE_OK;
}

static void count_unreadable(struct loupe_snapshot_builder *builder, loupe_addr page) {
    if (!builder->counts.unreadable++)
        builder->counts.first_unreadable = page;
}

/* Where the part of [at, end) ends that is read at once: its page, or what is left out of it. */
static loupe_addr end_of_page(const struct loupe_memory *memory, loupe_addr at, loupe_addr end) {
    loupe_addr page_end = (at | (LOUPE_PAGE_SIZE - 1)) + 1;
    loupe_addr next = end < page_end ? end : page_end;
    if (loupe_memory_is_left_out(memory, at))
        return memory->unused_end < next ? memory->unused_end : next;
    return at < memory->unused_start && memory->unused_start < next ? memory->unused_start : next;
}

/*
 * In place where it is at hand, else copied; by pages where it cannot be had in one piece. What
 * fills a part by itself is kept by nobody: beside it stands little that is needed again.
 */
static enum loupe_status scan_part(struct loupe_snapshot_builder *builder, loupe_addr start,
                                   size_t size, bool is_large) {
    struct loupe_memory *memory = builder->target->memory;
    enum loupe_status (*read)(struct loupe_memory *, loupe_addr, void *, size_t) =
        is_large ? loupe_memory_read_once : loupe_memory_read;
    const uint8_t *bytes = loupe_memory_peek(memory, start, size);
    if (bytes)
        return scan_bytes(builder, start, bytes, size);
    enum loupe_status status = read(memory, start, builder->part, size);
    if (!status)
        return scan_bytes(builder, start, builder->part, size);
    if (status != LOUPE_EFAULT)
        return status;
    for (loupe_addr at = start, end = start + size, next; at < end; at = next) {
        next = end_of_page(memory, at, end);
        if (loupe_memory_is_left_out(memory, at) || loupe_memory_zeroes_end(memory, at) > at)
            continue;
        status = read(memory, at, builder->part, (size_t)(next - at));
        if (!status)
            status = scan_bytes(builder, at, builder->part, (size_t)(next - at));
        else if (status == LOUPE_EFAULT)
            count_unreadable(builder, at);
        if (status && status != LOUPE_EFAULT)
            return status;
    }
    return LOUPE_OK;
}

/* Of less than a page nobody is asked, which takes longer than to look. */
static loupe_addr end_of_zeroes(const struct loupe_memory *memory, loupe_addr at, loupe_addr end) {
    return end - at < LOUPE_PAGE_SIZE ? at : loupe_memory_zeroes_end(memory, at);
}

static enum loupe_status scan(struct loupe_snapshot_builder *builder, struct loupe_range range) {
    uint8_t word = builder->target->memory->machine.pointer_size;
    loupe_addr at = (range.start + word - 1) & ~(loupe_addr)(word - 1);
    bool is_large = range.end - range.start >= PART;
    enum loupe_status status = LOUPE_OK;
    while (!status && at < range.end) {
        loupe_addr zeroes = end_of_zeroes(builder->target->memory, at, range.end);
        loupe_addr part_end = (at | (PART - 1)) + 1;
        loupe_addr end = range.end < part_end ? range.end : part_end;
        if (zeroes <= at)
            status = scan_part(builder, at, (size_t)(end - at), is_large);
        at = zeroes > at ? zeroes : end;
        if (!status && at < range.end && loupe_memory_interrupted(builder->target->memory))
            status = LOUPE_ETIMEOUT;
    }
    return status;
}

enum loupe_status loupe_heap_scan(struct loupe_snapshot_builder *builder, struct loupe_range range,
                                  loupe_heap_visit *visit) {
    builder->visit = visit;
    enum loupe_status status = scan(builder, range);
    return status ? status : visit_waiting(builder);
}

/* ---- Words of blocks ---- */

/* Nodes up to this one have their words. */
static void end_nodes(struct loupe_snapshot_builder *builder, uint32_t node) {
    while (builder->ended < node)
        builder->words.ends[builder->ended++] = builder->words.to.count;
}

/*
 * libdispatch knows the owner of what waits for an event, as a source, by the complement of its
 * address, so that tools do not see the circle; but while it waits this alone holds the owner
 * (du_owner_wref in event_internal.h). Any number may be one: it is believed where it leads to the
 * start of a small block from which a word leads back into this one.
 */
static bool leads_back(const struct loupe_snapshot_builder *builder, uint32_t from,
                       uint32_t owner) {
    enum { MOST_BYTES = 512 };
    const struct loupe_blocks *blocks = builder->blocks;
    struct loupe_memory *memory = builder->target->memory;
    uint8_t bytes[MOST_BYTES], pointer_size = memory->machine.pointer_size;
    uint64_t size = loupe_blocks_size(blocks, owner), extent = loupe_blocks_size(blocks, from);
    if (size > sizeof(bytes) ||
        loupe_memory_read(memory, blocks->starts[owner], bytes, (size_t)size))
        return false;
    for (size_t at = 0; at + pointer_size <= size; at += pointer_size)
        if (address_of(memory, loupe_load_word(pointer_size, bytes + at)) - blocks->starts[from] <
            extent)
            return true;
    return false;
}

/* The entry of a table that knows an object without retaining it: beside it a number that is no
 * address and not 0. */
static bool is_in_table(const struct loupe_snapshot_builder *builder,
                        const struct loupe_waiting_word *waiting, uint32_t block) {
    struct loupe_memory *memory = builder->target->memory;
    const char *name;
    uint64_t users;
    /* Most words lead to what is no object. Then the number, which stands beside the word: what
     * tells the class stands anywhere. */
    if (loupe_heap_form(builder, block) != LOUPE_HEAP_OBJECT ||
        waiting->word != builder->addresses[block] ||
        loupe_heap_form(builder, waiting->from) != LOUPE_HEAP_RAW ||
        !(name = builder->target->abi->class_in_table) ||
        loupe_memory_read_word(memory, waiting->place + memory->machine.pointer_size, &users) ||
        !users || users >= builder->blocks->lowest)
        return false;
    const struct loupe_class *cls =
        loupe_heap_class_at(&builder->tables, builder->classes[block])->cls;
    return cls && strcmp(cls->name, name) == 0;
}

static enum loupe_status add_word(struct loupe_snapshot_builder *builder,
                                  const struct loupe_waiting_word *waiting, uint32_t block) {
    struct loupe_link_columns *links = &builder->words;
    uint64_t offset = waiting->place - builder->addresses[waiting->from];
    enum loupe_status status;
    bool is_taken;
    end_nodes(builder, waiting->from);
    status = loupe_heap_take_counted_word(builder, waiting, block, &is_taken);
    if (!status && !is_taken)
        status = loupe_heap_name_pointee(builder, waiting, block);
    if (status || is_taken)
        return status;
    if (block == waiting->from || !loupe_heap_is_reference(builder, waiting, block) ||
        is_in_table(builder, waiting, block) ||
        (waiting->is_complement && (waiting->word != builder->blocks->starts[block] ||
                                    !leads_back(builder, waiting->from, block))))
        return LOUPE_OK;
    if (links->to.count >= LOUPE_MOST_LINKS - builder->found.to.count) {
        builder->counts.not_linked++;
        return LOUPE_OK;
    }
    uint32_t *to = loupe_vector_add(&links->to);
    uint32_t *slot = to ? loupe_vector_add(&links->slots) : NULL;
    if (!slot)
        return LOUPE_ENOMEM;
    *to = block;
    *slot = offset < LOUPE_SLOT_SPECIAL ? (uint32_t)offset : LOUPE_SLOT_UNKNOWN;
    return LOUPE_OK;
}

/* A record of weak references that may own its object all the same. */
static bool may_own(struct loupe_snapshot_builder *builder, loupe_addr record) {
    struct loupe_target *target = builder->target;
    struct loupe_object object;
    uint64_t address;
    return builder->walk->weakly_owned && target->abi->weak_record_object &&
           target->abi->weak_record_object(target, record, &address) && address &&
           loupe_object_at(target, address, &object, NULL) == LOUPE_OK &&
           strcmp(object.cls->name, builder->walk->weakly_owned) == 0;
}

/* How many bytes were written when each was made; 0: that is not known. */
static uint64_t written_size_of_block(struct loupe_target *target, loupe_addr address) {
    struct loupe_block block = {0};
    loupe_block_read(target->memory, address, target->abi->block_traits(target), &block, NULL);
    return block.size;
}

static uint64_t written_size_of_byref(struct loupe_target *target, loupe_addr address) {
    struct loupe_byref byref = {0};
    loupe_byref_read_header(target->memory, address, target->abi->block_traits(target), &byref,
                            NULL);
    return byref.size;
}

static uint64_t written_size(const struct loupe_snapshot_builder *builder, uint32_t number,
                             enum loupe_heap_form form) {
    struct loupe_target *target = builder->target;
    const struct loupe_class *cls = NULL;
    if (form == LOUPE_HEAP_BLOCK)
        return written_size_of_block(target, builder->addresses[number]);
    if (form == LOUPE_HEAP_BYREF)
        return written_size_of_byref(target, builder->addresses[number]);
    if (form == LOUPE_HEAP_OBJECT && target->abi->leaves_padding)
        cls = loupe_heap_class_at(&builder->tables, builder->classes[number])->cls;
    return cls ? cls->instance_size : 0;
}

/* Without what its allocator rounded its size up by, where nothing ever wrote there: a pointer in
 * it is of who had the memory before. Extra bytes of an instance are more than that. */
static loupe_addr contents_end(const struct loupe_snapshot_builder *builder, uint32_t block,
                               enum loupe_heap_form form) {
    enum { MOST_PADDING = 16 };
    uint8_t word = builder->target->memory->machine.pointer_size;
    loupe_addr start = builder->addresses[block],
               end = builder->blocks->starts[block] + loupe_blocks_size(builder->blocks, block);
    uint64_t size = form == LOUPE_HEAP_RAW ? 0 : written_size(builder, block, form);
    size = (size + word - 1) & ~(uint64_t)(word - 1);
    return size && size < end - start && end - start - size < MOST_PADDING ? start + size : end;
}

/* From the object on: what its runtime puts before it is no reference. */
static enum loupe_status scan_block(struct loupe_snapshot_builder *builder, uint32_t block) {
    enum loupe_heap_form form = loupe_heap_form(builder, block);
    struct loupe_range range = {.start = builder->addresses[block],
                                .end = contents_end(builder, block, form)};
    struct loupe_pool_page page;
    enum loupe_status status =
        form == LOUPE_HEAP_RAW ? loupe_heap_name_by_itself(builder, block) : LOUPE_OK;
    if (status)
        return status;
    builder->number = block;
    if (form == LOUPE_HEAP_POOL && loupe_heap_pool_in(builder, block, &page))
        range.end = page.start; /* the page before it; its entries are roots */
    else if (form == LOUPE_HEAP_POOL ||
             (form == LOUPE_HEAP_RECORD && !may_own(builder, range.start)))
        return LOUPE_OK;
    return scan(builder, range);
}

enum loupe_status loupe_heap_find_words(struct loupe_snapshot_builder *builder) {
    enum { BLOCKS_BETWEEN_CHECKS = 1 << 12, BLOCKS_AHEAD = 16 };
    enum loupe_status status = LOUPE_OK;
    builder->visit = add_word;
    builder->in_blocks = true;
    for (uint32_t i = 0; !status && i < builder->heap_nodes; i++) {
        if (i % BLOCKS_BETWEEN_CHECKS == 0 && loupe_memory_interrupted(builder->target->memory))
            return LOUPE_ETIMEOUT;
        loupe_heap_fetch(builder, i + BLOCKS_AHEAD);
        status = scan_block(builder, i);
    }
    if (!status)
        status = visit_waiting(builder);
    builder->in_blocks = false;
    end_nodes(builder, builder->heap_nodes);
    return status;
}
