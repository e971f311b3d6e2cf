#include "address_index.h"

#include "map.h"

#include <string.h>

enum { IDS = 12, LINE = 64, MIN_BUCKETS = 63 };

/* One cache line. The bytes from tags on are compared eight at a time. */
struct loupe_bucket {
    uint32_t ids[IDS];
    uint8_t tags[IDS];
    uint8_t count;
    uint8_t padding[3];
};

_Static_assert(sizeof(struct loupe_bucket) == LINE, "a bucket is a cache line");

/* Tables are this full on average before they grow: 10.5 of 12. */
static bool is_full(const struct loupe_index_table *table) {
    return (uint64_t)table->used * 2 >= (uint64_t)table->bucket_count * 21;
}

/* Which part of a hash decides what. */
static unsigned table_of(uint64_t hash) {
    return hash % LOUPE_INDEX_TABLES;
}

static uint8_t tag_of(uint64_t hash) {
    return (uint8_t)(hash >> 4);
}

static uint32_t bucket_of(const struct loupe_index_table *table, uint64_t hash) {
    return (uint32_t)((uint64_t)(uint32_t)(hash >> 12) * table->bucket_count >> 32);
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

static void drop_table(const struct loupe_address_index *index, struct loupe_index_table *table) {
    loupe_chunk_put(index->chunks, table->chunk, chunk_size(table->bucket_count));
}

void loupe_address_index_deinit(struct loupe_address_index *index) {
    for (unsigned i = 0; i < LOUPE_INDEX_TABLES; i++)
        drop_table(index, &index->tables[i]);
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
    for (unsigned i = first; matched && i < bucket->count; i++, matched >>= 8) {
        if (matched & 0x80 && address_of(index, bucket->ids[i]) == address) {
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
bool loupe_address_index_find(const struct loupe_address_index *index, loupe_addr address,
                              uint32_t *ret) {
    uint64_t hash = loupe_hash(address);
    const struct loupe_index_table *table = &index->tables[table_of(hash)];
    if (!table->used)
        return false;
    for (uint32_t i = bucket_of(table, hash);; i = i + 1 == table->bucket_count ? 0 : i + 1) {
        const struct loupe_bucket *bucket = &table->buckets[i];
        if (find_in_bucket(index, bucket, tag_of(hash), address, ret))
            return true;
        if (bucket->count < IDS)
            return false;
    }
}

void loupe_address_index_prefetch(const struct loupe_address_index *index, loupe_addr address) {
    uint64_t hash = loupe_hash(address);
    const struct loupe_index_table *table = &index->tables[table_of(hash)];
    if (table->used)
        loupe_prefetch(&table->buckets[bucket_of(table, hash)]);
}

void loupe_address_index_prefetch_node(const struct loupe_address_index *index,
                                       loupe_addr address) {
    uint64_t hash = loupe_hash(address);
    const struct loupe_index_table *table = &index->tables[table_of(hash)];
    if (!table->used)
        return;
    const struct loupe_bucket *bucket = &table->buckets[bucket_of(table, hash)];
    for (unsigned i = 0; i < bucket->count; i++) {
        if (bucket->tags[i] == tag_of(hash))
            loupe_prefetch(
                loupe_vector_at(index->nodes, bucket->ids[i], index->nodes->element_size));
    }
}

/* ---- Adding ---- */

static void insert(const struct loupe_index_table *table, uint64_t hash, uint32_t node) {
    uint32_t i = bucket_of(table, hash);
    while (table->buckets[i].count == IDS)
        i = i + 1 == table->bucket_count ? 0 : i + 1;
    struct loupe_bucket *bucket = &table->buckets[i];
    bucket->ids[bucket->count] = node;
    bucket->tags[bucket->count++] = tag_of(hash);
}

static enum loupe_status grow(struct loupe_address_index *index, struct loupe_index_table *table) {
    uint32_t count =
        table->bucket_count ? table->bucket_count + table->bucket_count / 5 + 1 : MIN_BUCKETS;
    char *chunk = loupe_chunk_get(index->chunks, chunk_size(count));
    if (!chunk)
        return LOUPE_ENOMEM;
    struct loupe_index_table larger = {
        .chunk = chunk,
        .buckets = (struct loupe_bucket *)(void *)(chunk + (LINE - (uintptr_t)chunk % LINE)),
        .bucket_count = count,
        .used = table->used};
    memset(larger.buckets, 0, (size_t)count * LINE);
    for (uint32_t i = 0; i < table->bucket_count; i++) {
        const struct loupe_bucket *bucket = &table->buckets[i];
        for (unsigned j = 0; j < bucket->count; j++)
            insert(&larger, loupe_hash(address_of(index, bucket->ids[j])), bucket->ids[j]);
    }
    drop_table(index, table);
    *table = larger;
    return LOUPE_OK;
}

enum loupe_status loupe_address_index_add(struct loupe_address_index *index, uint32_t node) {
    uint64_t hash = loupe_hash(address_of(index, node));
    struct loupe_index_table *table = &index->tables[table_of(hash)];
    if (is_full(table)) {
        enum loupe_status status = grow(index, table);
        if (status)
            return status;
    }
    insert(table, hash, node);
    table->used++;
    return LOUPE_OK;
}
