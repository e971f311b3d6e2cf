/*
 * loose.h - a reference that keeps nothing alive: what a walk that explains itself puts down beside
 * the edges of its graph.
 */
#ifndef LOUPE_LOOSE_H
#define LOUPE_LOOSE_H

#include "graph/graph.h"

struct loupe_loose {
    loupe_addr target; /* what stands in the slot */
    uint32_t from;
    struct loupe_edge
        edge; /* LOUPE_LOOSE_WEAK or LOUPE_LOOSE_UNRETAINED; to: LOUPE_NO_NODE while unknown */
};

#endif
