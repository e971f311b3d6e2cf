/*
 * holders.h - who holds one node of a heap: what graph/incoming.h tells of what a walk met, told of
 * all there is. Holders that nothing leads to are met too, and memory of C and C++ is followed word
 * by word.
 *
 * Paths are those of analysis/shortest.h, so that they are as short as any; they go round the node,
 * and not along what is known to own nothing.
 */
#ifndef LOUPE_HOLDERS_H
#define LOUPE_HOLDERS_H

#include "analysis/reach.h"
#include "cycles/filters.h"
#include "graph/object_verdict.h"
#include "leaks/heap_graph.h"

struct loupe_holders {
    const struct loupe_snapshot *snapshot;
    struct loupe_heap_graph heap; /* of what is shown: the node, its holders, their paths */
    uint32_t seed;                /* the node, in the graph */
    struct loupe_vector roots;    /* of struct loupe_root, that are shown; number: the snapshot's */
    struct loupe_paths_from_roots paths;
    struct loupe_incoming incoming;
    struct loupe_nonowning_refs nonowning; /* to the node; the first LOUPE_MAX_INCOMING */
    struct loupe_object_evidence evidence;
    struct loupe_object_words words;
    struct loupe_object_verdict verdict;
    struct loupe_amount keeps; /* what would be freed with it, itself too */
};

/*
 * snapshot is a native one and lasts as long, as do the arena and `known`: filters that say what
 * owns nothing (loupe_filters_keep_knowledge()). 15 bytes a node and one a link while it runs. The
 * result must not move. On failure (LOUPE_ENOMEM, LOUPE_ETIMEOUT) there is nothing to deinit.
 */
enum loupe_status loupe_holders_find(const struct loupe_snapshot *snapshot, uint32_t node,
                                     struct loupe_filters known,
                                     const struct loupe_chunk_ops *chunks,
                                     struct loupe_arena *arena, struct loupe_holders *ret);
void loupe_holders_deinit(struct loupe_holders *holders);

#endif
