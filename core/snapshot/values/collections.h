/*
 * collections.h - what is in a collection: its elements, or keys and values, for the collections of
 * JDK 8 to 21, Android and Kotlin by the fields that they have, and of native heaps by the names of
 * references. To teach one more, add a line to the table in java_collections.c.
 */
#ifndef LOUPE_COLLECTIONS_H
#define LOUPE_COLLECTIONS_H

#include "base/arena.h"
#include "snapshot/snapshot.h"

enum loupe_collection_kind { LOUPE_NO_COLLECTION, LOUPE_LIST, LOUPE_SET, LOUPE_MAP };

struct loupe_collection {
    enum loupe_collection_kind kind;
    bool has_count;
    uint64_t count;    /* how many it says it has */
    uint64_t capacity; /* places of its array; 0: it has none, or it is not known */
};

struct loupe_item {
    uint64_t index;           /* of a list, from 0 */
    struct loupe_value key;   /* of a map; type LOUPE_VALUE_NONE: it has none */
    struct loupe_value value; /* of an object also one that is not in the snapshot; bits 0: null */
    struct loupe_span name;   /* of a native heap: ["title"], in place of a key; or empty */
};

/* False stops. */
typedef bool loupe_item_visit(void *ctx, const struct loupe_item *item);

/* False: the node is no collection that is known. */
bool loupe_collection_of(const struct loupe_snapshot *snapshot, uint32_t node,
                         struct loupe_collection *ret);

/*
 * Hands over what is in it, of lists in their order, of maps as they stand; at most as many as
 * there are objects in the heap. Arrays of references are lists. Nothing for what is no
 * collection. LOUPE_ENOMEM; what is damaged ends it early.
 */
enum loupe_status loupe_collection_each(const struct loupe_snapshot *snapshot,
                                        const struct loupe_chunk_ops *chunks, uint32_t node,
                                        loupe_item_visit *visit, void *ctx);

/* java_collections.c */
bool loupe_java_collection_of(const struct loupe_snapshot *snapshot, uint32_t node,
                              struct loupe_collection *ret);
enum loupe_status loupe_java_collection_each(const struct loupe_snapshot *snapshot,
                                             const struct loupe_chunk_ops *chunks, uint32_t node,
                                             loupe_item_visit *visit, void *ctx);

#endif
