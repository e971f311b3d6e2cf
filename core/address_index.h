/*
 * address_index.h - from an address to the number of the node that has it, while a graph is built.
 *
 * The addresses themselves stay in the nodes. A bucket is one cache line of 12 node numbers with 8
 * bits of hash each, so that a look-up touches one line, and the node only when it is very probably
 * the right one. The index is split in 16 tables that grow on their own and by a fifth: it never
 * needs more than 8 bytes a node, the moment of growing included (a page per table to begin with).
 */
#ifndef LOUPE_ADDRESS_INDEX_H
#define LOUPE_ADDRESS_INDEX_H

#include "status.h"
#include "vector.h"

enum { LOUPE_INDEX_TABLES = 16 };

struct loupe_index_table {
    void *chunk; /* what the provider gave, for giving it back */
    struct loupe_bucket *buckets;
    uint32_t bucket_count;
    uint32_t used; /* node numbers in it */
};

struct loupe_address_index {
    const struct loupe_chunk_ops *chunks;
    const struct loupe_vector *nodes; /* of elements that begin with their loupe_addr */
    struct loupe_index_table tables[LOUPE_INDEX_TABLES];
};

/* nodes stays the caller's. */
void loupe_address_index_init(struct loupe_address_index *index,
                              const struct loupe_chunk_ops *chunks,
                              const struct loupe_vector *nodes);
void loupe_address_index_deinit(struct loupe_address_index *index);

bool loupe_address_index_find(const struct loupe_address_index *index, loupe_addr address,
                              uint32_t *ret);
/*
 * For callers that know in advance what they will look for: start to fetch what
 * loupe_address_index_find() looks at first, and, once that is there, what it looks at next.
 */
void loupe_address_index_prefetch(const struct loupe_address_index *index, loupe_addr address);
void loupe_address_index_prefetch_node(const struct loupe_address_index *index, loupe_addr address);
/* Adds a node whose address no other one has. LOUPE_ENOMEM leaves the index as it was. */
enum loupe_status loupe_address_index_add(struct loupe_address_index *index, uint32_t node);

#endif
