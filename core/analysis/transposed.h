/*
 * transposed.h - the same heap with every link turned round: who leads to a node, and how all roots
 * get to one.
 */
#ifndef LOUPE_TRANSPOSED_H
#define LOUPE_TRANSPOSED_H

#include "analysis/shortest.h"

struct loupe_transposed {
    const struct loupe_chunk_ops *chunks;
    struct loupe_columns columns; /* without roots; sizes are those of the original */
};

/*
 * Links of other kinds are left out. 4 bytes a node and 4 or, with kinds, 5 a link until
 * loupe_transposed_deinit(). On failure (LOUPE_ENOMEM) there is nothing to deinit.
 */
enum loupe_status loupe_transposed_make(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_transposed *ret);
void loupe_transposed_deinit(struct loupe_transposed *transposed);

/*
 * Shortest paths of one node from different roots, the best first. A path does not lead through
 * another root of the normal level: that one has a path of its own.
 */
struct loupe_root_paths {
    struct loupe_shortest shortest; /* of the transposed heap, from the node backwards */
    uint32_t *roots;                /* indices of roots, at most as many as asked for */
    uint32_t count, capacity;
    uint64_t found; /* all nodes that are roots and lead to it; `count` of them are in roots */
};

/* Of the options late and root_levels; most > 0. On failure (LOUPE_ENOMEM) there is nothing to
 * deinit. */
enum loupe_status loupe_root_paths_find(const struct loupe_columns *columns,
                                        const struct loupe_transposed *transposed,
                                        const struct loupe_shortest_options *options, uint32_t node,
                                        uint32_t most, struct loupe_root_paths *ret);
void loupe_root_paths_deinit(struct loupe_root_paths *paths);

/* The next node on the way from a root's node to the one asked about; LOUPE_NO_NODE behind it. */
static inline uint32_t loupe_root_path_after(const struct loupe_root_paths *paths, uint32_t node) {
    return loupe_path_before(&paths->shortest, node);
}

#endif
