#include "graph/address_index.h"

#include <string.h>

enum { IDS = 12, LINE = 64, MIN_BUCKETS = 511, NODES_AHEAD = 16 };

/* One cache line. The bytes from tags on are compared eight at a time. */
struct loupe_bucket {
    uint32_t ids[IDS];
    uint8_t tags[IDS];
    uint8_t count;
    uint8_t padding[3];
};

_Static_assert(sizeof(struct loupe_bucket) == LINE, "a bucket is a cache line");

/* The table is this full on average before it grows: 10.5 of 12. */
static bool is_full(const struct loupe_address_index *index) {
    return (uint64_t)index->used * 2 >= (uint64_t)index->bucket_count * 21;
}

/* Room for 1.3 times as many: a node then has 7.9 bytes. */
static uint32_t larger_count(uint32_t used) {
    return MIN_BUCKETS + (uint32_t)((uint64_t)used * 26 / 210);
}

static uint8_t tag_of(uint64_t hash) {
    return (uint8_t)hash;
}

static uint32_t bucket_of(const struct loupe_address_index *index, uint64_t hash) {
    return (uint32_t)((hash >> 32) * index->bucket_count >> 32);
}

static loupe_addr address_of(const struct loupe_address_index *index, uint32_t node) {
    loupe_addr address;
    memcpy(&address, loupe_vector_at(index->nodes, node, index->nodes->element_size),
           sizeof(address));
    return address;
}

void loupe_address_index_init(struct loupe_address_index *index,
                              const struct loupe_chunk_ops *chunks,
                              const struct loupe_vector *nodes) {
    *index = (struct loupe_address_index){.chunks = chunks, .nodes = nodes};
}

/* A line more than the buckets need, to begin at a border of lines. */
static size_t chunk_size(uint32_t bucket_count) {
    return ((size_t)bucket_count + 1) * LINE;
}

void loupe_address_index_deinit(struct loupe_address_index *index) {
    loupe_chunk_put(index->chunks, index->chunk, chunk_size(index->bucket_count));
    loupe_address_index_init(index, index->chunks, index->nodes);
}

/* ---- Looking ---- */

/* The top bit of each byte that may equal the tag; the lowest one set surely does. */
static uint64_t matches(uint64_t bytes, uint8_t tag) {
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t difference = bytes ^ ones * tag;
    return (difference - ones) & ~difference & tops;
}

/* Whether one of the ids that the matches stand for has the address. first: the id of byte 0. */
static bool find_among(const struct loupe_address_index *index, const struct loupe_bucket *bucket,
                       uint64_t matched, unsigned first, loupe_addr address, uint32_t *ret) {
    for (; matched; matched &= matched - 1) {
        unsigned i = first + (unsigned)__builtin_ctzll(matched) / 8;
        if (i >= bucket->count)
            return false;
        if (address_of(index, bucket->ids[i]) == address) {
            *ret = bucket->ids[i];
            return true;
        }
    }
    return false;
}

static bool find_in_bucket(const struct loupe_address_index *index,
                           const struct loupe_bucket *bucket, uint8_t tag, loupe_addr address,
                           uint32_t *ret) {
    uint64_t low, high;
    memcpy(&low, bucket->tags, sizeof(low));
    memcpy(&high, bucket->tags + sizeof(low), sizeof(high));
    return find_among(index, bucket, matches(low, tag), 0, address, ret) ||
           find_among(index, bucket, matches(high, tag), sizeof(low), address, ret);
}

/* A full bucket spills into the next one, so the search ends at one that is not full. */
bool loupe_address_index_find_hashed(const struct loupe_address_index *index, loupe_addr address,
                                     uint64_t hash, uint32_t *ret) {
    if (!index->bucket_count)
        return false;
    for (uint32_t i = bucket_of(index, hash);; i = i + 1 == index->bucket_count ? 0 : i + 1) {
        const struct loupe_bucket *bucket = &index->buckets[i];
        if (find_in_bucket(index, bucket, tag_of(hash), address, ret))
            return true;
        if (bucket->count < IDS)
            return false;
    }
}

void loupe_address_index_prefetch(const struct loupe_address_index *index, uint64_t hash) {
    if (index->bucket_count)
        loupe_prefetch(&index->buckets[bucket_of(index, hash)]);
}

/* ---- Adding ---- */

static void insert(const struct loupe_address_index *index, uint64_t hash, uint32_t node) {
    uint32_t i = bucket_of(index, hash);
    while (index->buckets[i].count == IDS)
        i = i + 1 == index->bucket_count ? 0 : i + 1;
    struct loupe_bucket *bucket = &index->buckets[i];
    bucket->ids[bucket->count] = node;
    bucket->tags[bucket->count++] = tag_of(hash);
}

/* The nodes stand in order; their buckets lie anywhere, so they are fetched ahead. */
static void insert_all(const struct loupe_address_index *index) {
    uint64_t hashes[NODES_AHEAD];
    for (uint32_t node = 0; node < index->used + NODES_AHEAD; node++) {
        uint64_t *hash = &hashes[node % NODES_AHEAD];
        if (node >= NODES_AHEAD)
            insert(index, *hash, node - NODES_AHEAD);
        if (node < index->used) {
            *hash = loupe_hash(address_of(index, node));
            loupe_prefetch(&index->buckets[bucket_of(index, *hash)]);
        }
    }
}

static enum loupe_status grow(struct loupe_address_index *index) {
    uint32_t count = larger_count(index->used);
    loupe_chunk_put(index->chunks, index->chunk, chunk_size(index->bucket_count));
    index->bucket_count = 0;
    index->chunk = loupe_chunk_get(index->chunks, chunk_size(count));
    if (!index->chunk)
        return LOUPE_ENOMEM;
    char *chunk = index->chunk;
    index->buckets = (struct loupe_bucket *)(void *)(chunk + (LINE - (uintptr_t)chunk % LINE));
    index->bucket_count = count;
    memset(index->buckets, 0, (size_t)count * LINE);
    insert_all(index);
    return LOUPE_OK;
}

enum loupe_status loupe_address_index_add_hashed(struct loupe_address_index *index, uint64_t hash) {
    if (is_full(index)) {
        enum loupe_status status = grow(index);
        if (status)
            return status;
    }
    insert(index, hash, index->used++);
    return LOUPE_OK;
}
