/*
 * part.h - the nodes of a heap that are not marked, and the links between them, as columns of their
 * own: an analysis of a few nodes of a large heap then needs memory for these alone.
 *
 * Nodes and links keep their order.
 */
#ifndef LOUPE_PART_H
#define LOUPE_PART_H

#include "analysis/reach.h"

struct loupe_heap_part {
    const struct loupe_chunk_ops *chunks;
    const struct loupe_marks *outside; /* whoever made it keeps it */
    struct loupe_columns columns;      /* without roots */
    uint32_t *before; /* by 64 nodes of the heap: how many nodes of the part come before these */
    uint32_t *first, *to, *sizes;
    uint8_t *kinds;
    struct loupe_large_size *large;
    uint32_t links, large_count;
};

/*
 * Links of other kinds than those given are left out. 8 bytes for each node of the part, 5 for each
 * link of it, 1/16 for each node of the heap. On failure (LOUPE_ENOMEM, LOUPE_ETIMEOUT) there is
 * nothing to deinit.
 */
enum loupe_status loupe_heap_part_make(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                       const struct loupe_marks *outside,
                                       const struct loupe_chunk_ops *chunks,
                                       struct loupe_heap_part *ret);
void loupe_heap_part_deinit(struct loupe_heap_part *part);

static inline bool loupe_heap_part_has(const struct loupe_heap_part *part, uint32_t node) {
    return !loupe_is_marked(part->outside, node);
}

/* The number in the part of a node that is in it. */
uint32_t loupe_heap_part_node(const struct loupe_heap_part *part, uint32_t node);

#endif
