/*
 * reach.h - what is reachable, and what a set of objects keeps alive.
 *
 * Marks are one bit for each node. A search needs as many again, and 64 KB, while it runs.
 */
#ifndef LOUPE_REACH_H
#define LOUPE_REACH_H

#include "analysis/columns.h"

struct loupe_marks {
    const struct loupe_chunk_ops *chunks;
    uint64_t *words;
    uint32_t nodes;
};

/* All clear. LOUPE_ENOMEM: there is nothing to deinit. */
enum loupe_status loupe_marks_init(struct loupe_marks *marks, const struct loupe_chunk_ops *chunks,
                                   uint32_t nodes);
void loupe_marks_deinit(struct loupe_marks *marks);
void loupe_marks_clear(struct loupe_marks *marks);

static inline bool loupe_is_marked(const struct loupe_marks *marks, uint32_t node) {
    return marks->words[node / 64] >> node % 64 & 1;
}

static inline void loupe_mark(struct loupe_marks *marks, uint32_t node) {
    marks->words[node / 64] |= (uint64_t)1 << node % 64;
}

struct loupe_amount {
    uint64_t objects, bytes;
    uint64_t others; /* of the objects, memory without a class; 0 where nobody told it apart */
};

/*
 * Marks what the roots lead to along links of the kinds, and adds it up. What is marked beforehand
 * is neither entered nor counted: the search goes round it.
 */
enum loupe_status loupe_reach(const struct loupe_columns *columns, loupe_link_kinds kinds,
                              struct loupe_marks *marks, struct loupe_amount *ret);

/* Which nodes are counted apart: of a heap, memory without a class. */
struct loupe_others {
    const void *ctx;
    bool (*has)(const void *ctx, uint32_t node);
};

struct loupe_node_set {
    const uint32_t *nodes;
    uint32_t count;
    const struct loupe_others *others; /* NULL: none is counted apart */
};

/*
 * What would go if all nodes of the set did: themselves, where they are reachable, and what is
 * reachable only through them. Two searches. 1/4 byte a node beside those.
 */
enum loupe_status loupe_retained_by_set(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_node_set *set,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_amount *ret);

#endif
