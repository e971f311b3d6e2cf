/*
 * containers_apple.h - what the files of Apple's container rules share: the find functions of
 * collections (containers_apple_collections.c), for the table in containers_apple.c.
 */
#ifndef LOUPE_CONTAINERS_APPLE_H
#define LOUPE_CONTAINERS_APPLE_H

#include "runtime/containers/containers.h"

/* How a collection stands in memory: loupe_keeper.arrangement. */
enum apple_arrangement {
    ELEMENTS,    /* count objects, all there */
    HASHED,      /* as many places as the capacity, with holes */
    PAIRS,       /* the same, key and value by turns */
    HALVES,      /* the same, all keys, then all values */
    RING_BUFFER, /* capacity and offset stand before the count */
    VALUE_KEY    /* one value, then its key */
};

static inline bool apple_read_word(struct loupe_target *target, loupe_addr address, uint64_t *ret) {
    return loupe_memory_read_word(target->memory, address, ret) == LOUPE_OK;
}

static inline struct loupe_slot_group *apple_add_run(struct loupe_contents *contents,
                                                     loupe_addr first, uint64_t count,
                                                     enum loupe_edge_kind kind) {
    struct loupe_slot_group *group = &contents->groups[contents->group_count++];
    *group = (struct loupe_slot_group){
        .first = first, .count = (uint32_t)count, .stride = 8, .kind = kind};
    return group;
}

/* CoreFoundation's private collection classes, by the offsets of their rule. */
loupe_container_find_fn apple_find_collection, apple_find_single, apple_find_constant_dictionary;
/* Toll-free bridged ones: who owns the elements is up to their callbacks. */
loupe_container_find_fn apple_find_cf_array, apple_find_cf_hash;
/* By the functions that their slices acquire items with. */
loupe_container_find_fn apple_find_map_table, apple_find_hash_table, apple_find_pointer_array;

#endif
