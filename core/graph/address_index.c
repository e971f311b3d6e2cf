#include "graph/address_index.h"

enum { LINE = 64, MIN_BUCKETS = 511, NODES_AHEAD = 16, FEW = 1 << 16 };

_Static_assert(sizeof(struct loupe_bucket) == LINE, "a bucket is a cache line");

/* The table is this full on average before it grows: 10.5 of 12. */
static bool is_full(const struct loupe_address_index *index) {
    return (uint64_t)index->used * 2 >= (uint64_t)index->bucket_count * 21;
}

/* Room for 1.3 times as many: a node then has 7.9 bytes. Of few for twice as many, and 12.2 bytes:
 * they are inserted anew less often. */
static uint32_t larger_count(uint32_t used) {
    return MIN_BUCKETS + (uint32_t)((uint64_t)used * (used < FEW ? 40 : 26) / 210);
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

/* ---- Adding ---- */

static void insert(const struct loupe_address_index *index, uint64_t hash, uint32_t node) {
    uint32_t i = loupe_bucket_of(index, hash);
    while (index->buckets[i].count == LOUPE_BUCKET_IDS)
        i = i + 1 == index->bucket_count ? 0 : i + 1;
    struct loupe_bucket *bucket = &index->buckets[i];
    bucket->ids[bucket->count] = node;
    bucket->tags[bucket->count++] = loupe_bucket_tag(hash);
}

/* The nodes stand in order; their buckets lie anywhere, so they are fetched ahead. */
static void insert_all(const struct loupe_address_index *index) {
    uint64_t hashes[NODES_AHEAD];
    for (uint32_t node = 0; node < index->used + NODES_AHEAD; node++) {
        uint64_t *hash = &hashes[node % NODES_AHEAD];
        if (node >= NODES_AHEAD)
            insert(index, *hash, node - NODES_AHEAD);
        if (node < index->used) {
            *hash = loupe_hash(loupe_address_of_node(index, node));
            loupe_prefetch(&index->buckets[loupe_bucket_of(index, *hash)]);
        }
    }
}

static enum loupe_status grow(struct loupe_address_index *index) {
    uint32_t count = larger_count(index->used);
    index->chunk = loupe_chunk_exchange(index->chunks, index->chunk,
                                        chunk_size(index->bucket_count), chunk_size(count));
    index->bucket_count = 0;
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
