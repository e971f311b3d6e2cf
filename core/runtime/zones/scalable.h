/*
 * scalable.h - a scalable zone: regions of tiny, small and medium blocks, each with its own tables
 * in front of its blocks, and a table of large ones.
 */
#ifndef LOUPE_ZONES_SCALABLE_H
#define LOUPE_ZONES_SCALABLE_H

#include "runtime/zones/zone.h"

enum {
    LOUPE_LARGE_COUNT = LOUPE_ZONE_PAGE + 2436,
    LOUPE_LARGE_PLACES = LOUPE_LARGE_COUNT + 4,
    LOUPE_LARGE_TABLE = LOUPE_LARGE_COUNT + 12,
    LOUPE_LARGE_BYTES = LOUPE_LARGE_COUNT + 20,
    LOUPE_LARGE_PLACE = 24, /* bytes of one: address, size, state */
    LOUPE_MAX_LARGE = 1 << 24,

    /* Large blocks that were given back: a ring of such places, in the zone itself. */
    LOUPE_KEPT_OLDEST = LOUPE_LARGE_COUNT + 28,
    LOUPE_KEPT_NEWEST = LOUPE_KEPT_OLDEST + 4,
    LOUPE_KEPT_PLACES = LOUPE_KEPT_OLDEST + 8,
    LOUPE_KEPT_MOST = 64,
    LOUPE_KEPT_COUNT = LOUPE_KEPT_PLACES + LOUPE_KEPT_MOST * LOUPE_LARGE_PLACE, /* 0: none */
    LOUPE_KEPT_BYTES = LOUPE_KEPT_COUNT + 40,

    LOUPE_RACK_REGIONS = 8, /* that it ever had; behind that how many of them it gave back */
    LOUPE_RACK_GENERATION = 24,
    LOUPE_RACK_GENERATIONS = 32, /* two of them, 32 bytes each */
    LOUPE_RACK_MAGAZINES = 608,  /* their number; behind it where they are */

    LOUPE_MAGAZINE = 2560, /* bytes */

    LOUPE_REGION_BYTES_USED = 16,
    LOUPE_REGION_BLOCKS_USED = 20, /* of a tiny one */
    LOUPE_REGION_MAGAZINE = 24,
    LOUPE_REGION_TABLE = 40,
    LOUPE_LARGER_IS_FREE = 1 << 15 /* of an entry of the table of a small or medium one */
};

struct loupe_rack_kind {
    uint32_t place; /* in the zone */
    uint32_t region_size, quantum, blocks;
};

enum { LOUPE_TINY, LOUPE_RACKS = 3 };
extern const struct loupe_rack_kind loupe_rack_kinds[LOUPE_RACKS];

struct loupe_rack {
    struct loupe_memory *memory;
    const struct loupe_rack_kind *kind;
    loupe_addr magazines, regions; /* regions: an open table of their addresses */
    uint32_t magazine_count, region_shift;
    uint64_t region_places;
};

/* The rack of a kind that a zone has. False: what stands there makes no sense as one. */
bool loupe_rack_read(struct loupe_memory *memory, loupe_addr zone,
                     const struct loupe_rack_kind *kind, struct loupe_rack *ret);

bool loupe_zone_is_scalable(struct loupe_memory *memory, loupe_addr zone);

/* Where the blocks of a region begin. */
static inline loupe_addr loupe_rack_blocks(const struct loupe_rack *rack, loupe_addr region) {
    return region + rack->kind->region_size - (uint64_t)rack->kind->quantum * rack->kind->blocks;
}

/*
 * Which of a region's quanta have been given out ever: the one that a magazine got last has parts
 * at its start and at its end that were not. False: it makes no sense.
 */
bool loupe_rack_limits(const struct loupe_rack *rack, loupe_addr region, uint32_t *first_ret,
                       uint32_t *end_ret);

/* The bytes of the block that begins at an address, if it is one that the zone counts as used. */
uint64_t loupe_scalable_room(struct loupe_memory *memory, loupe_addr zone, loupe_addr address);

#endif
