/*
 * shortest.h - shortest paths from roots to all nodes, of walks and of heaps.
 *
 * Not all paths are equally good news. One that needs a *late* link, as a known matter of a library
 * or a soft reference, or begins at such a root, is taken only where there is no other, and one
 * from a stack frame, which will return, only where there is none of these either. One from a root
 * that a person named is better than all. Among equally good paths the shortest counts, then the
 * one that was found first.
 */
#ifndef LOUPE_SHORTEST_H
#define LOUPE_SHORTEST_H

#include "analysis/reach.h"

enum loupe_path_level {
    LOUPE_LEVEL_NORMAL,
    LOUPE_LEVEL_LATE,
    LOUPE_LEVEL_STACK,
    LOUPE_LEVEL_COUNT,
    LOUPE_LEVEL_NONE = LOUPE_LEVEL_COUNT, /* not reachable; files have the numbers up to here */
    LOUPE_LEVEL_GIVEN /* of a root that was named; its late links are taken at once, and ranks alone
                         know it: elsewhere its paths are normal */
};

struct loupe_shortest {
    const struct loupe_chunk_ops *chunks;
    uint32_t nodes;
    uint32_t *from;  /* by node: where the last link of its path comes from, or its root;
                        LOUPE_NO_NODE: it has none */
    uint8_t *levels; /* four bits a node: level, and LOUPE_PATH_BEGINS where it is a root's */
};

enum { LOUPE_PATH_LEVEL = 3, LOUPE_PATH_BEGINS = 4 };

/* How good a path is, the best the lowest: by level in the top 3 bits, then links of the path; the
 * longest of all count as equally long. */
typedef uint32_t loupe_path_rank;
enum { LOUPE_RANK_SHIFT = 29, LOUPE_RANK_LENGTH = (1 << LOUPE_RANK_SHIFT) - 1 };
#define LOUPE_NO_PATH UINT32_MAX

static inline loupe_path_rank loupe_path_rank_of(enum loupe_path_level level, uint32_t length) {
    return (level == LOUPE_LEVEL_GIVEN ? 0 : (uint32_t)level + 1) << LOUPE_RANK_SHIFT | length;
}

/* Whether the level of one is better, however long they are. */
static inline bool loupe_path_level_is_better(loupe_path_rank one, loupe_path_rank other) {
    return one >> LOUPE_RANK_SHIFT < other >> LOUPE_RANK_SHIFT;
}

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
 * That of a node without a path is LOUPE_NO_PATH. */
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
