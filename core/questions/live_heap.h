/*
 * live_heap.h - what only the target tells of nodes and links of a snapshot that was just made of
 * it: the places of words outside of their objects, and the sizes of objects in blocks that have
 * more.
 */
#ifndef LOUPE_LIVE_HEAP_H
#define LOUPE_LIVE_HEAP_H

#include "edges/edges.h"
#include "leaks/heap_graph.h"

struct loupe_live_heap {
    const struct loupe_snapshot *snapshot;
    struct loupe_walk walk;    /* its own: what it meets was told by the snapshot's */
    struct loupe_vector slots; /* of loupe_addr: of the links of a node */
    uint32_t node;             /* that one */
    uint32_t next;             /* of its links: the first one that was not met yet */
    struct loupe_heap_live facts;
};

/* The target stands as it stood when the snapshot was made. facts: of the host, or NULL. */
void loupe_live_heap_init(struct loupe_live_heap *live, const struct loupe_snapshot *snapshot,
                          struct loupe_target *target, const struct loupe_facts *facts);
void loupe_live_heap_deinit(struct loupe_live_heap *live);

#endif
