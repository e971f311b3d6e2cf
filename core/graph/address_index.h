/*
 * address_index.h - from an address to the number of the node that has it, while a graph is built.
 *
 * The addresses themselves stay in the nodes. A bucket is one cache line of 12 node numbers with 8
 * bits of hash each, so that a look-up touches one line, and the node only when it is very probably
 * the right one. The table is never more than 8 bytes a node, or 13 of few and some pages to begin
 * with, while it grows too: it is given back first, and the larger one filled from the nodes.
 */
#ifndef LOUPE_ADDRESS_INDEX_H
#define LOUPE_ADDRESS_INDEX_H

#include "base/map.h"
#include "base/status.h"
#include "base/vector.h"

#include <string.h>

/* The parts of a node in a graph's vector of nodes, by the bytes before them. */
enum { LOUPE_ADDRESS_PART = 0, LOUPE_TAG_PART = 8, LOUPE_NODE_SIZE = 12 };

/* One cache line. The bytes from tags on are compared eight at a time. */
enum { LOUPE_BUCKET_IDS = 12 };
struct loupe_bucket {
    uint32_t ids[LOUPE_BUCKET_IDS];
    uint8_t tags[LOUPE_BUCKET_IDS];
    uint8_t count;
    uint8_t padding[3];
};

struct loupe_address_index {
    const struct loupe_chunk_ops *chunks;
    const struct loupe_vector *nodes; /* of a graph */
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

/*
 * Adds the node of the lowest number that is not in the index, whose address no other one has.
 * After LOUPE_ENOMEM nothing is found any more.
 */
enum loupe_status loupe_address_index_add_hashed(struct loupe_address_index *index, uint64_t hash);

/* ---- Looking: here, because a walk does it for every reference ---- */

static inline uint32_t loupe_bucket_of(const struct loupe_address_index *index, uint64_t hash) {
    return (uint32_t)((hash >> 32) * index->bucket_count >> 32);
}

static inline uint8_t loupe_bucket_tag(uint64_t hash) {
    return (uint8_t)hash;
}

static inline loupe_addr loupe_address_of_node(const struct loupe_address_index *index,
                                               uint32_t node) {
    const loupe_addr *address =
        loupe_vector_part(index->nodes, node, LOUPE_ADDRESS_PART, sizeof(loupe_addr));
    return *address;
}

/* The top bit of each of eight bytes that may equal the tag; the lowest one set surely does. */
static inline uint64_t loupe_bucket_matches(const uint8_t *tags, uint8_t tag) {
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t bytes;
    memcpy(&bytes, tags, sizeof(bytes));
    bytes ^= ones * tag;
    return (bytes - ones) & ~bytes & tops;
}

/* Whether one of the ids from `first` on that the matches stand for has the address. */
static inline bool loupe_bucket_holds(const struct loupe_address_index *index,
                                      const struct loupe_bucket *bucket, unsigned first,
                                      uint64_t matches, loupe_addr address, uint32_t *ret) {
    for (; matches; matches &= matches - 1) {
        unsigned i = first + (unsigned)__builtin_ctzll(matches) / 8;
        if (i >= bucket->count)
            return false;
        if (loupe_address_of_node(index, bucket->ids[i]) == address) {
            *ret = bucket->ids[i];
            return true;
        }
    }
    return false;
}

/*
 * A search by hash, so that what was not found can be added without computing it again. A full
 * bucket spills into the next one, so the search ends at one that is not full.
 */
static inline bool loupe_address_index_find_hashed(const struct loupe_address_index *index,
                                                   loupe_addr address, uint64_t hash,
                                                   uint32_t *ret) {
    if (!index->bucket_count)
        return false;
    uint8_t tag = loupe_bucket_tag(hash);
    for (uint32_t i = loupe_bucket_of(index, hash);; i = i + 1 == index->bucket_count ? 0 : i + 1) {
        const struct loupe_bucket *bucket = &index->buckets[i];
        uint64_t low = loupe_bucket_matches(bucket->tags, tag);
        uint64_t high = loupe_bucket_matches(bucket->tags + sizeof(low), tag);
        if (loupe_bucket_holds(index, bucket, 0, low, address, ret) ||
            loupe_bucket_holds(index, bucket, sizeof(low), high, address, ret))
            return true;
        if (bucket->count < LOUPE_BUCKET_IDS)
            return false;
    }
}

static inline bool loupe_address_index_find(const struct loupe_address_index *index,
                                            loupe_addr address, uint32_t *ret) {
    return loupe_address_index_find_hashed(index, address, loupe_hash(address), ret);
}

/*
 * The node that probably has the address, or UINT32_MAX: its bucket alone is looked at, and the
 * node is fetched. For callers that look at the node's address themselves a little later.
 */
static inline uint32_t loupe_address_index_guess(const struct loupe_address_index *index,
                                                 loupe_addr address) {
    if (!index->bucket_count)
        return UINT32_MAX;
    uint64_t hash = loupe_hash(address);
    const struct loupe_bucket *bucket = &index->buckets[loupe_bucket_of(index, hash)];
    uint8_t tag = loupe_bucket_tag(hash);
    uint64_t low = loupe_bucket_matches(bucket->tags, tag);
    uint64_t high = loupe_bucket_matches(bucket->tags + sizeof(low), tag);
    unsigned i = low    ? (unsigned)__builtin_ctzll(low) / 8
                 : high ? (unsigned)(sizeof(low) + (unsigned)__builtin_ctzll(high) / 8)
                        : LOUPE_BUCKET_IDS;
    if (i >= bucket->count)
        return UINT32_MAX;
    loupe_prefetch(
        loupe_vector_part(index->nodes, bucket->ids[i], LOUPE_ADDRESS_PART, sizeof(loupe_addr)));
    return bucket->ids[i];
}

/* Fetches what a search for the address will look at first. */
static inline void loupe_address_index_prefetch(const struct loupe_address_index *index,
                                                loupe_addr address) {
    if (index->bucket_count)
        loupe_prefetch(&index->buckets[loupe_bucket_of(index, loupe_hash(address))]);
}

#endif
