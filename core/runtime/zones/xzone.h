/*
 * xzone.h - an xzone zone, as it was published first with libmalloc-792.41.1: segments of 16 KB
 * slices, each slice described outside of it. Chunks of slices have blocks of one size, or are one
 * block.
 */
#ifndef LOUPE_ZONES_XZONE_H
#define LOUPE_ZONES_XZONE_H

#include "runtime/zones/zone.h"

enum {
    LOUPE_XZONE_GROUP_COUNT = 412, /* in the second byte, of the main zone as the following */
    LOUPE_XZONE_EARLY_BLOCKS = 416,
    LOUPE_XZONE_GROUPS = 472,      /* of segments */
    LOUPE_XZONE_SEGMENTS = 488,    /* of it: the table of segments of the first 64 GB */
    LOUPE_XZONE_MORE_TABLES = 496, /* their number; behind it where they are */
    LOUPE_XZONE_RECLAIM = 568,     /* what the system may take away */

    LOUPE_GROUP_SIZE = 496,
    LOUPE_GROUP_MAIN = 24,
    LOUPE_GROUP_KEPT = 464,        /* the first segment that was given back */
    LOUPE_GROUP_KEPT_COUNTS = 480, /* 16 bits each: how many there may be, how many there are */

    LOUPE_XZONE_SIZE = 96,
    LOUPE_XZONE_ZONE = 82,

    LOUPE_XZONE_SEGMENTS_OF_TABLE = 16384,
    LOUPE_XZONE_MAX_TABLES = 2048,
    LOUPE_XZONE_SEGMENT_SHIFT = 14, /* of where a segment is described, in the table */
    LOUPE_XZONE_TABLE_SHIFT = 16,
    LOUPE_XZONE_BODY_SHIFT = 22, /* segments are 4 MB, and a table has them by their addresses */

    LOUPE_SEGMENT_ALL_SLICES = 12, /* also those that are not described */
    LOUPE_SEGMENT_DESCRIBED = 16,
    LOUPE_SEGMENT_KIND = 20, /* one byte */
    LOUPE_SEGMENT_IS_HUGE = 1,
    LOUPE_SEGMENT_NEXT_KEPT = 24,
    LOUPE_SEGMENT_BODY = 40,
    LOUPE_SEGMENT_RECLAIM = 48, /* its number there, since it was given back */
    LOUPE_SEGMENT_SLICES = 2104,
    LOUPE_SEGMENT_MAX_SLICES = 256,

    LOUPE_SLICE_SIZE = 1 << 14,
    LOUPE_SLICE_DESCRIPTION = 48, /* bytes */

    LOUPE_TINY_CHUNK = 2,
    LOUPE_SMALL_CHUNK = 5,
    LOUPE_SMALL_LIST_CHUNK = 6,
    LOUPE_LARGE_CHUNK = 7,
    LOUPE_HUGE_CHUNK = 8,

    LOUPE_CHUNK_MAX_BLOCKS = 1024
};

struct loupe_xzone_zone {
    struct loupe_memory *memory;
    loupe_addr xzones, main;
    uint32_t number; /* that its chunks have */
};

/* False: what stands there makes no sense as one. */
bool loupe_xzone_read(struct loupe_memory *memory, loupe_addr zone, struct loupe_xzone_zone *ret);

struct loupe_xzone_segment {
    loupe_addr address, body;
    uint32_t slices; /* that are described */
};

bool loupe_xzone_segment_read(struct loupe_memory *memory, loupe_addr address,
                              struct loupe_xzone_segment *ret);

/* A slice, and what begins there if that is a chunk. */
struct loupe_xzone_chunk {
    loupe_addr description, start;
    uint64_t bytes;
    uint32_t slices; /* 1 where no chunk begins: it may be just changing */
    uint32_t kind, xzone, zone;
    uint32_t block, capacity; /* bytes; blocks. By loupe_xzone_chunk_blocks() */
};

static inline bool loupe_xzone_is_chunk(uint32_t kind) {
    return kind == LOUPE_TINY_CHUNK || (kind >= LOUPE_SMALL_CHUNK && kind <= LOUPE_HUGE_CHUNK);
}

/* The chunk has more slices than its segment: 0 in `slices`. False: it cannot be read. */
bool loupe_xzone_chunk_read(struct loupe_memory *memory, const struct loupe_xzone_segment *segment,
                            uint32_t slice, struct loupe_xzone_chunk *ret);

/* Whether a chunk is of the xzone that it says, by the zone that both say. */
bool loupe_xzone_chunk_is_of(const struct loupe_xzone_zone *zone,
                             const struct loupe_xzone_chunk *chunk);

/* Which blocks the chunk has, of one that is not a block itself. False: it does not have what its
 * xzone says. */
bool loupe_xzone_chunk_blocks(const struct loupe_xzone_zone *zone, struct loupe_xzone_chunk *chunk);

/* The bytes of the block that begins at an address. Some that are free have room, too: they are
 * zeroes but for a link that leads nowhere. */
uint64_t loupe_xzone_room(struct loupe_memory *memory, loupe_addr zone, loupe_addr address);

#endif
