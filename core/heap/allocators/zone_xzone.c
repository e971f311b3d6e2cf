/* The blocks of an xzone zone. */
#include "heap/allocators/zones.h"

#include "runtime/zones/xzone.h"

enum { END_OF_LIST = 0x400, GOING = 0x7ff, GONE = 0x7fe, IN_THREAD = 63 };

struct xzone_zone {
    struct loupe_zone *zone;
    struct loupe_xzone_zone in;
    loupe_addr last; /* segment; a large one stands in the table several times */
};

static bool is_xzone(const struct loupe_zone *zone) {
    struct loupe_xzone_zone xzone;
    return zone->type == LOUPE_ZONE_XZONE && loupe_xzone_read(zone->memory, zone->address, &xzone);
}

/* ---- A chunk ---- */

struct chunk {
    struct loupe_xzone_chunk in;
    uint64_t free[LOUPE_CHUNK_MAX_BLOCKS / 64]; /* set of blocks */
};

static enum loupe_status add_used(const struct xzone_zone *xzone, const struct chunk *chunk,
                                  uint32_t limit) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < chunk->in.capacity; i++) {
        if (i < limit && !(chunk->free[i / 64] >> i % 64 & 1))
            status = zone_add(xzone->zone, chunk->in.start + (loupe_addr)i * chunk->in.block,
                              chunk->in.block);
        else
            zone_add_free(xzone->zone, 1, chunk->in.block);
    }
    return status;
}

/*
 * Each free block has where the next one begins in its second word, in units. Those that are
 * counted and not on the list were never used, at the end of the chunk.
 */
static enum loupe_status take_listed(const struct xzone_zone *xzone, struct chunk *chunk) {
    enum { UNIT = 16, LARGER_UNIT = 1024, TINY_BLOCK = 4096 };
    uint32_t unit = chunk->in.block > TINY_BLOCK ? LARGER_UNIT : UNIT, listed = 0;
    uint64_t word, link;
    if (!zone_word(xzone->zone, chunk->in.description, &word)) {
        zone_damage(xzone->zone, chunk->in.description, "a chunk cannot be read");
        return LOUPE_OK;
    }
    uint32_t next = word & 0x7ff, free_count = word >> 11 & 0x7ff;
    if (next == GOING || next == GONE)
        return LOUPE_OK;
    while (listed < free_count && next != END_OF_LIST) {
        uint64_t offset = (uint64_t)next * unit;
        uint32_t block = (uint32_t)(offset / chunk->in.block);
        if (next > END_OF_LIST || offset % chunk->in.block || block >= chunk->in.capacity ||
            (chunk->free[block / 64] >> block % 64 & 1) ||
            !zone_word(xzone->zone, chunk->in.start + offset + 8, &link))
            break;
        chunk->free[block / 64] |= UINT64_C(1) << block % 64;
        listed++;
        next = link & 0x7ff;
    }
    if (next != END_OF_LIST || free_count > chunk->in.capacity)
        zone_damage(xzone->zone, chunk->in.start, ZONE_BAD_FREE_SLOTS);
    if ((word >> 22 & 63) == IN_THREAD)
        zone_damage(xzone->zone, chunk->in.start,
                    "threads keep free memory for themselves, which looks like allocations");
    uint32_t never_used = free_count > listed ? free_count - listed : 0;
    return add_used(xzone, chunk,
                    never_used < chunk->in.capacity ? chunk->in.capacity - never_used : 0);
}

static enum loupe_status take_chunk(const struct xzone_zone *xzone, struct chunk *chunk) {
    uint32_t free;
    if (chunk->in.kind == LOUPE_LARGE_CHUNK || chunk->in.kind == LOUPE_HUGE_CHUNK)
        return zone_add(xzone->zone, chunk->in.start, chunk->in.bytes);
    if (!loupe_xzone_chunk_blocks(&xzone->in, &chunk->in)) {
        zone_damage(xzone->zone, chunk->in.start, "a chunk does not have what its xzone says");
        return LOUPE_OK;
    }
    if (chunk->in.kind != LOUPE_SMALL_CHUNK)
        return take_listed(xzone, chunk);
    if (chunk->in.capacity > 32 || !zone_half(xzone->zone, chunk->in.description, &free)) {
        zone_damage(xzone->zone, chunk->in.start, "a chunk has too many slots");
        return LOUPE_OK;
    }
    chunk->free[0] = free;
    return add_used(xzone, chunk, chunk->in.capacity);
}

/* ---- Segments ---- */

/* Not one block, of no xzone. */
static bool has_blocks(uint32_t kind) {
    return kind == LOUPE_TINY_CHUNK || kind == LOUPE_SMALL_CHUNK || kind == LOUPE_SMALL_LIST_CHUNK;
}

/* What is between chunks may be just changing, and is passed slice by slice. */
static enum loupe_status take_segment(const struct xzone_zone *xzone, loupe_addr address) {
    const struct loupe_zone *zone = xzone->zone;
    struct loupe_xzone_segment segment;
    enum loupe_status status = LOUPE_OK;
    if (!loupe_xzone_segment_read(zone->memory, address, &segment)) {
        zone_damage(zone, address, "a segment makes no sense");
        return LOUPE_OK;
    }
    status = zone_add_tables(
        zone, address, LOUPE_SEGMENT_SLICES + (uint64_t)segment.slices * LOUPE_SLICE_DESCRIPTION);
    /* Slices of no chunk have what was there before. */
    if (!status)
        status = zone_explain(zone, segment.body, (uint64_t)segment.slices * LOUPE_SLICE_SIZE);
    for (uint32_t i = 0, count = 1; !status && i < segment.slices; i += count) {
        struct chunk chunk = {.free = {0}};
        if (!loupe_xzone_chunk_read(zone->memory, &segment, i, &chunk.in)) {
            zone_damage(zone, chunk.in.description, "a segment cannot be read");
            break;
        }
        count = chunk.in.slices;
        if (!loupe_xzone_is_chunk(chunk.in.kind))
            continue;
        if (!count) {
            zone_damage(zone, chunk.in.description, "a chunk has more slices than its segment");
            break;
        }
        if (chunk.in.zone == xzone->in.number)
            status = take_chunk(xzone, &chunk);
        else if (has_blocks(chunk.in.kind) && loupe_xzone_chunk_is_of(&xzone->in, &chunk.in))
            zone_damage(zone, chunk.in.description,
                        "its xzones say that they are of different zones");
        if (!status)
            status = zone_explain(zone, chunk.in.start, chunk.in.bytes);
        if (chunk.in.kind == LOUPE_HUGE_CHUNK)
            break; /* it has the rest of its segment */
    }
    return status;
}

static enum loupe_status take_table(struct xzone_zone *xzone, loupe_addr table) {
    enum loupe_status status = LOUPE_OK;
    /* Cap: all of a table. */
    for (uint32_t i = 0; !status && i < LOUPE_XZONE_SEGMENTS_OF_TABLE; i++) {
        uint32_t entry;
        if (!zone_half(xzone->zone, table + i * sizeof(entry), &entry)) {
            zone_damage(xzone->zone, table, "a table of segments cannot be read");
            break;
        }
        loupe_addr segment = (loupe_addr)(entry & 0x7fffffff) << LOUPE_XZONE_SEGMENT_SHIFT;
        if (loupe_memory_ends_at(xzone->zone->memory, i))
            return LOUPE_ETIMEOUT;
        if (segment && segment != xzone->last)
            status = take_segment(xzone, segment);
        if (segment)
            xzone->last = segment;
    }
    return status;
}

static enum loupe_status take_more_tables(struct xzone_zone *xzone) {
    uint64_t count, tables;
    enum loupe_status status = LOUPE_OK;
    if (!zone_word(xzone->zone, xzone->in.main + LOUPE_XZONE_MORE_TABLES, &count) ||
        !zone_word(xzone->zone, xzone->in.main + LOUPE_XZONE_MORE_TABLES + 8, &tables) ||
        (count > LOUPE_XZONE_MAX_TABLES && tables)) {
        zone_damage(xzone->zone, xzone->in.main, "its tables of segments make no sense");
        return LOUPE_OK;
    }
    for (uint32_t i = 0; !status && tables && i < count; i++) {
        uint32_t entry;
        if (!zone_half(xzone->zone, tables + i * sizeof(entry), &entry)) {
            zone_damage(xzone->zone, tables, "a table of tables of segments cannot be read");
            break;
        }
        if (entry)
            status = take_table(xzone, (loupe_addr)entry << LOUPE_XZONE_TABLE_SHIFT);
    }
    return status;
}

static enum loupe_status take_xzone(struct loupe_zone *zone) {
    struct xzone_zone xzone = {.zone = zone};
    uint64_t table, early;
    if (!loupe_xzone_read(zone->memory, zone->address, &xzone.in))
        return LOUPE_OK;
    if (!zone_word(zone, xzone.in.main + LOUPE_XZONE_SEGMENTS, &table)) {
        zone_damage(zone, xzone.in.main, "its tables of segments make no sense");
        return LOUPE_OK;
    }
    if (xzone.in.main == zone->address &&
        (!zone_word(zone, xzone.in.main + LOUPE_XZONE_EARLY_BLOCKS, &early) || early))
        zone_damage(zone, xzone.in.main + LOUPE_XZONE_EARLY_BLOCKS,
                    "allocations made before the zone are not known");
    enum loupe_status status = take_table(&xzone, table);
    if (!status)
        status = take_more_tables(&xzone);
    if (!status && xzone.in.main == zone->address)
        status = loupe_xzone_take_kept(zone);
    return status;
}

const struct loupe_zone_kind loupe_zone_xzone = {
    .name = "xzone", .is_of = is_xzone, .take = take_xzone};
