/*
 * region_map.h - which memory of a process can be read, as far as it was asked (the same as
 * plugin/region_map.h, whose asking is done by whoever fills this one).
 */
#ifndef LOUPE_READERS_REGION_MAP_H
#define LOUPE_READERS_REGION_MAP_H

#include "base/status.h"

struct loupe_mapped_region {
    loupe_addr start, end;
    bool readable;
};

/* By address, none of them over another, no two of a kind side by side. */
struct loupe_region_map {
    struct loupe_mapped_region *regions;
    size_t count, capacity;
};

void loupe_region_map_deinit(struct loupe_region_map *map);

/* NULL: not known yet. Valid until the next add. */
const struct loupe_mapped_region *loupe_region_map_find(const struct loupe_region_map *map,
                                                        loupe_addr addr);

/*
 * Adds what of a region is not known yet, which holds addr: gaps can overlap what was told before,
 * since lldb-server begins one at the address that it was asked about. False: no memory, or addr is
 * not in it or known already.
 */
bool loupe_region_map_add(struct loupe_region_map *map, struct loupe_mapped_region region,
                          loupe_addr addr);

#endif
