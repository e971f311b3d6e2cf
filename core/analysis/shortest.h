/*
 * shortest.h - shortest paths from roots to all nodes.
 *
 * Not all paths are equally good news. One that needs a *late* link, as a known matter of a library
 * or a soft reference, or begins at such a root, is taken only where there is no other, and one
 * from a stack frame, which will return, only where there is none of these either. Among equally
 * good paths the shortest counts, then the one that was found first.
 */
#ifndef LOUPE_SHORTEST_H
#define LOUPE_SHORTEST_H

#include "analysis/reach.h"

enum loupe_path_level {
    LOUPE_LEVEL_NORMAL,
    LOUPE_LEVEL_LATE,
    LOUPE_LEVEL_STACK,
    LOUPE_LEVEL_COUNT,
    LOUPE_LEVEL_NONE = LOUPE_LEVEL_COUNT /* not reachable */
};

struct loupe_shortest {
    const struct loupe_chunk_ops *chunks;
    uint32_t nodes;
    uint32_t *from;  /* by node: where the last link of its path comes from, or its root;
                        LOUPE_NO_NODE: it has none */
    uint8_t *levels; /* four bits a node: level, and LOUPE_PATH_BEGINS where it is a root's */
};

enum { LOUPE_PATH_LEVEL = 3, LOUPE_PATH_BEGINS = 4 };

/* How good a path is, the best the lowest: level in the top 2 bits, then links of the path. */
typedef uint32_t loupe_path_rank;

struct loupe_shortest_options {
    loupe_link_kinds kinds;
    loupe_link_kinds late;          /* those of them that come last */
    const uint8_t *root_levels;     /* by root: enum loupe_path_level; NULL: all are normal */
    const struct loupe_marks *ends; /* nodes that paths end at and do not pass; NULL: none */
};

/*
 * 4.5 bytes a node until loupe_shortest_deinit(), 8 more while it runs, and 8 for each late link
 * that is met first. On failure (LOUPE_ENOMEM) there is nothing to deinit.
 */
enum loupe_status loupe_shortest_find(const struct loupe_columns *columns,
                                      const struct loupe_shortest_options *options,
                                      const struct loupe_chunk_ops *chunks,
                                      struct loupe_shortest *ret);
/* The same, and the ranks of all nodes, which are the caller's: loupe_numbers_put(columns->nodes).
 * Those of nodes without a path are above all others. */
enum loupe_status loupe_shortest_find_ranks(const struct loupe_columns *columns,
                                            const struct loupe_shortest_options *options,
                                            const struct loupe_chunk_ops *chunks,
                                            struct loupe_shortest *ret,
                                            loupe_path_rank **ranks_ret);
void loupe_shortest_deinit(struct loupe_shortest *shortest);

static inline unsigned loupe_path_bits(const struct loupe_shortest *shortest, uint32_t node) {
    return shortest->levels[node / 2] >> (node % 2 * 4) & 15;
}

static inline enum loupe_path_level loupe_path_level(const struct loupe_shortest *shortest,
                                                     uint32_t node) {
    return (enum loupe_path_level)(loupe_path_bits(shortest, node) & LOUPE_PATH_LEVEL);
}

/* The node before this one, which has a path, or LOUPE_NO_NODE where its path begins. */
static inline uint32_t loupe_path_before(const struct loupe_shortest *shortest, uint32_t node) {
    return loupe_path_bits(shortest, node) & LOUPE_PATH_BEGINS ? LOUPE_NO_NODE
                                                               : shortest->from[node];
}

/* Links of the path; of nodes that have one. Walks it. */
uint32_t loupe_path_length(const struct loupe_shortest *shortest, uint32_t node);
/* Index of the root that the path of a reachable node begins at. Walks the path. */
uint32_t loupe_path_root(const struct loupe_shortest *shortest, uint32_t node);

/*
 * The link that a step of a path goes along: the first one between the two nodes that counts, late
 * ones last. LOUPE_NO_EDGE when there is none.
 */
uint32_t loupe_path_link(const struct loupe_columns *columns, loupe_link_kinds kinds,
                         loupe_link_kinds late, uint32_t from, uint32_t to);

#endif
