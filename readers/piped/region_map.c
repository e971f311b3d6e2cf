/* region_map.c - a sorted array of regions, joined where they touch. */
#include "piped/region_map.h"

#include <stdlib.h>
#include <string.h>

void loupe_region_map_deinit(struct loupe_region_map *map) {
    free(map->regions);
    *map = (struct loupe_region_map){0};
}

/* The number of the first region that starts behind addr. */
static size_t first_behind(const struct loupe_region_map *map, loupe_addr addr) {
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (addr < map->regions[middle].start)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct loupe_mapped_region *loupe_region_map_find(const struct loupe_region_map *map,
                                                        loupe_addr addr) {
    size_t next = first_behind(map, addr);
    return next > 0 && addr < map->regions[next - 1].end ? &map->regions[next - 1] : NULL;
}

static void take_out(struct loupe_region_map *map, size_t at) {
    memmove(map->regions + at, map->regions + at + 1,
            (map->count - at - 1) * sizeof(*map->regions));
    map->count--;
}

static void join_with_next(struct loupe_region_map *map, size_t at) {
    if (at + 1 >= map->count || map->regions[at].end != map->regions[at + 1].start ||
        map->regions[at].readable != map->regions[at + 1].readable)
        return;
    map->regions[at].end = map->regions[at + 1].end;
    take_out(map, at + 1);
}

static bool make_room(struct loupe_region_map *map) {
    if (map->count < map->capacity)
        return true;
    size_t capacity = map->capacity ? 2 * map->capacity : 64;
    void *grown = realloc(map->regions, capacity * sizeof(*map->regions));
    if (!grown)
        return false;
    map->regions = grown;
    map->capacity = capacity;
    return true;
}

bool loupe_region_map_add(struct loupe_region_map *map, struct loupe_mapped_region region,
                          loupe_addr addr) {
    size_t at = first_behind(map, addr);
    if (addr < region.start || addr >= region.end || loupe_region_map_find(map, addr) ||
        !make_room(map))
        return false;
    if (at > 0 && region.start < map->regions[at - 1].end)
        region.start = map->regions[at - 1].end;
    if (at < map->count && region.end > map->regions[at].start)
        region.end = map->regions[at].start;
    memmove(map->regions + at + 1, map->regions + at, (map->count - at) * sizeof(*map->regions));
    map->regions[at] = region;
    map->count++;
    join_with_next(map, at);
    if (at > 0)
        join_with_next(map, at - 1);
    return true;
}
