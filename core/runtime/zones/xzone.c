#include "runtime/zones/xzone.h"

enum {
    ZONE_XZONES = 216,
    ZONE_MAIN = 240, /* 0: it is the main one */

    XZONE_BLOCK = 48,
    XZONE_CAPACITY = 68,
    XZONES = 256,

    SLICE_BITS = 32, /* kind; then the number of the xzone; then, 16 bits, that of the zone */
    SLICE_COUNT = 40
};

bool loupe_xzone_read(struct loupe_memory *memory, loupe_addr zone, struct loupe_xzone_zone *ret) {
    *ret = (struct loupe_xzone_zone){.memory = memory};
    if (!loupe_zone_word(memory, zone + ZONE_XZONES, &ret->xzones) || !ret->xzones ||
        ret->xzones % sizeof(uint64_t) || !loupe_zone_word(memory, zone + ZONE_MAIN, &ret->main))
        return false;
    if (!ret->main)
        ret->main = zone;
    /* Cap: it is no zone of this kind then. */
    for (uint32_t i = 0; i < XZONES; i++) {
        loupe_addr xzone = ret->xzones + (loupe_addr)i * LOUPE_XZONE_SIZE;
        uint64_t block;
        uint16_t number;
        if (!loupe_zone_word(memory, xzone + XZONE_BLOCK, &block) ||
            loupe_memory_read(memory, xzone + LOUPE_XZONE_ZONE, &number, sizeof(number)))
            return false;
        ret->number = number;
        if (block && number)
            return true;
    }
    return false;
}

bool loupe_xzone_segment_read(struct loupe_memory *memory, loupe_addr address,
                              struct loupe_xzone_segment *ret) {
    ret->address = address;
    return loupe_zone_half(memory, address + LOUPE_SEGMENT_DESCRIBED, &ret->slices) &&
           ret->slices <= LOUPE_SEGMENT_MAX_SLICES &&
           loupe_zone_word(memory, address + LOUPE_SEGMENT_BODY, &ret->body) && ret->body &&
           ret->body % LOUPE_SLICE_SIZE == 0;
}

bool loupe_xzone_chunk_read(struct loupe_memory *memory, const struct loupe_xzone_segment *segment,
                            uint32_t slice, struct loupe_xzone_chunk *ret) {
    uint32_t bits, slices;
    *ret = (struct loupe_xzone_chunk){.start = segment->body + (loupe_addr)slice * LOUPE_SLICE_SIZE,
                                      .slices = 1};
    ret->description =
        segment->address + LOUPE_SEGMENT_SLICES + (loupe_addr)slice * LOUPE_SLICE_DESCRIPTION;
    if (!loupe_zone_half(memory, ret->description + SLICE_BITS, &bits))
        return false;
    ret->kind = bits & 0xf;
    ret->xzone = bits >> 8 & 0xff;
    ret->zone = bits >> 16;
    if (loupe_xzone_is_chunk(ret->kind) && ret->kind != LOUPE_TINY_CHUNK) {
        if (!loupe_zone_half(memory, ret->description + SLICE_COUNT, &slices) ||
            (slices > segment->slices - slice && ret->kind != LOUPE_HUGE_CHUNK))
            slices = 0;
        ret->slices = slices;
    }
    ret->bytes = (uint64_t)ret->slices * LOUPE_SLICE_SIZE;
    return true;
}

bool loupe_xzone_chunk_is_of(const struct loupe_xzone_zone *zone,
                             const struct loupe_xzone_chunk *chunk) {
    uint16_t number;
    return !loupe_memory_read(zone->memory,
                              zone->xzones + (loupe_addr)chunk->xzone * LOUPE_XZONE_SIZE +
                                  LOUPE_XZONE_ZONE,
                              &number, sizeof(number)) &&
           number == chunk->zone;
}

bool loupe_xzone_chunk_blocks(const struct loupe_xzone_zone *zone,
                              struct loupe_xzone_chunk *chunk) {
    enum { UNIT = 16 };
    loupe_addr of_kind = zone->xzones + (loupe_addr)chunk->xzone * LOUPE_XZONE_SIZE;
    uint64_t block;
    if (!loupe_xzone_chunk_is_of(zone, chunk) ||
        !loupe_zone_word(zone->memory, of_kind + XZONE_BLOCK, &block) ||
        !loupe_zone_half(zone->memory, of_kind + XZONE_CAPACITY, &chunk->capacity) || !block ||
        block % UNIT || block > chunk->bytes || chunk->bytes / block != chunk->capacity ||
        chunk->capacity > LOUPE_CHUNK_MAX_BLOCKS)
        return false;
    chunk->block = (uint32_t)block;
    return true;
}

/* ---- One block ---- */

static bool find_segment(const struct loupe_xzone_zone *zone, loupe_addr address,
                         struct loupe_xzone_segment *ret) {
    uint64_t number = address >> LOUPE_XZONE_BODY_SHIFT,
             table_number = number / LOUPE_XZONE_SEGMENTS_OF_TABLE, count, tables, table;
    uint32_t entry;
    if (!table_number) {
        if (!loupe_zone_word(zone->memory, zone->main + LOUPE_XZONE_SEGMENTS, &table))
            return false;
    } else {
        loupe_addr place = zone->main + LOUPE_XZONE_MORE_TABLES;
        if (!loupe_zone_word(zone->memory, place, &count) || table_number >= count ||
            !loupe_zone_word(zone->memory, place + 8, &tables) || !tables ||
            !loupe_zone_half(zone->memory, tables + table_number * sizeof(entry), &entry) || !entry)
            return false;
        table = (loupe_addr)entry << LOUPE_XZONE_TABLE_SHIFT;
    }
    table += number % LOUPE_XZONE_SEGMENTS_OF_TABLE * sizeof(entry);
    return loupe_zone_half(zone->memory, table, &entry) && entry & 0x7fffffff &&
           loupe_xzone_segment_read(
               zone->memory, (loupe_addr)(entry & 0x7fffffff) << LOUPE_XZONE_SEGMENT_SHIFT, ret) &&
           address >= ret->body;
}

/* The chunk that has the slice; slices of one that begins before tell nothing of themselves. */
static bool find_chunk(const struct loupe_xzone_zone *zone,
                       const struct loupe_xzone_segment *segment, uint64_t slice,
                       struct loupe_xzone_chunk *ret) {
    for (uint32_t i = 0; i < segment->slices && i <= slice; i += ret->slices) {
        if (!loupe_xzone_chunk_read(zone->memory, segment, i, ret) || !ret->slices)
            return false;
        if (slice < (uint64_t)i + ret->slices)
            return loupe_xzone_is_chunk(ret->kind);
    }
    return false;
}

/* A chunk of larger blocks has a bit for each that is free. */
static bool is_free(const struct loupe_xzone_zone *zone, const struct loupe_xzone_chunk *chunk,
                    uint64_t block) {
    uint32_t free;
    return chunk->kind == LOUPE_SMALL_CHUNK &&
           (block >= 32 || !loupe_zone_half(zone->memory, chunk->description, &free) ||
            (free >> block & 1));
}

uint64_t loupe_xzone_room(struct loupe_memory *memory, loupe_addr zone, loupe_addr address) {
    struct loupe_xzone_zone xzone;
    struct loupe_xzone_segment segment;
    struct loupe_xzone_chunk chunk;
    if (!loupe_xzone_read(memory, zone, &xzone) || !find_segment(&xzone, address, &segment) ||
        !find_chunk(&xzone, &segment, (address - segment.body) / LOUPE_SLICE_SIZE, &chunk) ||
        chunk.zone != xzone.number)
        return 0;
    uint64_t offset = address - chunk.start;
    if (chunk.kind == LOUPE_LARGE_CHUNK || chunk.kind == LOUPE_HUGE_CHUNK)
        return offset ? 0 : chunk.bytes;
    if (!loupe_xzone_chunk_blocks(&xzone, &chunk) || offset % chunk.block ||
        offset / chunk.block >= chunk.capacity || is_free(&xzone, &chunk, offset / chunk.block))
        return 0;
    return chunk.block;
}
