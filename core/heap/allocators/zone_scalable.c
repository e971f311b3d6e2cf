/*
 * The blocks of a scalable zone. What a magazine was given back last still counts as used.
 */
#include "heap/allocators/zones.h"

#include "runtime/zones/scalable.h"

enum {
    MAX_REGIONS = 1 << 24,
    MAGAZINE_LAST_FREE = 8,
    MAGAZINE_LAST_FREE_QUANTA = 16,
    MAGAZINE_LAST_FREE_REGION = 24,
    MOST_CACHED_QUANTA = 16 /* of tiny blocks; larger ones are given back at once */
};

struct rack {
    const struct loupe_zone *zone;
    const struct loupe_rack_kind *kind;
    struct loupe_rack in;
};

static bool is_tiny(const struct rack *rack) {
    return rack->kind == &loupe_rack_kinds[LOUPE_TINY];
}

/* Machines with little memory have no medium rack: nothing was ever written there. */
static bool was_made(const struct loupe_zone *zone, const struct loupe_rack_kind *kind) {
    static const uint32_t places[] = {LOUPE_RACK_REGIONS, LOUPE_RACK_GENERATION,
                                      LOUPE_RACK_GENERATIONS, LOUPE_RACK_MAGAZINES,
                                      LOUPE_RACK_MAGAZINES + 16};
    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        uint64_t word;
        if (!zone_word(zone, zone->address + kind->place + places[i], &word) || word)
            return true;
    }
    return false;
}

static bool is_scalable(const struct loupe_zone *zone) {
    return zone->type == LOUPE_ZONE_OF_NO_TYPE &&
           loupe_zone_is_scalable(zone->memory, zone->address);
}

/* ---- A region ---- */

struct region {
    const struct rack *rack;
    loupe_addr address, blocks;
    uint32_t first,
        end;        /* in blocks' quanta: what a magazine has not begun to give out is not in */
    uint64_t bytes; /* of blocks that count as used */
    uint32_t used;  /* blocks */
};

static enum loupe_status add_block(struct region *region, uint32_t index, uint32_t quanta,
                                   bool is_used) {
    const struct rack *rack = region->rack;
    uint64_t size = (uint64_t)quanta * rack->kind->quantum;
    if (!is_used) {
        zone_add_free(rack->zone, 1, size);
        return LOUPE_OK;
    }
    region->bytes += size;
    region->used++;
    return zone_add(rack->zone, region->blocks + (uint64_t)index * rack->kind->quantum, size);
}

/* Two bits for each quantum: a block begins there; it is in use. 32 of each by turns. */
static enum loupe_status take_tiny(struct region *region) {
    enum loupe_status status = LOUPE_OK;
    uint32_t begun = region->end; /* the block that has not ended yet; `end`: none */
    bool is_used = false;
    for (uint32_t word = region->first / 32; !status && word * 32 < region->end; word++) {
        uint64_t bits;
        loupe_addr place = region->address + LOUPE_REGION_TABLE + (loupe_addr)word * 8;
        if (loupe_memory_read_u64(region->rack->zone->memory, place, &bits)) {
            zone_damage(region->rack->zone, place, "a region cannot be read");
            return LOUPE_OK;
        }
        for (uint32_t heads = (uint32_t)bits; !status && heads; heads &= heads - 1) {
            uint32_t bit = (uint32_t)__builtin_ctz(heads), index = word * 32 + bit;
            if (index < region->first || index >= region->end)
                continue;
            if (begun < region->end)
                status = add_block(region, begun, index - begun, is_used);
            begun = index;
            is_used = bits >> (32 + bit) & 1;
        }
    }
    if (!status && begun < region->end)
        status = add_block(region, begun, region->end - begun, is_used);
    return status;
}

/* 16 bits for each quantum: where a block begins, its quanta and whether it is free. */
static enum loupe_status take_larger(struct region *region) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t index = region->first; !status && index < region->end;) {
        uint16_t entry;
        loupe_addr place = region->address + LOUPE_REGION_TABLE + (loupe_addr)index * sizeof(entry);
        uint32_t quanta = 0;
        if (!loupe_memory_read(region->rack->zone->memory, place, &entry, sizeof(entry)))
            quanta = entry & (LOUPE_LARGER_IS_FREE - 1u);
        if (!quanta || quanta > region->end - index) {
            zone_damage(region->rack->zone, place, "the allocations of a region do not fill it");
            return LOUPE_OK;
        }
        status = add_block(region, index, quanta, !(entry & LOUPE_LARGER_IS_FREE));
        index += quanta;
    }
    return status;
}

/* What was never given out is free. */
static bool limit_region(struct region *region) {
    const struct rack *rack = region->rack;
    if (!loupe_rack_limits(&rack->in, region->address, &region->first, &region->end))
        return false;
    uint64_t quanta = rack->kind->blocks - (region->end - region->first);
    zone_add_free(rack->zone, 0, quanta * rack->kind->quantum);
    return true;
}

static bool counts_right(const struct region *region) {
    const struct rack *rack = region->rack;
    uint32_t bytes, blocks;
    return zone_half(rack->zone, region->address + LOUPE_REGION_BYTES_USED, &bytes) &&
           zone_half(rack->zone, region->address + LOUPE_REGION_BLOCKS_USED, &blocks) &&
           bytes == (uint32_t)region->bytes && (!is_tiny(rack) || blocks == region->used);
}

static enum loupe_status take_region(const struct rack *rack, loupe_addr address) {
    const struct loupe_rack_kind *kind = rack->kind;
    struct region region = {
        .rack = rack, .address = address, .blocks = loupe_rack_blocks(&rack->in, address)};
    if (address % kind->region_size || !limit_region(&region)) {
        zone_damage(rack->zone, address, "a region makes no sense");
        return LOUPE_OK;
    }
    enum loupe_status status = is_tiny(rack) ? take_tiny(&region) : take_larger(&region);
    if (!status && !counts_right(&region))
        zone_damage(rack->zone, address, "a region does not count what it has");
    return status ? status : zone_explain(rack->zone, address, kind->region_size);
}

/* ---- A rack ---- */

/* What a magazine was given back last: two words of it say how large it is, and in which region. */
struct last_freed {
    uint64_t block, region;
    uint16_t quanta;
};

static bool read_last_freed(const struct rack *rack, loupe_addr magazine, struct last_freed *ret) {
    const struct loupe_zone *zone = rack->zone;
    return zone_word(zone, magazine + MAGAZINE_LAST_FREE, &ret->block) &&
           zone_word(zone, magazine + MAGAZINE_LAST_FREE_REGION, &ret->region) &&
           !loupe_memory_read(zone->memory, magazine + MAGAZINE_LAST_FREE_QUANTA, &ret->quanta,
                              sizeof(ret->quanta));
}

/* Of a tiny block: bits of its quanta, where it begins and behind it. */
static bool is_used_tiny(const struct rack *rack, loupe_addr region, uint32_t index,
                         uint32_t quanta) {
    for (uint32_t i = index; i <= index + quanta && i < rack->kind->blocks; i++) {
        uint64_t bits;
        if (loupe_memory_read_u64(rack->zone->memory, region + LOUPE_REGION_TABLE + i / 32 * 8,
                                  &bits) ||
            (bits >> i % 32 & 1) != (i == index || i == index + quanta) ||
            (i == index && !(bits >> (32 + i % 32) & 1)))
            return false;
    }
    return true;
}

/* Whether a block of that size that counts as used begins there. */
static bool is_used(const struct rack *rack, const struct last_freed *last) {
    const struct loupe_rack_kind *kind = rack->kind;
    loupe_addr blocks = loupe_rack_blocks(&rack->in, last->region);
    uint64_t index = (last->block - blocks) / kind->quantum;
    uint16_t entry;
    if (last->region % kind->region_size || last->block < blocks || index >= kind->blocks ||
        (last->block - blocks) % kind->quantum || !last->quanta)
        return false;
    if (is_tiny(rack))
        return last->quanta < MOST_CACHED_QUANTA &&
               is_used_tiny(rack, last->region, (uint32_t)index, last->quanta);
    return !loupe_memory_read(rack->zone->memory,
                              last->region + LOUPE_REGION_TABLE + index * sizeof(entry), &entry,
                              sizeof(entry)) &&
           entry == last->quanta;
}

static enum loupe_status take_last_freed(const struct rack *rack) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i <= rack->in.magazine_count; i++) {
        struct last_freed last;
        loupe_addr magazine = rack->in.magazines - LOUPE_MAGAZINE + (loupe_addr)i * LOUPE_MAGAZINE;
        if (!read_last_freed(rack, magazine, &last)) {
            zone_damage(rack->zone, magazine, "a magazine cannot be read");
            continue;
        }
        if ((last.block || last.region || last.quanta) && !is_used(rack, &last))
            zone_damage(rack->zone, magazine,
                        "what a magazine was given back last is not an allocation");
        if (last.block)
            status = loupe_allocation_scan_add_freed(rack->zone->scan, last.block);
    }
    return status;
}

/* A region that its table has lost is nowhere else. */
static void compare_regions(const struct rack *rack, uint64_t found) {
    loupe_addr place = rack->zone->address + rack->kind->place + LOUPE_RACK_REGIONS;
    uint64_t ever, given_back;
    if (!zone_word(rack->zone, place, &ever) || !zone_word(rack->zone, place + 8, &given_back) ||
        ever - given_back != found)
        zone_damage(rack->zone, place, "it counts other regions than there are");
}

static enum loupe_status take_rack(const struct rack *rack) {
    enum loupe_status status = take_last_freed(rack);
    uint64_t found = 0;
    if (rack->in.region_places > MAX_REGIONS)
        zone_damage(rack->zone, rack->in.regions, "it has too many regions");
    /* Cap: the zone's doubt. */
    for (uint64_t i = 0; !status && i < rack->in.region_places && i < MAX_REGIONS; i++) {
        uint64_t region;
        if (loupe_memory_ends_at(rack->zone->memory, i))
            return LOUPE_ETIMEOUT;
        if (!zone_word(rack->zone, rack->in.regions + i * 8, &region)) {
            zone_damage(rack->zone, rack->in.regions + i * 8,
                        "its table of regions cannot be read");
            break;
        }
        if (!region || region == UINT64_MAX)
            continue;
        found++;
        status = take_region(rack, region);
    }
    if (!status)
        compare_regions(rack, found);
    return status;
}

/* ---- Large blocks ---- */

static bool is_large_block(uint64_t address, uint64_t size) {
    return size && size <= UINT64_MAX - address && (address | size) % LOUPE_PAGE_SIZE == 0;
}

static enum loupe_status take_large(const struct loupe_zone *zone) {
    uint32_t counted, places, found = 0;
    uint64_t table, address, size, counted_bytes, bytes = 0;
    enum loupe_status status = LOUPE_OK;
    if (!zone_half(zone, zone->address + LOUPE_LARGE_COUNT, &counted) ||
        !zone_half(zone, zone->address + LOUPE_LARGE_PLACES, &places) ||
        !zone_word(zone, zone->address + LOUPE_LARGE_TABLE, &table) ||
        !zone_word(zone, zone->address + LOUPE_LARGE_BYTES, &counted_bytes) ||
        places > LOUPE_MAX_LARGE) {
        zone_damage(zone, zone->address + LOUPE_LARGE_COUNT,
                    "its table of large allocations makes no sense");
        return LOUPE_OK;
    }
    status = zone_add_tables(zone, table, (uint64_t)places * LOUPE_LARGE_PLACE);
    for (uint32_t i = 0; !status && i < places; i++) {
        loupe_addr place = table + (loupe_addr)i * LOUPE_LARGE_PLACE;
        if (!zone_word(zone, place, &address) || !zone_word(zone, place + 8, &size)) {
            zone_damage(zone, place, "its table of large allocations cannot be read");
            break;
        }
        if (!address)
            continue;
        found++;
        bytes += size;
        if (!is_large_block(address, size))
            zone_damage(zone, place, "a large allocation has an impossible place or size");
        else if (!(status = zone_add(zone, address, size)))
            status = zone_explain(zone, address, size);
    }
    if (!status && (found != counted || bytes != counted_bytes))
        zone_damage(zone, table, "its count of large allocations is wrong");
    return status;
}

/* One that was given back. */
struct kept {
    uint64_t address, size;
    uint32_t state;
};

static bool read_kept(const struct loupe_zone *zone, uint32_t number, struct kept *ret) {
    loupe_addr place = zone->address + LOUPE_KEPT_PLACES + (loupe_addr)number * LOUPE_LARGE_PLACE;
    return zone_word(zone, place, &ret->address) && zone_word(zone, place + 8, &ret->size) &&
           zone_half(zone, place + 16, &ret->state);
}

/*
 * What is kept of large blocks that were given back, with all that they had, is free memory. Where
 * their states are numbers by which the system takes them away, they may be somebody else's by now.
 */
static enum loupe_status take_kept(const struct loupe_zone *zone) {
    enum { ADVISED = 1 /* or not: 0 */ };
    uint32_t oldest, newest, count;
    uint64_t counted, bytes = 0;
    enum loupe_status status = LOUPE_OK;
    if (!zone_half(zone, zone->address + LOUPE_KEPT_COUNT, &count) || !count)
        return LOUPE_OK;
    bool is_right = count <= LOUPE_KEPT_MOST &&
                    zone_half(zone, zone->address + LOUPE_KEPT_OLDEST, &oldest) && oldest < count &&
                    zone_half(zone, zone->address + LOUPE_KEPT_NEWEST, &newest) && newest < count &&
                    zone_word(zone, zone->address + LOUPE_KEPT_BYTES, &counted);
    for (uint32_t i = 0; !status && is_right && i < count; i++) {
        uint32_t number = (oldest + i) % count;
        struct kept kept;
        is_right = read_kept(zone, number, &kept);
        if (!is_right || (!kept.address && oldest == newest))
            break;
        if (kept.state > ADVISED)
            return LOUPE_OK;
        is_right = is_large_block(kept.address, kept.size);
        bytes += kept.size;
        if (is_right) {
            zone_add_free(zone, 1, kept.size);
            status = zone_explain(zone, kept.address, kept.size);
        }
        if (number == newest)
            break;
    }
    if (!status && (!is_right || bytes != counted))
        zone_damage(zone, zone->address + LOUPE_KEPT_OLDEST,
                    "its list of freed large allocations makes no sense");
    return status;
}

static enum loupe_status take_scalable(struct loupe_zone *zone) {
    enum loupe_status status = LOUPE_OK;
    /* Cap: all of a table. */
    for (unsigned i = 0; !status && i < LOUPE_RACKS; i++) {
        const struct loupe_rack_kind *kind = &loupe_rack_kinds[i];
        struct rack rack = {.zone = zone, .kind = kind};
        if (loupe_rack_read(zone->memory, zone->address, kind, &rack.in))
            status = take_rack(&rack);
        else if (was_made(zone, kind))
            zone_damage(zone, zone->address + kind->place, "a rack of regions makes no sense");
    }
    if (!status)
        status = take_large(zone);
    return status ? status : take_kept(zone);
}

const struct loupe_zone_kind loupe_zone_scalable = {
    .name = "scalable", .is_of = is_scalable, .take = take_scalable};
