/*
 * dense_map.c - LLVM's DenseMap, the hash table of the runtime's side data.
 *
 * What readers rely on: the 24-byte header, buckets that open with their key, the two special keys,
 * a power of two of buckets. Growth follows llvm-DenseMap.h: at three quarters full, or when fewer
 * than an eighth of the buckets were never used. So does what is left undone: new buckets have a
 * key, and behind it what stood in that memory; erased ones keep their value. A table that is
 * emptied has no buckets any more, and one that is large and nearly empty fewer.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define MIN_BUCKETS 4U
#define MIN_COMPACT 1024U

uint32_t rt_pointer_hash(uintptr_t key) {
    key ^= key >> 4;
    key *= 0x8a970be7488fda55UL;
    key ^= __builtin_bswap64(key);
    return (uint32_t)key;
}

static uintptr_t *bucket_at(const struct dense_map *map, const struct dense_kind *kind,
                            uint32_t index) {
    return (uintptr_t *)((char *)map->buckets + index * kind->bucket_size);
}

static uint32_t first_index(const struct dense_map *map, const struct dense_kind *kind,
                            uintptr_t key) {
    return rt_pointer_hash(kind->disguised ? 0 - key : key) & (map->num_buckets - 1);
}

/* The bucket with the key, else the one where it would go. */
static uintptr_t *probe(const struct dense_map *map, const struct dense_kind *kind, uintptr_t key) {
    uintptr_t *tombstone = NULL;
    uint32_t index = first_index(map, kind, key);
    for (uint32_t step = 1;; index = (index + step++) & (map->num_buckets - 1)) {
        uintptr_t *bucket = bucket_at(map, kind, index);
        if (*bucket == key)
            return bucket;
        if (*bucket == kind->empty_key)
            return tombstone ? tombstone : bucket;
        if (*bucket == kind->tombstone_key && !tombstone)
            tombstone = bucket;
    }
}

static void rehash(struct dense_map *map, const struct dense_kind *kind, uint32_t num_buckets) {
    struct dense_map old = *map;
    map->buckets = malloc(num_buckets * kind->bucket_size);
    if (!map->buckets)
        rt_fatal("no memory for %u buckets", num_buckets);
    map->num_buckets = num_buckets;
    map->num_tombstones = 0;
    for (uint32_t i = 0; i < num_buckets; i++)
        *bucket_at(map, kind, i) = kind->empty_key;
    uint32_t index = 0;
    for (uintptr_t *from; (from = rt_dense_next(&old, kind, &index));)
        memcpy(probe(map, kind, *from), from, kind->bucket_size);
    free(old.buckets);
}

void *rt_dense_find(const struct dense_map *map, const struct dense_kind *kind, uintptr_t key) {
    if (map->num_buckets == 0)
        return NULL;
    uintptr_t *bucket = probe(map, kind, key);
    return *bucket == key ? bucket : NULL;
}

void *rt_dense_insert(struct dense_map *map, const struct dense_kind *kind, uintptr_t key) {
    void *found = rt_dense_find(map, kind, key);
    if (found)
        return found;
    uint32_t entries = map->num_entries + 1;
    if (map->num_buckets == 0)
        rehash(map, kind, MIN_BUCKETS);
    else if (entries * 4 >= map->num_buckets * 3)
        rehash(map, kind, map->num_buckets * 2);
    else if (map->num_buckets - (entries + map->num_tombstones) <= map->num_buckets / 8)
        rehash(map, kind, map->num_buckets);
    uintptr_t *bucket = probe(map, kind, key);
    if (*bucket == kind->tombstone_key)
        map->num_tombstones--;
    memset(bucket, 0, kind->bucket_size);
    *bucket = key;
    map->num_entries = entries;
    return bucket;
}

static uint32_t room_for(uint32_t entries) {
    uint32_t room = MIN_BUCKETS;
    while (room < entries)
        room *= 2;
    return room;
}

void rt_dense_erase(struct dense_map *map, const struct dense_kind *kind, void *bucket) {
    *(uintptr_t *)bucket = kind->tombstone_key;
    map->num_entries--;
    map->num_tombstones++;
    if (map->num_entries == 0)
        rt_dense_free(map);
    else if (map->num_buckets / 16 > map->num_entries && map->num_buckets > MIN_COMPACT)
        rehash(map, kind, room_for(map->num_entries * 2));
}

void *rt_dense_next(const struct dense_map *map, const struct dense_kind *kind, uint32_t *index) {
    while (*index < map->num_buckets) {
        uintptr_t *bucket = bucket_at(map, kind, (*index)++);
        if (*bucket != kind->empty_key && *bucket != kind->tombstone_key)
            return bucket;
    }
    return NULL;
}

void rt_dense_free(struct dense_map *map) {
    free(map->buckets);
    memset(map, 0, sizeof *map);
}
