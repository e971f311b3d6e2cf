#include "base/map.h"

#include <string.h>

enum { MIN_CAPACITY = 256 };

struct loupe_map_slot {
    uint64_t key;
    uint32_t value;
    uint32_t taken;
};

void loupe_map_init(struct loupe_map *map, const struct loupe_chunk_ops *chunks) {
    *map = (struct loupe_map){.chunks = chunks};
}

void loupe_map_deinit(struct loupe_map *map) {
    loupe_chunk_put(map->chunks, map->slots, map->capacity * sizeof(*map->slots));
    loupe_map_init(map, map->chunks);
}

/* The slot that holds the key, or the free one where it belongs. The table is never full. */
static struct loupe_map_slot *slot_of(const struct loupe_map *map, uint64_t key) {
    size_t mask = map->capacity - 1;
    size_t i = (size_t)loupe_hash(key) & mask;
    while (map->slots[i].taken && map->slots[i].key != key)
        i = (i + 1) & mask;
    return &map->slots[i];
}

bool loupe_map_find(const struct loupe_map *map, uint64_t key, uint32_t *ret) {
    if (!map->capacity)
        return false;
    const struct loupe_map_slot *slot = slot_of(map, key);
    if (slot->taken)
        *ret = slot->value;
    return slot->taken;
}

static enum loupe_status grow(struct loupe_map *map) {
    struct loupe_map larger = *map;
    larger.capacity = map->capacity ? map->capacity * 2 : MIN_CAPACITY;
    size_t size = larger.capacity * sizeof(*larger.slots);
    larger.slots = loupe_chunk_get(map->chunks, size);
    if (!larger.slots)
        return LOUPE_ENOMEM;
    memset(larger.slots, 0, size);
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].taken)
            *slot_of(&larger, map->slots[i].key) = map->slots[i];
    }
    loupe_chunk_put(map->chunks, map->slots, map->capacity * sizeof(*map->slots));
    *map = larger;
    return LOUPE_OK;
}

enum loupe_status loupe_map_put(struct loupe_map *map, uint64_t key, uint32_t value) {
    uint32_t old;
    if (!loupe_map_find(map, key, &old)) {
        if (map->count >= map->capacity / 4 * 3) {
            enum loupe_status status = grow(map);
            if (status)
                return status;
        }
        map->count++;
    }
    *slot_of(map, key) = (struct loupe_map_slot){.key = key, .value = value, .taken = 1};
    return LOUPE_OK;
}

void loupe_map_clear(struct loupe_map *map) {
    if (map->capacity)
        memset(map->slots, 0, map->capacity * sizeof(*map->slots));
    map->count = 0;
}
