/*
 * zones.h - the zones of Apple's libmalloc, as the files of this folder share them. What stands
 * where is in runtime/zones.
 */
#ifndef LOUPE_HEAP_ZONES_H
#define LOUPE_HEAP_ZONES_H

#include "heap/allocators/allocation_scan.h"
#include "runtime/zones/zone.h"

struct loupe_zone {
    struct loupe_allocation_scan *scan;
    struct loupe_memory *memory;
    loupe_addr address;
    const char *name;
    uint32_t type;
    uint32_t allocator; /* once it is recognised */
};

static inline bool zone_word(const struct loupe_zone *zone, loupe_addr address, uint64_t *ret) {
    return loupe_memory_read_word(zone->memory, address, ret) == LOUPE_OK;
}
static inline bool zone_half(const struct loupe_zone *zone, loupe_addr address, uint32_t *ret) {
    return loupe_memory_read_u32(zone->memory, address, ret) == LOUPE_OK;
}
static inline void zone_damage(const struct loupe_zone *zone, loupe_addr place, const char *doubt) {
    loupe_allocation_scan_damage(zone->scan, zone->allocator, place, doubt);
}
static inline enum loupe_status zone_add(const struct loupe_zone *zone, loupe_addr start,
                                         uint64_t size) {
    return loupe_allocation_scan_add(zone->scan, start, size, zone->allocator);
}
static inline void zone_add_free(const struct loupe_zone *zone, uint64_t blocks, uint64_t bytes) {
    struct loupe_allocator *allocator = loupe_allocation_scan_at(zone->scan, zone->allocator);
    allocator->free_blocks += blocks;
    allocator->free_bytes += bytes;
}
static inline enum loupe_status zone_explain(const struct loupe_zone *zone, loupe_addr start,
                                             uint64_t size) {
    return loupe_ranges_add(&zone->scan->explained, start, start + size);
}

static inline enum loupe_status zone_add_tables(const struct loupe_zone *zone, loupe_addr start,
                                                uint64_t size) {
    return loupe_allocation_scan_add_tables(zone->scan, start, size);
}

/* A kind of zone: whether one is of it, by its tables, and what it gave out. */
struct loupe_zone_kind {
    const char *name;
    bool (*is_of)(const struct loupe_zone *zone);
    enum loupe_status (*take)(struct loupe_zone *zone);
};

extern const struct loupe_zone_kind loupe_zone_scalable, loupe_zone_nano, loupe_zone_xzone;

/* zone_xzone_kept.c: what the main one of such zones keeps of what was given back. */
enum loupe_status loupe_xzone_take_kept(const struct loupe_zone *zone);

/* What is damaged, of zones that list what is free by slots. */
#define ZONE_BAD_FREE_SLOTS "a list of free slots makes no sense"

#endif
