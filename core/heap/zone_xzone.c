/*
 * An xzone zone, as it was published first with libmalloc-792.41.1: segments of 16 KB slices, each
 * slice described outside of it. Chunks of slices have blocks of one size, or are one block.
 */
#include "heap/zones.h"

enum {
    TYPE_XZONE = 1,

    ZONE_XZONES = 216,
    ZONE_MAIN = 240, /* 0: it is the main one */
    MAIN_EARLY_BLOCKS = 416,
    MAIN_SEGMENTS = 488,
    MAIN_MORE_TABLES = 496, /* their number; behind it where they are */

    XZONE_SIZE = 96,
    XZONE_BLOCK = 48,
    XZONE_CAPACITY = 68,
    XZONE_ZONE = 82,
    XZONES = 256,

    SEGMENTS_OF_TABLE = 16384,
    MAX_TABLES = 2048,
    SEGMENT_SHIFT = 14,
    TABLE_SHIFT = 16,

    SEGMENT_COUNT = 16, /* of slices that are described */
    SEGMENT_BODY = 40,
    SEGMENT_SLICES = 2104,
    MAX_SLICES = 256,

    SLICE_SIZE = 1 << 14,
    SLICE_DESCRIPTION = 48,
    SLICE_BITS = 32, /* kind; then the number of the xzone; then, 16 bits, that of the zone */
    SLICE_COUNT = 40,

    TINY_CHUNK = 2,
    SMALL_CHUNK = 5,
    SMALL_LIST_CHUNK = 6,
    LARGE_CHUNK = 7,
    HUGE_CHUNK = 8,

    MOST_BLOCKS = 1024,
    END_OF_LIST = 0x400,
    GOING = 0x7ff,
    GONE = 0x7fe,
    IN_THREAD = 63
};

struct xzone_zone {
    struct loupe_zone *zone;
    loupe_addr xzones, main;
    uint32_t number; /* that its chunks have */
    loupe_addr last; /* segment; a large one stands in the table several times */
};

static bool read_zone(struct loupe_zone *zone, struct xzone_zone *ret) {
    *ret = (struct xzone_zone){.zone = zone};
    if (!zone_word(zone, zone->address + ZONE_XZONES, &ret->xzones) || !ret->xzones ||
        ret->xzones % sizeof(uint64_t) || !zone_word(zone, zone->address + ZONE_MAIN, &ret->main))
        return false;
    if (!ret->main)
        ret->main = zone->address;
    for (uint32_t i = 0; i < XZONES; i++) {
        loupe_addr xzone = ret->xzones + (loupe_addr)i * XZONE_SIZE;
        uint64_t block;
        uint16_t number;
        if (!zone_word(zone, xzone + XZONE_BLOCK, &block) ||
            loupe_memory_read(zone->memory, xzone + XZONE_ZONE, &number, sizeof(number)))
            return false;
        ret->number = number;
        if (block && number)
            return true;
    }
    return false;
}

static bool is_xzone(const struct loupe_zone *zone) {
    struct loupe_zone copy = *zone;
    struct xzone_zone xzone;
    return zone->type == TYPE_XZONE && read_zone(&copy, &xzone);
}

/* ---- A chunk ---- */

struct chunk {
    loupe_addr description, start;
    uint64_t bytes;
    uint32_t kind, xzone, zone;
    uint32_t block, capacity;        /* bytes; blocks */
    uint64_t free[MOST_BLOCKS / 64]; /* set of blocks */
};

static enum loupe_status add_used(const struct xzone_zone *xzone, const struct chunk *chunk,
                                  uint32_t limit) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < chunk->capacity; i++) {
        if (i < limit && !(chunk->free[i / 64] >> i % 64 & 1))
            status =
                zone_add(xzone->zone, chunk->start + (loupe_addr)i * chunk->block, chunk->block);
        else
            zone_add_free(xzone->zone, 1, chunk->block);
    }
    return status;
}

/*
 * Each free block has where the next one begins in its second word, in units. Those that are
 * counted and not on the list were never used, at the end of the chunk.
 */
static enum loupe_status take_listed(const struct xzone_zone *xzone, struct chunk *chunk) {
    enum { UNIT = 16, LARGER_UNIT = 1024, TINY_BLOCK = 4096 };
    uint32_t unit = chunk->block > TINY_BLOCK ? LARGER_UNIT : UNIT, listed = 0;
    uint64_t word, link;
    if (!zone_word(xzone->zone, chunk->description, &word)) {
        zone_damage(xzone->zone, chunk->description, "a chunk cannot be read");
        return LOUPE_OK;
    }
    uint32_t next = word & 0x7ff, free_count = word >> 11 & 0x7ff;
    if (next == GOING || next == GONE)
        return LOUPE_OK;
    while (listed < free_count && next != END_OF_LIST) {
        uint64_t offset = (uint64_t)next * unit;
        uint32_t block = (uint32_t)(offset / chunk->block);
        if (next > END_OF_LIST || offset % chunk->block || block >= chunk->capacity ||
            (chunk->free[block / 64] >> block % 64 & 1) ||
            !zone_word(xzone->zone, chunk->start + offset + 8, &link))
            break;
        chunk->free[block / 64] |= UINT64_C(1) << block % 64;
        listed++;
        next = link & 0x7ff;
    }
    if (next != END_OF_LIST || free_count > chunk->capacity)
        zone_damage(xzone->zone, chunk->start, "a list of free blocks makes no sense");
    if ((word >> 22 & 63) == IN_THREAD)
        zone_damage(xzone->zone, chunk->start,
                    "threads keep free blocks for themselves, which are not told from used ones");
    uint32_t never_used = free_count > listed ? free_count - listed : 0;
    return add_used(xzone, chunk, never_used < chunk->capacity ? chunk->capacity - never_used : 0);
}

/* Whether a chunk is of the xzone that it says, by the zone that both say. */
static bool is_of_xzone(const struct xzone_zone *xzone, const struct chunk *chunk) {
    uint16_t number;
    return !loupe_memory_read(xzone->zone->memory,
                              xzone->xzones + (loupe_addr)chunk->xzone * XZONE_SIZE + XZONE_ZONE,
                              &number, sizeof(number)) &&
           number == chunk->zone;
}

static bool read_blocks(const struct xzone_zone *xzone, struct chunk *chunk) {
    enum { UNIT = 16 };
    loupe_addr of_kind = xzone->xzones + (loupe_addr)chunk->xzone * XZONE_SIZE;
    uint64_t block;
    if (!is_of_xzone(xzone, chunk) || !zone_word(xzone->zone, of_kind + XZONE_BLOCK, &block) ||
        !zone_half(xzone->zone, of_kind + XZONE_CAPACITY, &chunk->capacity) || !block ||
        block % UNIT || block > chunk->bytes || chunk->bytes / block != chunk->capacity ||
        chunk->capacity > MOST_BLOCKS)
        return false;
    chunk->block = (uint32_t)block;
    return true;
}

static enum loupe_status take_chunk(const struct xzone_zone *xzone, struct chunk *chunk) {
    uint32_t free;
    if (chunk->kind == LARGE_CHUNK || chunk->kind == HUGE_CHUNK)
        return zone_add(xzone->zone, chunk->start, chunk->bytes);
    if (!read_blocks(xzone, chunk)) {
        zone_damage(xzone->zone, chunk->start, "a chunk does not have what its xzone says");
        return LOUPE_OK;
    }
    if (chunk->kind != SMALL_CHUNK)
        return take_listed(xzone, chunk);
    if (chunk->capacity > 32 || !zone_half(xzone->zone, chunk->description, &free)) {
        zone_damage(xzone->zone, chunk->start, "a chunk has too many blocks");
        return LOUPE_OK;
    }
    chunk->free[0] = free;
    return add_used(xzone, chunk, chunk->capacity);
}

/* ---- Segments ---- */

static bool is_chunk(uint32_t kind) {
    return kind == TINY_CHUNK || (kind >= SMALL_CHUNK && kind <= HUGE_CHUNK);
}

/* Not one block, of no xzone. */
static bool has_blocks(uint32_t kind) {
    return kind == TINY_CHUNK || kind == SMALL_CHUNK || kind == SMALL_LIST_CHUNK;
}

/* What is between chunks may be just changing, and is passed slice by slice. */
static enum loupe_status take_segment(const struct xzone_zone *xzone, loupe_addr segment) {
    const struct loupe_zone *zone = xzone->zone;
    uint32_t slices;
    uint64_t body;
    enum loupe_status status = LOUPE_OK;
    if (!zone_half(zone, segment + SEGMENT_COUNT, &slices) || slices > MAX_SLICES ||
        !zone_word(zone, segment + SEGMENT_BODY, &body) || !body || body % SLICE_SIZE) {
        zone_damage(zone, segment, "a segment makes no sense");
        return LOUPE_OK;
    }
    status = zone_add_tables(zone, segment, SEGMENT_SLICES + (uint64_t)slices * SLICE_DESCRIPTION);
    for (uint32_t i = 0, count = 1; !status && i < slices; i += count) {
        struct chunk chunk = {.start = body + (loupe_addr)i * SLICE_SIZE};
        uint32_t bits;
        chunk.description = segment + SEGMENT_SLICES + (loupe_addr)i * SLICE_DESCRIPTION;
        count = 1;
        if (!zone_half(zone, chunk.description + SLICE_BITS, &bits)) {
            zone_damage(zone, chunk.description, "a segment cannot be read");
            break;
        }
        chunk.kind = bits & 0xf;
        chunk.xzone = bits >> 8 & 0xff;
        chunk.zone = bits >> 16;
        if (!is_chunk(chunk.kind))
            continue;
        if (chunk.kind != TINY_CHUNK &&
            (!zone_half(zone, chunk.description + SLICE_COUNT, &count) || !count ||
             (count > slices - i && chunk.kind != HUGE_CHUNK))) {
            zone_damage(zone, chunk.description, "a chunk has more slices than its segment");
            break;
        }
        chunk.bytes = (uint64_t)count * SLICE_SIZE;
        if (chunk.zone == xzone->number)
            status = take_chunk(xzone, &chunk);
        else if (has_blocks(chunk.kind) && is_of_xzone(xzone, &chunk))
            zone_damage(zone, chunk.description, "its xzones say that they are of different zones");
        if (!status)
            status = zone_explain(zone, chunk.start, chunk.bytes);
        if (chunk.kind == HUGE_CHUNK)
            break; /* it has the rest of its segment */
    }
    return status;
}

static enum loupe_status take_table(struct xzone_zone *xzone, loupe_addr table) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < SEGMENTS_OF_TABLE; i++) {
        uint32_t entry;
        if (!zone_half(xzone->zone, table + i * sizeof(entry), &entry)) {
            zone_damage(xzone->zone, table, "a table of segments cannot be read");
            break;
        }
        loupe_addr segment = (loupe_addr)(entry & 0x7fffffff) << SEGMENT_SHIFT;
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
    if (!zone_word(xzone->zone, xzone->main + MAIN_MORE_TABLES, &count) ||
        !zone_word(xzone->zone, xzone->main + MAIN_MORE_TABLES + 8, &tables) ||
        (count > MAX_TABLES && tables)) {
        zone_damage(xzone->zone, xzone->main, "its tables of segments make no sense");
        return LOUPE_OK;
    }
    for (uint32_t i = 0; !status && tables && i < count; i++) {
        uint32_t entry;
        if (!zone_half(xzone->zone, tables + i * sizeof(entry), &entry)) {
            zone_damage(xzone->zone, tables, "a table of tables of segments cannot be read");
            break;
        }
        if (entry)
            status = take_table(xzone, (loupe_addr)entry << TABLE_SHIFT);
    }
    return status;
}

static enum loupe_status take_xzone(struct loupe_zone *zone) {
    struct xzone_zone xzone;
    uint64_t table, early;
    if (!read_zone(zone, &xzone))
        return LOUPE_OK;
    if (!zone_word(zone, xzone.main + MAIN_SEGMENTS, &table)) {
        zone_damage(zone, xzone.main, "its tables of segments make no sense");
        return LOUPE_OK;
    }
    if (xzone.main == zone->address &&
        (!zone_word(zone, xzone.main + MAIN_EARLY_BLOCKS, &early) || early))
        zone_damage(zone, xzone.main + MAIN_EARLY_BLOCKS,
                    "blocks that were given out before it was made are not known");
    enum loupe_status status = take_table(&xzone, table);
    return status ? status : take_more_tables(&xzone);
}

const struct loupe_zone_kind loupe_zone_xzone = {
    .name = "xzone", .is_of = is_xzone, .take = take_xzone};
