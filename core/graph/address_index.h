/*
 * address_index.h - from an address to the number of the node that has it, while a graph is built.
 *
 * The addresses themselves stay in the nodes. A bucket is one cache line of 12 node numbers with 8
 * bits of hash each, so that a look-up touches one line, and the node only when it is very probably
 * the right one. The table is never more than 8 bytes a node, the moment of growing included (a
 * few pages to begin with): it is given back first, and the larger one filled from the nodes.
 */
#ifndef LOUPE_ADDRESS_INDEX_H
#define LOUPE_ADDRESS_INDEX_H

#include "base/map.h"
#include "base/status.h"
#include "base/vector.h"

struct loupe_address_index {
    const struct loupe_chunk_ops *chunks;
    const struct loupe_vector *nodes; /* of elements that begin with their loupe_addr */
    void *chunk;                      /* what the provider gave, for giving it back */
    struct loupe_bucket *buckets;
    uint32_t bucket_count; /* 0: nothing was added yet */
    uint32_t used;         /* node numbers in it: the first ones */
};

/* nodes stays the caller's. */
void loupe_address_index_init(struct loupe_address_index *index,
                              const struct loupe_chunk_ops *chunks,
                              const struct loupe_vector *nodes);
void loupe_address_index_deinit(struct loupe_address_index *index);

/* A search by hash, so that what was not found can be added without computing it again. */
bool loupe_address_index_find_hashed(const struct loupe_address_index *index, loupe_addr address,
                                     uint64_t hash, uint32_t *ret);
/*
 * Adds the node of the lowest number that is not in the index, whose address no other one has.
 * After LOUPE_ENOMEM nothing is found any more.
 */
enum loupe_status loupe_address_index_add_hashed(struct loupe_address_index *index, uint64_t hash);
/* Fetches what a search for the hash will look at first. */
void loupe_address_index_prefetch(const struct loupe_address_index *index, uint64_t hash);

static inline bool loupe_address_index_find(const struct loupe_address_index *index,
                                            loupe_addr address, uint32_t *ret) {
    return loupe_address_index_find_hashed(index, address, loupe_hash(address), ret);
}

#endif
