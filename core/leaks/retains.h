/*
 * retains.h - for every object of a heap: its retain count, the references that own it, and the
 * other words that lead to it, weighed as for one object (graph/object_verdict.h).
 *
 * The whole heap was searched, so what its words do not explain nothing can give back: a release is
 * missing, except where the snapshot itself is incomplete.
 */
#ifndef LOUPE_RETAINS_H
#define LOUPE_RETAINS_H

#include "base/map.h"
#include "base/vector.h"
#include "graph/object_verdict.h"
#include "leaks/heap_graph.h"

/* What leads to one node; saturated. */
struct loupe_node_owners {
    uint32_t certain;     /* references that own for certain, and retains of roots that own */
    uint32_t possible;    /* those, and references that are assumed to own */
    uint32_t words;       /* other words that lead to it: they may own it all the same */
    uint32_t ruled_out;   /* references that own nothing: where code retained for one, what is
                             lost is not released any more */
    uint32_t stack_words; /* of these: on stacks and in registers */
    uint32_t root_words;  /* and those of other roots */
};

struct loupe_retains {
    const struct loupe_snapshot *snapshot;
    const struct loupe_chunk_ops *chunks;
    const uint8_t *kinds;         /* of links, while they are counted */
    struct loupe_few_owners *few; /* by node; see retains.c */
    struct loupe_map places;      /* of the nodes that have many, in `many` */
    struct loupe_vector many;     /* of struct loupe_node_owners */
};

/* kinds: of links. 6 bytes a node until loupe_retains_deinit(), and 64 for each that has hundreds
 * of owners. On failure (LOUPE_ENOMEM, LOUPE_ETIMEOUT) there is nothing to deinit. */
enum loupe_status loupe_retains_find(const struct loupe_snapshot *snapshot, const uint8_t *kinds,
                                     const struct loupe_chunk_ops *chunks,
                                     struct loupe_retains *ret);
void loupe_retains_deinit(struct loupe_retains *retains);

struct loupe_node_owners loupe_retains_owners(const struct loupe_retains *retains, uint32_t node);

/* Retains of a node beyond all that could own them: releases that are missing. */
uint64_t loupe_retains_missing(const struct loupe_retains *retains, uint32_t node);
/* The same of a node that is lost: there what was ruled out explains no retain. */
uint64_t loupe_retains_missing_of_lost(const struct loupe_retains *retains, uint32_t node);
/* References beyond its retains: it is freed while they are still there. */
uint64_t loupe_retains_excess(const struct loupe_retains *retains, uint32_t node);

/* The verdict for a node for which one of them is not 0. */
void loupe_retains_verdict(const struct loupe_retains *retains, uint32_t node,
                           struct loupe_object_verdict *ret);

#endif
