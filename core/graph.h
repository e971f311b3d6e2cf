/*
 * graph.h - the objects that a walk reached and the references between them, as plain arrays.
 *
 * Nodes are numbered from 0 (the seed) in breadth-first order; a node's edges stand together, in
 * the order in which they were found, so the edge array is sorted by source without sorting.
 * Parallel edges are kept. Nothing here knows where the graph came from: a live process, a core, a
 * test.
 *
 * 16 bytes a node and 16 an edge while a question is answered.
 */
#ifndef LOUPE_GRAPH_H
#define LOUPE_GRAPH_H

#include "arena.h"
#include "status.h"

enum loupe_node_kind { LOUPE_NODE_OBJECT, LOUPE_NODE_BLOCK, LOUPE_NODE_BYREF, LOUPE_NODE_CLASS };

enum loupe_ownership {
    LOUPE_STRONG, /* known */
    LOUPE_ASSUMED /* the runtime keeps no ownership: manual retain/release */
};

/* What kind of reference; the names are in the protocol and in loupe_edge_kind_name(). */
enum loupe_edge_kind {
    LOUPE_EDGE_IVAR,
    LOUPE_EDGE_CAPTURE,
    LOUPE_EDGE_BYREF, /* what a __block variable holds */
    LOUPE_EDGE_ASSOCIATION,
    LOUPE_EDGE_ELEMENT,
    LOUPE_EDGE_KEY,
    LOUPE_EDGE_VALUE,
    LOUPE_EDGE_TARGET,
    LOUPE_EDGE_USER_INFO,
    LOUPE_EDGE_KIND_COUNT
};

/* "ivar", "user-info", ... Static storage. */
const char *loupe_edge_kind_name(enum loupe_edge_kind kind);

struct loupe_node {
    loupe_addr address;
    uint32_t first_edge;
    uint32_t tag; /* enum loupe_node_kind in the low 2 bits, the expander's class number above */
};

struct loupe_edge {
    uint32_t to;       /* node */
    uint32_t offset;   /* of the slot, in bytes from the source's start; element number in others */
    uint32_t detail;   /* for the edge source that made it, which later names the edge */
    uint8_t kind;      /* enum loupe_edge_kind */
    uint8_t ownership; /* enum loupe_ownership */
    uint8_t source;    /* number of the edge source (edges.h) */
    uint8_t reserved;
};

#endif
