/*
 * histogram.h - a heap by classes: how many, how large, and how much they keep alive.
 */
#ifndef LOUPE_HISTOGRAM_H
#define LOUPE_HISTOGRAM_H

#include "analysis/dominators/dominators.h"

struct loupe_class_total {
    uint64_t count, bytes;
    /*
     * What all objects of the class keep alive, each on its own. One that is dominated by another
     * of its class is part of what that one retains, and not counted again.
     */
    uint64_t retained;
};

/*
 * classes: by node, below class_count. totals[class_count] is the caller's. counted: nodes that
 * count; NULL: all. One pass.
 */
void loupe_histogram_count(const struct loupe_columns *columns, const uint32_t *classes,
                           const struct loupe_marks *counted, uint32_t class_count,
                           struct loupe_class_total *totals);

/*
 * Adds what is retained to totals. 12 bytes a node and 4 a class while it runs. LOUPE_ENOMEM leaves
 * totals alone.
 */
enum loupe_status loupe_histogram_add_retained(const struct loupe_dominators *dominators,
                                               const uint32_t *classes, uint32_t class_count,
                                               const struct loupe_chunk_ops *chunks,
                                               struct loupe_class_total *totals);

/* ---- The tree of dominators, downwards ---- */

/* What each node is the immediate dominator of. */
struct loupe_dominated {
    const struct loupe_chunk_ops *chunks;
    uint32_t nodes, reached;
    uint32_t
        *first;   /* by node, one more for all roots together, and one more: where its row begins */
    uint32_t *of; /* rows of nodes, ascending */
};

/* 8 bytes a node until loupe_dominated_deinit(). On failure (LOUPE_ENOMEM) nothing to deinit. */
enum loupe_status loupe_dominated_find(const struct loupe_dominators *dominators,
                                       const struct loupe_chunk_ops *chunks,
                                       struct loupe_dominated *ret);
void loupe_dominated_deinit(struct loupe_dominated *dominated);

/* Makes dominators->others. 12 bytes a node while it runs, and 4 that stay. LOUPE_ENOMEM. */
enum loupe_status loupe_dominators_count_apart(struct loupe_dominators *dominators,
                                               const struct loupe_others *others,
                                               const struct loupe_chunk_ops *chunks);

#endif
