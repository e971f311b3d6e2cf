/*
 * incoming.h - who holds one node: the links that lead to it, and the roots.
 *
 * The search goes over columns, so it is the same for a walk and for a whole heap; what it finds
 * are links. A walk shows them as they are, its edges; of a heap leaks/holders.h makes a graph of
 * what is shown.
 */
#ifndef LOUPE_INCOMING_H
#define LOUPE_INCOMING_H

#include "graph/likely_owners.h"
#include "graph/paths_from_roots.h"

/* Holders that are shown; and edges of a path, from its end: a list of a million objects is one. */
enum { LOUPE_MAX_INCOMING = 100, LOUPE_MAX_PATH_SHOWN = 256 };

/* Whether the node leads to a holder of it, by references that own. */
enum loupe_closing {
    LOUPE_CLOSES_NO_RING,
    LOUPE_MAY_CLOSE_A_RING, /* some of them are only assumed to own */
    LOUPE_CLOSES_A_RING
};

struct loupe_incoming_edge {
    uint32_t from, edge;
    struct loupe_root_path path; /* to `from`, not through the node itself */
    /* Of one without a path. */
    enum loupe_closing closing;
    uint64_t references; /* that were found to it, and retains that roots own */
    /* Of one that owns nothing: why, in static storage; NULL: a filter says so. */
    const char *owns_nothing_since;
    /* Both known where a whole heap was seen. */
    bool is_lost;                   /* nothing that is alive leads to it */
    bool is_reached_without_stacks; /* its path begins at a root that does not go by itself, as
                                       stacks do */
};

struct loupe_incoming {
    /* The first ones by their paths: better roots, edges that own for certain, shorter paths;
     * those without a path come last. */
    struct loupe_incoming_edge edges[LOUPE_MAX_INCOMING];
    uint32_t edge_count;
    uint64_t edges_found;
    uint64_t assumed; /* of those found: of unknown ownership */
    uint64_t shared;  /* of those found: no retain of their own */
    /* Edges that lead to it and own nothing; not among those found. */
    struct loupe_incoming_edge ruled_out[LOUPE_MAX_INCOMING];
    uint32_t ruled_out_count;
    uint64_t ruled_out_found;
    /* Words in memory that nothing describes, which may own it, the best first; known where a whole
     * heap was seen, and not among those found. */
    struct loupe_incoming_edge memory[LOUPE_MAX_INCOMING];
    uint32_t memory_count;
    uint64_t memory_found;
    uint32_t roots[LOUPE_MAX_INCOMING]; /* indices of roots that lead to the node itself */
    uint32_t root_count;
    uint64_t words[LOUPE_ROOT_KIND_COUNT]; /* all such roots, by kind */
    uint64_t owned_by_roots;               /* retains that these are known to own */
};

/* Words of variables that last, and of roots that a person named. */
uint64_t loupe_words_without_stacks(const struct loupe_incoming *incoming);

/* ---- The search ---- */

/* A link that leads to the node, and how good the path to its source is. */
struct loupe_link_found {
    uint32_t from, link;
    loupe_path_rank rank; /* LOUPE_NO_PATH also from the node itself: paths go round it */
    bool is_assumed;
    const char *owns_nothing_since; /* of a ruled out one; NULL: a filter says so */
};

/* The first ones by their roots, then by whether they own for certain, then by their paths; of
 * equally good ones in the order of the columns. */
struct loupe_links_found {
    struct loupe_link_found items[LOUPE_MAX_INCOMING];
    uint32_t count;
    uint64_t found;
};

/* What is known of links and roots beside their kinds. */
struct loupe_incoming_facts {
    const void *ctx;
    bool (*is_shared)(const void *ctx, uint32_t link); /* no retain of its own */
    /* Of an assumed link that leads to the node, what speaks against it. False: nothing rules it
     * out, whatever others own. */
    bool (*can_be_ruled_out)(const void *ctx, uint32_t from, uint32_t link, enum loupe_doubt *ret);
    /* Of a link that owns nothing, whether that is known only now; NULL: of all. */
    bool (*was_ruled_out)(const void *ctx, uint32_t link);
    uint32_t (*retains)(const void *ctx, uint32_t root); /* that it is known to own */
};

struct loupe_incoming_search {
    struct loupe_columns columns; /* with roots */
    const uint8_t *root_levels;
    const struct loupe_chunk_ops *chunks;
    const struct loupe_incoming_facts *facts;
    const struct loupe_marks *alive; /* NULL: it is not known */
    uint32_t node;
    /* What is found: */
    struct loupe_shortest shortest;
    loupe_path_rank *ranks;           /* by node */
    struct loupe_owner_counts owners; /* of the node */
    struct loupe_links_found holders, memory, ruled_out, nonowning;
};

/* Paths to all nodes, round the node, along links of the kinds. 8.5 bytes a node until
 * loupe_incoming_search_end(), 8 more while it runs. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_incoming_search_paths(struct loupe_incoming_search *search,
                                              loupe_link_kinds kinds);
/* All that lead to it, and the sums of *incoming, whose roots are noted; owners.known and retains
 * are set. */
void loupe_incoming_search_links(struct loupe_incoming_search *search,
                                 struct loupe_incoming *incoming);
/*
 * Fills what incoming->edges, the holders in their order, say where there is no path: whether the
 * node itself keeps them, and how many references to them there are. 4.25 bytes a node meanwhile.
 * LOUPE_ENOMEM, LOUPE_ETIMEOUT.
 */
enum loupe_status loupe_incoming_search_rootless(const struct loupe_incoming_search *search,
                                                 struct loupe_incoming *incoming);
/* Also of one that never began. */
void loupe_incoming_search_end(struct loupe_incoming_search *search);

/* ---- Of a walk ---- */

/*
 * Hidden edges own nothing, nor do those that graph/likely_owners.h says; describer: NULL where
 * nobody can tell of counts. roots holds struct loupe_root. *paths_ret are the paths of what is
 * found: loupe_paths_from_roots_deinit(). 20.5 bytes a node while it runs. On failure
 * (LOUPE_ENOMEM) there is nothing to deinit.
 */
enum loupe_status loupe_incoming_find(const struct loupe_graph *graph, uint32_t node,
                                      const struct loupe_describer *describer,
                                      const struct loupe_vector *roots,
                                      struct loupe_paths_from_roots *paths_ret,
                                      struct loupe_incoming *ret);

#endif
