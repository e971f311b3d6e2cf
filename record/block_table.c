#include "block_table.h"

#include "room.h"

typedef uint64_t slot_t;

/* Slots without a number are no blocks. */
enum { EMPTY = 0 };
static const slot_t removed = UINT64_C(1) << LOUPE_RECORD_STACK_BITS;
static const slot_t moved = UINT64_C(2) << LOUPE_RECORD_STACK_BITS;

enum { LAST_LEVEL = LOUPE_RECORD_FIRST_LEVEL + LOUPE_RECORD_LEVEL_COUNT - 1 };

static bool is_block(slot_t slot) {
    return (slot & LOUPE_RECORD_STACK_MASK) != 0;
}

static slot_t load(const slot_t *slot) {
    return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

static bool swap(slot_t *slot, slot_t expected, slot_t wanted) {
    return __atomic_compare_exchange_n(slot, &expected, wanted, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_ACQUIRE);
}

static uint32_t load_level(const uint32_t *level) {
    return __atomic_load_n(level, __ATOMIC_SEQ_CST);
}

static size_t table_size(uint32_t level) {
    return sizeof(slot_t) << level;
}

static slot_t *table_at(const struct loupe_record_header *header, uint32_t level) {
    const uint64_t *table = &header->tables[level - LOUPE_RECORD_FIRST_LEVEL];
    return (slot_t *)(uintptr_t)__atomic_load_n(table, __ATOMIC_ACQUIRE);
}

static void leave_out(struct loupe_record_header *header) {
    __atomic_fetch_add(&header->blocks_left_out, 1, __ATOMIC_RELAXED);
}

/* ---- One group of one table ---- */

/* What a group answers in place of a slot. */
static slot_t group_is_full, group_has_moved;

/* Into the first slot that is free; the slot, or one of the above. */
static slot_t *put_into_group(slot_t *group, uint64_t hash, slot_t block) {
    for (uint32_t i = 0; i < LOUPE_RECORD_GROUP; i++) {
        slot_t *slot = &group[(hash + i) % LOUPE_RECORD_GROUP];
        slot_t there = load(slot);
        if (there == moved)
            return &group_has_moved;
        while (!is_block(there)) {
            if (swap(slot, there, block))
                return slot;
            there = load(slot);
            if (there == moved)
                return &group_has_moved;
        }
    }
    return &group_is_full;
}

static uint32_t take_from_group(slot_t *group, uint64_t hash) {
    for (uint32_t i = 0; i < LOUPE_RECORD_GROUP; i++) {
        slot_t *slot = &group[(hash + i) % LOUPE_RECORD_GROUP];
        slot_t there = load(slot);
        if (there == EMPTY)
            return 0;
        bool is_it =
            is_block(there) && (there ^ loupe_record_slot(hash, 0)) >> LOUPE_RECORD_STACK_BITS == 0;
        /* Where it has changed meanwhile it was moved: nobody else takes it. */
        if (is_it)
            return swap(slot, there, removed) ? (uint32_t)(there & LOUPE_RECORD_STACK_MASK) : 0;
    }
    return 0;
}

/* Exactly this one; somebody else may have been faster. */
static void remove_from_group(slot_t *group, uint64_t hash, slot_t block) {
    for (uint32_t i = 0; i < LOUPE_RECORD_GROUP; i++) {
        slot_t *slot = &group[(hash + i) % LOUPE_RECORD_GROUP];
        slot_t there = load(slot);
        if (there == EMPTY || (there == block && swap(slot, block, removed)))
            return;
    }
}

static slot_t *group_of(const struct loupe_record_header *header, uint64_t hash, uint32_t level) {
    return table_at(header, level) + loupe_record_group(hash, level) * LOUPE_RECORD_GROUP;
}

/* ---- Moving to a larger table ---- */

static void move_slot(struct loupe_record_header *header, slot_t *slot, uint64_t group,
                      uint32_t level) {
    for (;;) {
        slot_t there = load(slot);
        if (there == moved)
            return;
        if (!is_block(there)) {
            if (swap(slot, there, moved))
                return;
            continue;
        }
        uint64_t hash = loupe_record_slot_hash(there, group, level);
        slot_t *larger = group_of(header, hash, level + 1);
        slot_t *copy = put_into_group(larger, hash, there);
        bool is_put = copy != &group_is_full && copy != &group_has_moved;
        if (swap(slot, there, moved)) {
            if (!is_put)
                leave_out(header);
            return;
        }
        if (is_put)
            remove_from_group(larger, hash, there);
    }
}

/* Slot after slot, so that all have been where the last one has. */
static void move_group(struct loupe_record_header *header, uint64_t group, uint32_t level) {
    slot_t *slots = table_at(header, level) + group * LOUPE_RECORD_GROUP;
    if (load(&slots[LOUPE_RECORD_GROUP - 1]) == moved)
        return;
    for (uint32_t i = 0; i < LOUPE_RECORD_GROUP; i++)
        move_slot(header, &slots[i], group, level);
}

/* Any number of threads may do this at the same time, and each does all. */
static void move_table(struct loupe_record_header *header, uint32_t level) {
    slot_t *table = table_at(header, level);
    uint64_t groups = UINT64_C(1) << (level - LOUPE_RECORD_GROUP_SHIFT);
    for (uint64_t i = 0; i < groups && load_level(&header->oldest_level) == level; i++)
        move_group(header, i, level);
    uint32_t expected = level;
    bool is_first = __atomic_compare_exchange_n(&header->oldest_level, &expected, level + 1, false,
                                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (is_first)
        loupe_room_empty(table, table_size(level));
}

/* False: there can be no larger one. */
static bool make_table(struct loupe_record_header *header, uint32_t level) {
    if (level > LAST_LEVEL)
        return false;
    if (table_at(header, level))
        return true;
    void *pages = loupe_room_get(table_size(level));
    uint64_t expected = 0;
    uint64_t *table = &header->tables[level - LOUPE_RECORD_FIRST_LEVEL];
    if (!pages)
        return table_at(header, level) != NULL;
    if (!__atomic_compare_exchange_n(table, &expected, (uint64_t)(uintptr_t)pages, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        loupe_room_put_back(pages, table_size(level));
    return true;
}

/* What is left of an earlier move comes first, so that there are never more than two tables. */
static bool outgrow(struct loupe_record_header *header, uint32_t level) {
    uint32_t oldest = load_level(&header->oldest_level);
    if (oldest < level)
        move_table(header, oldest);
    if (load_level(&header->level) != level)
        return true;
    if (!make_table(header, level + 1))
        return false;
    uint32_t expected = level;
    if (__atomic_compare_exchange_n(&header->level, &expected, level + 1, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
        move_table(header, level);
    return true;
}

/* ---- The table ---- */

bool loupe_block_table_init(struct loupe_record_header *header) {
    header->level = LOUPE_RECORD_FIRST_LEVEL;
    header->oldest_level = LOUPE_RECORD_FIRST_LEVEL;
    return make_table(header, LOUPE_RECORD_FIRST_LEVEL);
}

void loupe_block_table_expect(const struct loupe_record_header *header, uint64_t address) {
    uint64_t hash = loupe_record_hash(address);
    const slot_t *group = group_of(header, hash, load_level(&header->level));
    __builtin_prefetch(&group[hash % LOUPE_RECORD_GROUP], 1);
}

bool loupe_block_table_put(struct loupe_record_header *header, uint64_t address, uint32_t stack) {
    uint64_t hash = loupe_record_hash(address);
    slot_t block = loupe_record_slot(hash, stack);
    for (;;) {
        uint32_t level = load_level(&header->level);
        uint32_t oldest = load_level(&header->oldest_level);
        /* What is to come into a group comes before anything new, so that it finds room. */
        if (oldest < level)
            move_group(header, loupe_record_group(hash, oldest), oldest);
        slot_t *slot = put_into_group(group_of(header, hash, level), hash, block);
        if (slot == &group_is_full) {
            if (outgrow(header, level))
                continue;
            leave_out(header);
            return false;
        }
        if (slot == &group_has_moved)
            continue;
        /*
         * Where the table was left meanwhile, who moves it may have been past this slot, or have
         * emptied it: then the block is still in it, and nobody will move it.
         */
        if (load_level(&header->level) == level || !swap(slot, block, removed))
            return true;
    }
}

uint32_t loupe_block_table_take(struct loupe_record_header *header, uint64_t address) {
    uint64_t hash = loupe_record_hash(address);
    uint32_t level, newest, stack = 0;
    do {
        level = load_level(&header->oldest_level);
        newest = load_level(&header->level);
        for (; !stack && level <= newest; level++)
            stack = take_from_group(group_of(header, hash, level), hash);
    } while (!stack && load_level(&header->level) != newest);
    return stack;
}
