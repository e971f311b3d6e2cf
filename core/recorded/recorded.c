#include "recorded/recorded.h"

#include "base/sort.h"

const char *loupe_recorded_state_name(enum loupe_recorded_state state) {
    static const char *const names[] = {[LOUPE_RECORDED_ON] = "on",
                                        [LOUPE_RECORDED_BYPASSED] = "bypassed",
                                        [LOUPE_RECORDED_OTHER_VERSION] = "other-version"};
    return names[state];
}

/* ---- Finding it ---- */

static bool makes_sense(const struct loupe_record_header *header) {
    return header->size >= sizeof(*header) && header->oldest_level >= LOUPE_RECORD_FIRST_LEVEL &&
           header->oldest_level <= header->level &&
           header->level < LOUPE_RECORD_FIRST_LEVEL + LOUPE_RECORD_LEVEL_COUNT;
}

/* What stands there is the header, as far as can be told. */
static bool read_header(struct loupe_recorded *recorded, loupe_addr address) {
    struct loupe_record_header *header = &recorded->header;
    if (loupe_memory_read(recorded->memory, address, header, sizeof(*header)) ||
        memcmp(header->magic, LOUPE_RECORD_MAGIC, sizeof(header->magic)) != 0 ||
        header->self != address)
        return false;
    recorded->state = LOUPE_RECORDED_ON;
    if (header->version != LOUPE_RECORD_VERSION) {
        *header = (struct loupe_record_header){.version = header->version};
        recorded->state = LOUPE_RECORDED_OTHER_VERSION;
        return true;
    }
    if (header->state == LOUPE_RECORD_IS_BYPASSED)
        recorded->state = LOUPE_RECORDED_BYPASSED;
    return makes_sense(header);
}

static enum loupe_status search_region(void *visitor, const struct loupe_process_region *region) {
    struct loupe_recorded *recorded = visitor;
    char magic[LOUPE_RECORD_MAGIC_SIZE];
    if (!region->readable || !region->writable || region->is_stack ||
        loupe_memory_read_once(recorded->memory, region->start, magic, sizeof(magic)) ||
        memcmp(magic, LOUPE_RECORD_MAGIC, sizeof(magic)) != 0)
        return LOUPE_OK;
    return read_header(recorded, region->start) ? LOUPE_ELIMIT : LOUPE_OK; /* one is enough */
}

static enum loupe_status is_recorder(void *visitor, uint32_t image, const char *path) {
    bool *found = visitor;
    (void)image;
    *found = *found || loupe_span_contains(loupe_span_of(path), LOUPE_RECORD_LIBRARY);
    return LOUPE_OK;
}

static bool find_header(struct loupe_recorded *recorded) {
    struct loupe_memory *memory = recorded->memory;
    const struct loupe_process_ops *process = memory->ops->process;
    loupe_addr symbol, header;
    bool is_loaded = false;
    if (loupe_memory_find_symbol(memory, LOUPE_RECORD_SYMBOL, &symbol) == LOUPE_OK &&
        loupe_memory_read_pointer(memory, symbol, &header) == LOUPE_OK)
        return header && read_header(recorded, header);
    if (!process || !process->images || !process->regions)
        return false;
    process->images(memory->ctx, is_recorder, &is_loaded);
    return is_loaded && process->regions(memory->ctx, search_region, recorded) == LOUPE_ELIMIT;
}

bool loupe_recorded_open(struct loupe_recorded *recorded, struct loupe_memory *memory,
                         const struct loupe_chunk_ops *chunks) {
    *recorded = (struct loupe_recorded){.memory = memory};
    loupe_vector_init(&recorded->shown, chunks, sizeof(uint32_t));
    return memory->machine.pointer_size == sizeof(uint64_t) && find_header(recorded);
}

void loupe_recorded_close(struct loupe_recorded *recorded) {
    loupe_vector_deinit(&recorded->shown);
}

struct loupe_recorded *loupe_recorded_of(struct loupe_target *target) {
    if (!target->looked_for_recorded) {
        struct loupe_recorded *recorded = loupe_arena_alloc(&target->arena, sizeof(*recorded));
        target->looked_for_recorded = true;
        if (recorded && loupe_recorded_open(recorded, target->memory, &target->arena_chunks))
            target->recorded = recorded;
    }
    return target->recorded;
}

/* ---- Blocks ---- */

/* 0: it is not in this table. */
static uint32_t stack_in_table(const struct loupe_recorded *recorded, uint64_t hash,
                               uint32_t level) {
    uint64_t slots[LOUPE_RECORD_GROUP];
    loupe_addr table = recorded->header.tables[level - LOUPE_RECORD_FIRST_LEVEL];
    loupe_addr offset = loupe_record_group(hash, level) * sizeof(slots);
    if (!table || table > UINT64_MAX - sizeof(slots) - offset ||
        loupe_memory_read(recorded->memory, table + offset, slots, sizeof(slots)))
        return 0;
    /* Cap: all of a group. */
    for (uint32_t i = 0; i < LOUPE_RECORD_GROUP; i++) {
        uint64_t slot = slots[(hash + i) % LOUPE_RECORD_GROUP];
        uint32_t stack = (uint32_t)(slot & LOUPE_RECORD_STACK_MASK);
        if (!slot)
            return 0;
        if (stack && slot == loupe_record_slot(hash, stack))
            return stack;
    }
    return 0;
}

uint32_t loupe_recorded_stack(const struct loupe_recorded *recorded, loupe_addr block) {
    uint64_t hash = loupe_record_hash(block);
    uint32_t stack = 0;
    uint32_t level = recorded->header.level;
    if (recorded->state != LOUPE_RECORDED_ON || block % (1 << LOUPE_RECORD_ALIGN_SHIFT))
        return 0;
    while (!stack && level >= recorded->header.oldest_level)
        stack = stack_in_table(recorded, hash, level--);
    return stack;
}

uint32_t loupe_recorded_stack_of_object(const struct loupe_recorded *recorded, loupe_addr object,
                                        uint32_t words_before) {
    const uint32_t word = sizeof(uint64_t);
    uint32_t stack = loupe_recorded_stack(recorded, object);
    for (uint32_t words = 1, left = words_before >> 1; !stack && left; words++, left >>= 1) {
        if (left & 1 && object >= words * word)
            stack = loupe_recorded_stack(recorded, object - words * word);
    }
    return stack;
}

/* ---- Stacks ---- */

bool loupe_recorded_node(const struct loupe_recorded *recorded, uint32_t number,
                         struct loupe_record_node *ret) {
    struct loupe_memory *memory = recorded->memory;
    uint64_t segment = number >> LOUPE_RECORD_SEGMENT_SHIFT;
    loupe_addr segments = recorded->header.segments, nodes;
    if (number < LOUPE_RECORD_FIRST_NODE || number >= recorded->header.node_count || !segments ||
        segments > UINT64_MAX - LOUPE_RECORD_SEGMENT_COUNT * sizeof(nodes) ||
        loupe_memory_read_u64(memory, segments + segment * sizeof(nodes), &nodes) || !nodes ||
        nodes > UINT64_MAX - LOUPE_RECORD_SEGMENT_NODES * sizeof(*ret))
        return false;
    nodes += (number & (LOUPE_RECORD_SEGMENT_NODES - 1)) * sizeof(*ret);
    return loupe_memory_read(memory, nodes, ret, sizeof(*ret)) == LOUPE_OK;
}

uint32_t loupe_recorded_frames(const struct loupe_recorded *recorded, uint32_t stack,
                               loupe_addr *frames, uint32_t cap, bool *whole_ret) {
    struct loupe_record_node node;
    uint32_t count = 0;
    /* Who calls was there first: a number that does not fall is damage. */
    for (uint32_t number = stack, limit = UINT32_MAX;; limit = number, number = node.caller) {
        *whole_ret = number == LOUPE_RECORD_WHOLE;
        if (count == cap || number >= limit || !loupe_recorded_node(recorded, number, &node))
            return count;
        frames[count++] = node.frame;
    }
}

/* ---- For answers ---- */

bool loupe_recorded_show(struct loupe_recorded *recorded, uint32_t stack) {
    uint32_t *number = loupe_vector_add(&recorded->shown);
    if (number)
        *number = stack;
    return number != NULL;
}

static bool is_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

void loupe_recorded_sort_shown(struct loupe_recorded *recorded) {
    struct loupe_vector *shown = &recorded->shown;
    uint32_t kept = 0;
    loupe_vector_sort(shown, is_before, NULL);
    for (uint32_t i = 0; i < shown->count; i++) {
        uint32_t stack = *(const uint32_t *)loupe_vector_at(shown, i, sizeof(stack));
        if (!kept || stack != *(const uint32_t *)loupe_vector_at(shown, kept - 1, sizeof(stack)))
            *(uint32_t *)loupe_vector_at(shown, kept++, sizeof(stack)) = stack;
    }
    shown->count = kept;
}
