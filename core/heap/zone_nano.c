/*
 * A nano zone, the second version: blocks of up to 256 bytes as slots of 16 KB blocks, each for
 * slots of one size. 4,096 of those are an arena; one of them has a word for each of the others.
 */
#include "heap/zones.h"

enum {
    ASLR_COOKIE = 28680,
    ASLR_COOKIE_SHIFTED = 28688,
    FREE_COOKIE = 28696,
    FIRST_REGION = 28720,
    NEXT_ARENA = 28728,

    BLOCK_SHIFT = 14,
    BLOCK_SIZE = 1 << BLOCK_SHIFT,
    BLOCKS = 4096,
    ARENA_SIZE = BLOCKS * BLOCK_SIZE,
    ARENAS = 8,
    REGION_SIZE = ARENAS * ARENA_SIZE,
    MAX_REGIONS = 1 << 15,
    MOST_SLOTS = BLOCK_SIZE / 16
};

/* What a block's word says in place of its next free slot. */
enum {
    NEVER_USED = 0,
    GUARD = 0x7fa,
    NONE_FREE_BEFORE = 0x7fb,
    FULL = 0x7fc,
    GOING = 0x7fe,
    GONE = 0x7ff
};

struct nano {
    const struct loupe_zone *zone;
    uint64_t cookie, free_cookie;
    loupe_addr next_arena;
    uint32_t own_entry; /* of the words of an arena: its own */
};

static bool read_nano(const struct loupe_zone *zone, struct nano *ret, loupe_addr *first_region) {
    uint64_t shifted;
    *ret = (struct nano){.zone = zone};
    return zone_word(zone, zone->address + ASLR_COOKIE, &ret->cookie) && ret->cookie < BLOCKS &&
           zone_word(zone, zone->address + ASLR_COOKIE_SHIFTED, &shifted) &&
           shifted == ret->cookie << BLOCK_SHIFT &&
           zone_word(zone, zone->address + FREE_COOKIE, &ret->free_cookie) &&
           zone_word(zone, zone->address + FIRST_REGION, first_region) && *first_region &&
           *first_region % REGION_SIZE == 0 &&
           zone_word(zone, zone->address + NEXT_ARENA, &ret->next_arena) &&
           ret->next_arena % ARENA_SIZE == 0;
}

static bool is_nano(const struct loupe_zone *zone) {
    struct nano nano;
    loupe_addr region;
    return zone->type == 0 && read_nano(zone, &nano, &region);
}

/* The order of words is that of blocks with the halves of their numbers exchanged. */
static uint32_t exchange_halves(uint32_t number) {
    return (number >> 6 | number << 6) & (BLOCKS - 1);
}

/* 64 blocks in a row, by their number mixed with the cookie, have slots of one size. */
static uint32_t slot_size_of(const struct nano *nano, uint32_t block) {
    static const uint8_t rows[] = {2, 10, 11, 10, 5, 3, 3, 4, 3, 2, 2, 2, 2, 2, 1, 2};
    uint32_t row = (uint32_t)(block ^ nano->cookie) >> 6, class = 0;
    while (row >= rows[class])
        row -= rows[class ++];
    return (class + 1) * 16;
}

/* ---- A block ---- */

struct slots {
    const struct nano *nano;
    loupe_addr block;
    uint32_t size, count;
    uint64_t free[MOST_SLOTS / 64]; /* those on the list */
    uint32_t listed;
};

/*
 * A free slot begins with a word made of its address and a cookie; the next one is the number of
 * the next free slot, from 1 on. False: the list does not end as it should.
 */
static bool follow_free(struct slots *slots, uint32_t next) {
    const struct loupe_zone *zone = slots->nano->zone;
    while (next != NONE_FREE_BEFORE) {
        uint64_t guard, link;
        uint32_t slot = next - 1;
        loupe_addr place = slots->block + (loupe_addr)slot * slots->size;
        if (slot >= slots->count || (slots->free[slot / 64] >> slot % 64 & 1) ||
            !zone_word(zone, place, &guard) || !zone_word(zone, place + 8, &link) ||
            guard != (slots->nano->free_cookie ^ place))
            return false;
        slots->free[slot / 64] |= UINT64_C(1) << slot % 64;
        slots->listed++;
        next = (uint32_t)link & 0xffff;
    }
    return true;
}

/* Those behind the ones that were ever used are free without being on the list. */
static enum loupe_status take_slots(const struct nano *nano, loupe_addr block, uint32_t number,
                                    uint32_t word) {
    uint32_t next = word & 0x7ff, free_count = (word >> 11 & 0x3ff) + 1;
    struct slots slots = {.nano = nano, .block = block, .size = slot_size_of(nano, number)};
    enum loupe_status status = LOUPE_OK;
    slots.count = BLOCK_SIZE / slots.size;
    uint32_t used = next == FULL ? slots.count : slots.count - free_count;
    if (next != FULL && free_count > slots.count) {
        zone_damage(nano->zone, block, "a block has more free slots than slots");
        return LOUPE_OK;
    }
    if (used && next != FULL && !follow_free(&slots, next))
        zone_damage(nano->zone, block, "a list of free slots makes no sense");
    if (slots.listed > slots.count - used)
        zone_damage(nano->zone, block, "more slots are on a list of free ones than it counts");
    zone_add_free(nano->zone, slots.count - used, (uint64_t)(slots.count - used) * slots.size);
    for (uint32_t i = 0; !status && i < slots.count && i < used + slots.listed; i++)
        if (!(slots.free[i / 64] >> i % 64 & 1))
            status = zone_add(nano->zone, block + (loupe_addr)i * slots.size, slots.size);
    return status;
}

/* ---- Arenas and regions ---- */

static loupe_addr words_of(const struct nano *nano, loupe_addr arena) {
    return arena ^ nano->cookie << BLOCK_SHIFT;
}

static enum loupe_status take_arena(const struct nano *nano, loupe_addr arena) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < BLOCKS; i++) {
        uint32_t word, number = exchange_halves(i);
        if (i == nano->own_entry)
            continue;
        if (!zone_half(nano->zone, words_of(nano, arena) + i * sizeof(word), &word)) {
            zone_damage(nano->zone, arena, "an arena cannot be read");
            break;
        }
        uint32_t next = word & 0x7ff;
        if (next != NEVER_USED && next != GUARD && next != GOING && next != GONE)
            status = take_slots(nano, arena + ((loupe_addr)number << BLOCK_SHIFT), number, word);
    }
    return status;
}

static enum loupe_status take_region(const struct nano *nano, loupe_addr region) {
    enum loupe_status status = zone_explain(nano->zone, region, REGION_SIZE);
    for (uint32_t i = 0; !status && i < ARENAS; i++) {
        loupe_addr arena = region + (loupe_addr)i * ARENA_SIZE;
        bool is_current = nano->next_arena > region && nano->next_arena <= region + REGION_SIZE;
        if (loupe_memory_interrupted(nano->zone->memory))
            return LOUPE_ETIMEOUT;
        if (!is_current || arena < nano->next_arena)
            status = take_arena(nano, arena);
    }
    return status;
}

/* The word of the words' own block leads to the next region, so many regions farther. */
static enum loupe_status take_nano(struct loupe_zone *zone) {
    struct nano nano;
    loupe_addr region;
    enum loupe_status status = LOUPE_OK;
    if (!read_nano(zone, &nano, &region))
        return LOUPE_OK;
    nano.own_entry = exchange_halves((uint32_t)nano.cookie);
    for (uint32_t i = 0; !status; i++) {
        uint32_t link;
        if (i == MAX_REGIONS) {
            zone_damage(zone, region, "its regions do not end");
            break;
        }
        status = take_region(&nano, region);
        if (!zone_half(zone, words_of(&nano, region) + nano.own_entry * sizeof(link), &link)) {
            zone_damage(zone, region, "what leads to its next region cannot be read");
            break;
        }
        if (!(link & 0xffff))
            break;
        region += (loupe_addr)(link & 0xffff) * REGION_SIZE;
    }
    return status;
}

const struct loupe_zone_kind loupe_zone_nano = {
    .name = "nano", .is_of = is_nano, .take = take_nano};
