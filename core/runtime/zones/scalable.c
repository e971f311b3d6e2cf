#include "runtime/zones/scalable.h"

enum {
    MAX_MAGAZINES = 1 << 12,
    MAGAZINE_FREE_AT_END = 2128, /* bytes; then those at the start; then the region they are in */
    LARGEST_TINY = 64,           /* quanta */
    REGION_SHIFT = 20            /* what regions are at least a multiple of */
};

const struct loupe_rack_kind loupe_rack_kinds[LOUPE_RACKS] = {
    {.place = LOUPE_ZONE_PAGE + 128, .region_size = 1 << 20, .quantum = 16, .blocks = 64504},
    {.place = LOUPE_ZONE_PAGE + 896, .region_size = 8 << 20, .quantum = 512, .blocks = 16319},
    {.place = LOUPE_ZONE_PAGE + 1664, .region_size = 128 << 20, .quantum = 32768, .blocks = 4095},
};

bool loupe_rack_read(struct loupe_memory *memory, loupe_addr zone,
                     const struct loupe_rack_kind *kind, struct loupe_rack *ret) {
    loupe_addr rack = zone + kind->place;
    uint64_t generation, shift;
    *ret = (struct loupe_rack){.memory = memory, .kind = kind};
    if (!loupe_zone_word(memory, rack + LOUPE_RACK_GENERATION, &generation) ||
        (generation != rack + LOUPE_RACK_GENERATIONS &&
         generation != rack + LOUPE_RACK_GENERATIONS + 32) ||
        !loupe_zone_word(memory, generation, &ret->region_places) ||
        !loupe_zone_word(memory, generation + 8, &shift) || shift >= 32)
        return false;
    ret->region_shift = (uint32_t)shift;
    return ret->region_places == UINT64_C(1) << shift &&
           loupe_zone_word(memory, generation + 16, &ret->regions) && ret->regions &&
           loupe_zone_half(memory, rack + LOUPE_RACK_MAGAZINES, &ret->magazine_count) &&
           ret->magazine_count && ret->magazine_count <= MAX_MAGAZINES &&
           loupe_zone_word(memory, rack + LOUPE_RACK_MAGAZINES + 16, &ret->magazines) &&
           ret->magazines % LOUPE_PAGE_SIZE == LOUPE_MAGAZINE; /* the first one is that of nobody */
}

bool loupe_zone_is_scalable(struct loupe_memory *memory, loupe_addr zone) {
    struct loupe_rack rack;
    return loupe_rack_read(memory, zone, &loupe_rack_kinds[LOUPE_TINY], &rack) &&
           loupe_rack_read(memory, zone, &loupe_rack_kinds[LOUPE_TINY + 1], &rack);
}

bool loupe_rack_limits(const struct loupe_rack *rack, loupe_addr region, uint32_t *first_ret,
                       uint32_t *end_ret) {
    const struct loupe_rack_kind *kind = rack->kind;
    uint32_t number;
    uint64_t at_end, at_start, last, whole = (uint64_t)kind->blocks * kind->quantum;
    *first_ret = 0;
    *end_ret = kind->blocks;
    if (!loupe_zone_half(rack->memory, region + LOUPE_REGION_MAGAZINE, &number) ||
        (number != UINT32_MAX && number >= rack->magazine_count))
        return false;
    loupe_addr parts =
        rack->magazines + (loupe_addr)(int32_t)number * LOUPE_MAGAZINE + MAGAZINE_FREE_AT_END;
    if (!loupe_zone_word(rack->memory, parts, &at_end) ||
        !loupe_zone_word(rack->memory, parts + 8, &at_start) ||
        !loupe_zone_word(rack->memory, parts + 16, &last))
        return false;
    if (last != region)
        return true;
    if (at_start > whole || at_end > whole - at_start)
        return false;
    *first_ret = (uint32_t)(at_start / kind->quantum);
    *end_ret = kind->blocks - (uint32_t)(at_end / kind->quantum);
    return true;
}

/* ---- One block ---- */

/* The place of a region in the table that has it depends on its address. */
static bool has_region(const struct loupe_rack *rack, loupe_addr region) {
    uint64_t mixed = (region >> REGION_SHIFT) * UINT64_C(11400714819323198549);
    uint64_t place = rack->region_shift ? mixed >> (64 - rack->region_shift) : 0;
    for (uint64_t i = 0; i < rack->region_places; i++) {
        uint64_t found;
        if (loupe_memory_ends_at(rack->memory, i) ||
            !loupe_zone_word(rack->memory, rack->regions + place * 8, &found) || !found)
            return false;
        if (found == region)
            return true;
        place = (place + 1) % rack->region_places;
    }
    return false;
}

/* A bit for each quantum where a block begins, and one where that is in use: 32 of each by turns.
 */
static bool tiny_bits(const struct loupe_rack *rack, loupe_addr region, uint32_t index,
                      bool *begins_ret, bool *is_used_ret) {
    uint64_t bits;
    if (!loupe_zone_word(rack->memory, region + LOUPE_REGION_TABLE + index / 32 * 8, &bits))
        return false;
    *begins_ret = bits >> index % 32 & 1;
    *is_used_ret = bits >> (32 + index % 32) & 1;
    return true;
}

static uint32_t tiny_quanta(const struct loupe_rack *rack, loupe_addr region, uint32_t index,
                            uint32_t end) {
    bool begins, is_used;
    if (!tiny_bits(rack, region, index, &begins, &is_used) || !begins || !is_used)
        return 0;
    /* Cap: how large the memory is, is not known. */
    for (uint32_t quanta = 1; quanta <= LARGEST_TINY; quanta++) {
        if (index + quanta == end)
            return quanta;
        if (!tiny_bits(rack, region, index + quanta, &begins, &is_used))
            return 0;
        if (begins)
            return quanta;
    }
    return 0;
}

static uint32_t larger_quanta(const struct loupe_rack *rack, loupe_addr region, uint32_t index,
                              uint32_t end) {
    uint16_t entry;
    loupe_addr place = region + LOUPE_REGION_TABLE + (loupe_addr)index * sizeof(entry);
    if (loupe_memory_read(rack->memory, place, &entry, sizeof(entry)) ||
        entry & LOUPE_LARGER_IS_FREE || entry > end - index)
        return 0;
    return entry;
}

static uint64_t room_in_region(const struct loupe_rack *rack, loupe_addr address) {
    const struct loupe_rack_kind *kind = rack->kind;
    loupe_addr region = address - address % kind->region_size;
    loupe_addr blocks = loupe_rack_blocks(rack, region);
    uint32_t first, end;
    if (address < blocks || (address - blocks) % kind->quantum || !has_region(rack, region) ||
        !loupe_rack_limits(rack, region, &first, &end))
        return 0;
    uint32_t index = (uint32_t)((address - blocks) / kind->quantum);
    if (index < first || index >= end)
        return 0;
    uint32_t quanta = kind == &loupe_rack_kinds[LOUPE_TINY]
                          ? tiny_quanta(rack, region, index, end)
                          : larger_quanta(rack, region, index, end);
    return (uint64_t)quanta * kind->quantum;
}

/* The place of a large block depends on the number of its page. */
static uint64_t room_of_large(struct loupe_memory *memory, loupe_addr zone, loupe_addr address,
                              unsigned page_shift) {
    uint32_t places;
    uint64_t table, at, size;
    if (address % LOUPE_PAGE_SIZE || !loupe_zone_half(memory, zone + LOUPE_LARGE_PLACES, &places) ||
        !places || places > LOUPE_MAX_LARGE ||
        !loupe_zone_word(memory, zone + LOUPE_LARGE_TABLE, &table))
        return 0;
    uint32_t place = (uint32_t)((address >> page_shift) % places);
    for (uint32_t i = 0; i < places; i++, place = (place + 1) % places) {
        loupe_addr entry = table + (loupe_addr)place * LOUPE_LARGE_PLACE;
        if (loupe_memory_ends_at(memory, i) || !loupe_zone_word(memory, entry, &at) || !at ||
            !loupe_zone_word(memory, entry + 8, &size))
            return 0;
        if (at == address)
            return size;
    }
    return 0;
}

uint64_t loupe_scalable_room(struct loupe_memory *memory, loupe_addr zone, loupe_addr address) {
    static const unsigned page_shifts[] = {14, 12}; /* of arm64, and of all before */
    uint64_t room = 0;
    /* Cap: all of a table. */
    for (unsigned i = 0; !room && i < LOUPE_RACKS; i++) {
        struct loupe_rack rack;
        if (loupe_rack_read(memory, zone, &loupe_rack_kinds[i], &rack))
            room = room_in_region(&rack, address);
    }
    for (unsigned i = 0; !room && i < sizeof(page_shifts) / sizeof(page_shifts[0]); i++)
        room = room_of_large(memory, zone, address, page_shifts[i]);
    return room;
}
