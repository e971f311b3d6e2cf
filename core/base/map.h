/*
 * map.h - from a 64-bit key (an address, a page number) to a 32-bit value.
 *
 * Open addressing, no removal. Grows by taking a chunk twice as large and giving the old one back.
 */
#ifndef LOUPE_MAP_H
#define LOUPE_MAP_H

#include "base/arena.h"
#include "base/status.h"

struct loupe_map {
    const struct loupe_chunk_ops *chunks;
    struct loupe_map_slot *slots;
    size_t capacity; /* 0 or a power of two */
    size_t count;
};

void loupe_map_init(struct loupe_map *map, const struct loupe_chunk_ops *chunks);
void loupe_map_deinit(struct loupe_map *map);

bool loupe_map_find(const struct loupe_map *map, uint64_t key, uint32_t *ret);
/* Adds the key or replaces its value. LOUPE_ENOMEM leaves the map as it was. */
enum loupe_status loupe_map_put(struct loupe_map *map, uint64_t key, uint32_t value);
/* Forgets all keys and keeps the table. */
void loupe_map_clear(struct loupe_map *map);

/* The hash of the project: every bit of the key reaches the low bits of the result. */
static inline uint64_t loupe_hash(uint64_t key) {
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15u;
    return key ^ (key >> 29);
}

#endif
