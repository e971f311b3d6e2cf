/*
 * graph.h - the objects that a walk reached and the references between them: the columns that
 * analyses work on, and what each object and reference is.
 *
 * Nodes are numbered from 0 (the seed) in breadth-first order; a node's edges stand together, in
 * the order in which they were found, so the edge array is sorted by source without sorting.
 * Parallel edges and edges to oneself are kept. Nothing here knows where the graph came from: a
 * live process, a core, a test.
 *
 * A graph is built in one go: nodes are added with the seed first, then opened in the order of
 * their ids, and edges are added to the open node. loupe_graph_build() does that with an expander,
 * which knows what an object holds. When all is there, loupe_graph_freeze() frees the index from
 * addresses to nodes, which only building needs, and puts the columns together: only then can edges
 * be looked at. Where only nodes are of interest, what was frozen can be built further, without
 * edges.
 *
 * 16 bytes a node and 16 an edge, and 8 more a node, or 13 of few, until it is frozen. Where
 * edges begin and where they lead to are columns from the beginning, each one chunk: what was not
 * written to yet is not touched either. While one grows, it takes 4 a node or an edge twice.
 */
#ifndef LOUPE_GRAPH_H
#define LOUPE_GRAPH_H

#include "analysis/columns.h"
#include "graph/address_index.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/target/target.h"
#include "base/vector.h"

enum loupe_node_kind {
    LOUPE_NODE_OBJECT,
    LOUPE_NODE_BLOCK,
    LOUPE_NODE_BYREF,
    LOUPE_NODE_CLASS,
    LOUPE_NODE_RAW,    /* memory that an allocator gave out, and no object */
    LOUPE_NODE_ROOT,   /* a place outside of the heap */
    LOUPE_NODE_THREAD, /* a thread with its stack and registers */
    LOUPE_NODE_KIND_COUNT
};

enum loupe_ownership {
    LOUPE_STRONG,   /* known */
    LOUPE_ASSUMED,  /* the runtime keeps no ownership: manual retain/release */
    LOUPE_DECLARED, /* the same, but a property says that it is owned: assumed with good reason */
    LOUPE_DISOWNED, /* was assumed, and owns nothing after all: always hidden */
    LOUPE_NONOWNING_WEAK, /* the last two never appear in a graph; see nonowning.h */
    LOUPE_NONOWNING_UNRETAINED
};

/* "strong", "assumed", "weak", "unretained". Static storage. */
const char *loupe_ownership_name(enum loupe_ownership ownership);

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
    LOUPE_EDGE_WORD,       /* a word of memory that leads there, and that nothing describes */
    LOUPE_EDGE_SHARED_PTR, /* std::shared_ptr, which the control block of its object counts */
    LOUPE_EDGE_KIND_COUNT
};

/* "ivar", "user-info", ... Static storage. */
const char *loupe_edge_kind_name(enum loupe_edge_kind kind);
/* "object", "block", "byref", "class", "raw", "root", "thread". Static storage. */
const char *loupe_node_kind_name(enum loupe_node_kind kind);

struct loupe_node {
    loupe_addr address;
    uint32_t tag; /* enum loupe_node_kind in the low bits, the number of the class above */
};

enum { LOUPE_NODE_KIND_BITS = 3 };
_Static_assert(LOUPE_NODE_KIND_COUNT <= 1 << LOUPE_NODE_KIND_BITS, "kinds fit their bits");

/* The number is that of a class; 0 for what has none. */
static inline uint32_t loupe_node_tag(enum loupe_node_kind kind, uint32_t number) {
    return number << LOUPE_NODE_KIND_BITS | (uint32_t)kind;
}

static inline enum loupe_node_kind loupe_node_kind(struct loupe_node node) {
    return (enum loupe_node_kind)(node.tag & ((1u << LOUPE_NODE_KIND_BITS) - 1));
}

static inline uint32_t loupe_node_class(struct loupe_node node) {
    return node.tag >> LOUPE_NODE_KIND_BITS;
}

struct loupe_edge {
    uint32_t to;       /* node */
    uint32_t offset;   /* of the slot, in bytes from the source's start; element number in others */
    uint32_t detail;   /* for the edge source that made it, which later names the edge */
    uint8_t kind;      /* enum loupe_edge_kind */
    uint8_t ownership; /* enum loupe_ownership */
    uint8_t source;    /* number of the edge source (edges.h) */
    bool shared;       /* it is one retain with an edge that was found before: both go by a pointer
                          that several own together, as std::shared_ptr */
};

/* All of an edge but where it leads to. */
struct loupe_edge_facts {
    uint32_t offset, detail;
    uint8_t kind, ownership, source;
    bool shared;
};

_Static_assert(sizeof(struct loupe_edge_facts) == 12, "there are many of them");

/* What is a column once the graph is frozen. */
struct loupe_later_column {
    uint32_t *numbers;
    uint32_t room; /* that fit, but for one more at the end: whole segments */
};

struct loupe_graph {
    struct loupe_columns columns;    /* once the graph is frozen: links are its edges */
    struct loupe_vector nodes;       /* in columns: address, tag */
    struct loupe_vector edges;       /* struct loupe_edge_facts */
    struct loupe_later_column first; /* of nodes */
    struct loupe_later_column links; /* of edges */
    uint32_t *next_link;             /* where the next edge goes, unless it begins a segment */
    struct loupe_edge_facts *next_facts;
    struct loupe_address_index index; /* empty once the graph is frozen */
    uint32_t limit;                   /* nodes, at most LOUPE_MAX_NODES */
    uint32_t seeds;                   /* nodes that were there when the first one was opened */
    uint32_t opened;                  /* nodes 0 to opened - 1 have their edges */
    struct loupe_findings *findings;  /* counts what lies beyond the limits */
};

/*
 * limit 0 is LOUPE_MAX_NODES. findings stays the caller's and must outlive the building. The graph
 * must not move: parts of it point to others.
 */
void loupe_graph_init(struct loupe_graph *graph, const struct loupe_chunk_ops *chunks,
                      uint64_t limit, struct loupe_findings *findings);
void loupe_graph_deinit(struct loupe_graph *graph);

/* ---- Nodes and edges ---- */

static inline uint32_t loupe_graph_node_count(const struct loupe_graph *graph) {
    return graph->nodes.count;
}

static inline uint32_t loupe_graph_edge_count(const struct loupe_graph *graph) {
    return graph->edges.count;
}

/* Where the parts of nodes and edges stand: for building the graph. */
static inline loupe_addr *loupe_graph_address_place(const struct loupe_graph *graph,
                                                    uint32_t node) {
    return loupe_vector_part(&graph->nodes, node, LOUPE_ADDRESS_PART, sizeof(loupe_addr));
}

static inline uint32_t *loupe_graph_tag_place(const struct loupe_graph *graph, uint32_t node) {
    return loupe_vector_part(&graph->nodes, node, LOUPE_TAG_PART, sizeof(uint32_t));
}

static inline struct loupe_edge_facts *loupe_graph_edge_facts(const struct loupe_graph *graph,
                                                              uint32_t edge) {
    return loupe_vector_at(&graph->edges, edge, sizeof(struct loupe_edge_facts));
}

static inline loupe_addr loupe_graph_address(const struct loupe_graph *graph, uint32_t node) {
    return *loupe_graph_address_place(graph, node);
}

/* The only part of a node that a traversal needs. Nodes that were not opened have no edges. */
static inline uint32_t loupe_graph_first_edge(const struct loupe_graph *graph, uint32_t node) {
    return graph->columns.first[node];
}

/* The edges of a node are those from its first to before this. */
static inline uint32_t loupe_graph_edges_end(const struct loupe_graph *graph, uint32_t node) {
    return graph->columns.first[node + 1];
}

/* Equal for nodes of one kind and class. */
static inline uint32_t loupe_graph_tag(const struct loupe_graph *graph, uint32_t node) {
    return *loupe_graph_tag_place(graph, node);
}

static inline struct loupe_node loupe_graph_node(const struct loupe_graph *graph, uint32_t id) {
    return (struct loupe_node){.address = loupe_graph_address(graph, id),
                               .tag = loupe_graph_tag(graph, id)};
}

/* What may own: edges that are not hidden. */
#define LOUPE_EDGES_OWNED (1u << LOUPE_LINK_STRONG | 1u << LOUPE_LINK_ASSUMED)

/* Where an edge leads to: with the next two, the only part of it that a traversal needs. */
static inline uint32_t loupe_graph_target(const struct loupe_graph *graph, uint32_t edge) {
    return loupe_link_target(&graph->columns, edge);
}

static inline bool loupe_graph_is_hidden(const struct loupe_graph *graph, uint32_t edge) {
    return graph->columns.to[edge] & LOUPE_HIDDEN;
}

/* Whether it leads to the node and is not hidden. */
static inline bool loupe_graph_leads(const struct loupe_graph *graph, uint32_t edge, uint32_t to) {
    return (graph->columns.to[edge] & ~LOUPE_MAY_OWN) == to;
}

/* Neither hidden nor assumed. */
static inline bool loupe_graph_is_strong(const struct loupe_graph *graph, uint32_t edge) {
    return !(graph->columns.to[edge] & (LOUPE_HIDDEN | LOUPE_MAY_OWN));
}

/* The columns of a graph are its own. */
static inline void loupe_graph_hide(struct loupe_graph *graph, uint32_t edge) {
    ((uint32_t *)graph->columns.to)[edge] |= LOUPE_HIDDEN;
}

static inline struct loupe_edge loupe_graph_edge(const struct loupe_graph *graph, uint32_t id) {
    const struct loupe_edge_facts *facts = loupe_graph_edge_facts(graph, id);
    return (struct loupe_edge){.to = loupe_graph_target(graph, id),
                               .offset = facts->offset,
                               .detail = facts->detail,
                               .kind = facts->kind,
                               .ownership = facts->ownership,
                               .source = facts->source,
                               .shared = facts->shared};
}

/* ---- Building ---- */

/* Whether no node can be added, so that looking closer at a new address is a waste. */
bool loupe_graph_is_full(const struct loupe_graph *graph);
/* False when no node has the address, and once the graph is frozen. */
static inline bool loupe_graph_find(const struct loupe_graph *graph, loupe_addr address,
                                    uint32_t *ret) {
    return loupe_address_index_find(&graph->index, address, ret);
}
/*
 * Adds the node at an address that has none yet. LOUPE_ELIMIT when the graph is full: that is
 * counted under LOUPE_FINDING_LIMIT, and the caller drops the reference and goes on.
 */
enum loupe_status loupe_graph_add_node(struct loupe_graph *graph, loupe_addr address, uint32_t tag,
                                       uint32_t *ret);
/* Both with hash = loupe_hash(address) at hand, and the fetching of what a search looks at first:
 * for expanders that look ahead. */
static inline bool loupe_graph_find_hashed(const struct loupe_graph *graph, loupe_addr address,
                                           uint64_t hash, uint32_t *ret) {
    return loupe_address_index_find_hashed(&graph->index, address, hash, ret);
}
enum loupe_status loupe_graph_add_node_hashed(struct loupe_graph *graph, loupe_addr address,
                                              uint64_t hash, uint32_t tag, uint32_t *ret);
static inline void loupe_graph_prefetch(const struct loupe_graph *graph, loupe_addr address) {
    loupe_address_index_prefetch(&graph->index, address);
}
/* A little later: the node that probably has the address, which is fetched; or LOUPE_NO_NODE. */
static inline uint32_t loupe_graph_guess(const struct loupe_graph *graph, loupe_addr address) {
    return loupe_address_index_guess(&graph->index, address);
}
/* Opens the node after the last one opened (the first time, node 0), which must exist. */
static inline uint32_t loupe_graph_open_next(struct loupe_graph *graph) {
    uint32_t node = graph->opened++;
    if (!node)
        graph->seeds = graph->nodes.count;
    graph->first.numbers[node] = graph->edges.count;
    return node;
}
/* Only for loupe_graph_add_edge(), whose edge it is: one more segment. */
enum loupe_status loupe_graph_add_segment_of_edges(struct loupe_graph *graph,
                                                   const struct loupe_edge *edge);
/*
 * Adds an edge from the open node, in the order in which a person would read them. LOUPE_ELIMIT as
 * for nodes.
 */
static inline enum loupe_status loupe_graph_add_edge(struct loupe_graph *graph,
                                                     const struct loupe_edge *edge) {
    uint32_t id = graph->edges.count;
    if (!(id & (LOUPE_SEGMENT_SIZE - 1))) {
        enum loupe_status status = loupe_graph_add_segment_of_edges(graph, edge);
        if (status)
            return status;
    }
    graph->edges.count = id + 1;
    *graph->next_link++ = edge->ownership == LOUPE_STRONG ? edge->to : edge->to | LOUPE_MAY_OWN;
    *graph->next_facts++ = (struct loupe_edge_facts){.offset = edge->offset,
                                                     .detail = edge->detail,
                                                     .kind = edge->kind,
                                                     .ownership = edge->ownership,
                                                     .source = edge->source,
                                                     .shared = edge->shared};
    return LOUPE_OK;
}
/* Frees what only building needs, and makes the columns. After LOUPE_ENOMEM there are no edges to
 * be looked at. */
enum loupe_status loupe_graph_freeze(struct loupe_graph *graph);
/*
 * Goes on building a frozen graph, for the nodes alone: all edges are dropped, and those that are
 * added may be dropped any time by this function. LOUPE_ENOMEM.
 */
enum loupe_status loupe_graph_go_on(struct loupe_graph *graph);

/*
 * What knows how to find references. expand() opens the next node, or some of the next nodes that
 * are there when it is called, and adds their edges, and the nodes they lead to where those are
 * new. What cannot be followed it counts and passes over; LOUPE_ELIMIT and LOUPE_ETIMEOUT end the
 * walk but not the question, other failures end both. After a failure the last node that it opened
 * counts as not done.
 */
struct loupe_expander {
    void *ctx;
    enum loupe_status (*expand)(void *ctx, struct loupe_graph *graph);
};

/*
 * Walks breadth-first from the nodes that are already there (the seed) until nothing new is found,
 * the limit is reached or the host interrupts, and freezes the graph. LOUPE_OK also for a walk that
 * ended early: what it left is counted under LOUPE_FINDING_LIMIT and LOUPE_FINDING_INTERRUPTED.
 */
enum loupe_status loupe_graph_build(struct loupe_graph *graph, struct loupe_memory *memory,
                                    const struct loupe_expander *expander);

/* ---- Looking ---- */

/* The node that an edge starts from, found by bisection. */
uint32_t loupe_graph_source(const struct loupe_graph *graph, uint32_t edge);

/* Whether an edge leads from one node to another (or the same) that is not hidden. */
bool loupe_graph_holds(const struct loupe_graph *graph, uint32_t from, uint32_t to);

/* Whether ids are in range, edges sorted by source and no address twice; of a graph that is not
 * frozen, only the last. Slow; for tests. */
bool loupe_graph_is_valid(const struct loupe_graph *graph);

#endif
