/* The slots of a nano zone. */
#include "heap/allocators/zones.h"

#include "runtime/zones/nano.h"

enum { MOST_SLOTS = LOUPE_NANO_BLOCK / 16 };

struct nano {
    const struct loupe_zone *zone;
    struct loupe_nano in;
};

static bool is_nano(const struct loupe_zone *zone) {
    struct loupe_nano nano;
    return zone->type == LOUPE_ZONE_OF_NO_TYPE &&
           loupe_nano_read(zone->memory, zone->address, &nano);
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
    while (next != LOUPE_NANO_NONE_FREE_BEFORE) {
        uint64_t guard, link;
        uint32_t slot = next - 1;
        loupe_addr place = slots->block + (loupe_addr)slot * slots->size;
        if (slot >= slots->count || (slots->free[slot / 64] >> slot % 64 & 1) ||
            !zone_word(zone, place, &guard) || !zone_word(zone, place + 8, &link) ||
            guard != (slots->nano->in.free_cookie ^ place))
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
    uint32_t next = word & LOUPE_NANO_STATE, free_count = (word >> 11 & 0x3ff) + 1;
    struct slots slots = {
        .nano = nano, .block = block, .size = loupe_nano_slot_size(&nano->in, number)};
    enum loupe_status status = LOUPE_OK;
    slots.count = LOUPE_NANO_BLOCK / slots.size;
    uint32_t used = next == LOUPE_NANO_FULL ? slots.count : slots.count - free_count;
    if (next != LOUPE_NANO_FULL && free_count > slots.count) {
        zone_damage(nano->zone, block, "a slab has more free slots than slots");
        return LOUPE_OK;
    }
    if (used && next != LOUPE_NANO_FULL && !follow_free(&slots, next))
        zone_damage(nano->zone, block, ZONE_BAD_FREE_SLOTS);
    if (slots.listed > slots.count - used)
        zone_damage(nano->zone, block, "more slots are on a list of free ones than it counts");
    zone_add_free(nano->zone, slots.count - used, (uint64_t)(slots.count - used) * slots.size);
    for (uint32_t i = 0; !status && i < slots.count && i < used + slots.listed; i++)
        if (!(slots.free[i / 64] >> i % 64 & 1))
            status = zone_add(nano->zone, block + (loupe_addr)i * slots.size, slots.size);
    return status;
}

/* ---- Arenas and regions ---- */

static enum loupe_status take_arena(const struct nano *nano, loupe_addr arena) {
    enum loupe_status status = LOUPE_OK;
    /* Cap: all of an arena. */
    for (uint32_t i = 0; !status && i < LOUPE_NANO_BLOCKS; i++) {
        uint32_t word, number = loupe_nano_exchange_halves(i);
        if (i == nano->in.own_entry)
            continue;
        if (!zone_half(nano->zone, loupe_nano_words(&nano->in, arena) + i * sizeof(word), &word)) {
            zone_damage(nano->zone, arena, "an arena cannot be read");
            break;
        }
        uint32_t next = word & LOUPE_NANO_STATE;
        if (loupe_nano_has_slots(next))
            status = take_slots(nano, arena + ((loupe_addr)number << LOUPE_NANO_BLOCK_SHIFT),
                                number, word);
    }
    return status;
}

static enum loupe_status take_region(const struct nano *nano, loupe_addr region) {
    enum loupe_status status = zone_explain(nano->zone, region, LOUPE_NANO_REGION);
    /* Cap: all of a region. */
    for (uint32_t i = 0; !status && i < LOUPE_NANO_ARENAS; i++) {
        loupe_addr arena = region + (loupe_addr)i * LOUPE_NANO_ARENA;
        if (loupe_memory_interrupted(nano->zone->memory))
            return LOUPE_ETIMEOUT;
        if (loupe_nano_has_arena(&nano->in, region, arena))
            status = take_arena(nano, arena);
    }
    return status;
}

static enum loupe_status take_nano(struct loupe_zone *zone) {
    struct nano nano = {.zone = zone};
    enum loupe_status status = LOUPE_OK;
    if (!loupe_nano_read(zone->memory, zone->address, &nano.in))
        return LOUPE_OK;
    loupe_addr region = nano.in.first_region;
    for (uint32_t i = 0; !status && region; i++) {
        if (i == LOUPE_NANO_MAX_REGIONS) {
            zone_damage(zone, region, "its regions do not end");
            break;
        }
        status = take_region(&nano, region);
        if (!loupe_nano_next_region(&nano.in, region, &region)) {
            zone_damage(zone, region, "the pointer to its next region cannot be read");
            break;
        }
    }
    return status;
}

const struct loupe_zone_kind loupe_zone_nano = {
    .name = "nano", .is_of = is_nano, .take = take_nano};
