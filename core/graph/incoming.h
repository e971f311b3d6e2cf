/*
 * incoming.h - who holds one node: the edges that lead to it, and the roots.
 */
#ifndef LOUPE_INCOMING_H
#define LOUPE_INCOMING_H

#include "graph/describer.h"
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
    /* Of one without a path; loupe_incoming_examine(). */
    enum loupe_closing closing;
    uint64_t references; /* that were found to it, and retains that roots own */
    /* Of one that owns nothing: why, in static storage; NULL: a filter says so. */
    const char *owns_nothing_since;
    /* Both known where a whole heap was seen. */
    bool is_lost;    /* nothing that is alive leads to it */
    bool is_lasting; /* its path begins at a root that does not go by itself, as stacks do */
};

struct loupe_incoming {
    /* The first ones by their paths: better roots, edges that own for certain, shorter paths;
     * those without a path come last. */
    struct loupe_incoming_edge edges[LOUPE_MAX_INCOMING];
    uint32_t edge_count;
    uint64_t edges_found;
    uint64_t assumed; /* of those found: of unknown ownership */
    uint64_t shared;  /* of those found: no retain of their own */
    /* Edges that lead to it and own nothing, in the order of the graph; not among those found. */
    struct loupe_incoming_edge ruled_out[LOUPE_MAX_INCOMING];
    uint32_t ruled_out_count;
    uint64_t ruled_out_found;
    /* Words in memory that nothing describes, which may own it, in the order of the first ones;
     * known where a whole heap was seen, and not among those found. */
    struct loupe_incoming_edge memory[LOUPE_MAX_INCOMING];
    uint32_t memory_count;
    uint64_t memory_found;
    uint32_t roots[LOUPE_MAX_INCOMING]; /* indices of roots that lead to the node itself */
    uint32_t root_count;
    uint64_t words[LOUPE_ROOT_KIND_COUNT]; /* all such roots, by kind */
    uint64_t owned_by_roots;               /* retains that these are known to own */
};

/*
 * paths avoid the node; roots are those that they were found with. Hidden edges own nothing, nor do
 * those that graph/likely_owners.h says; describer: NULL where nobody can tell of counts. Of
 * equally good roots an edge that is known to own comes first, then the shorter path.
 */
void loupe_incoming_find(const struct loupe_graph *graph, uint32_t node,
                         const struct loupe_describer *describer,
                         const struct loupe_paths_from_roots *paths,
                         const struct loupe_vector *roots, struct loupe_incoming *ret);

/* Words of variables that last, and of roots that a person named. */
uint64_t loupe_lasting_words(const struct loupe_incoming *incoming);

/*
 * Fills what stands for the holders without a path, if there are some: whether the node itself
 * keeps them, and how many references to them there are. 5 bytes a node meanwhile. LOUPE_ENOMEM.
 */
enum loupe_status loupe_incoming_examine(const struct loupe_graph *graph, uint32_t node,
                                         const struct loupe_vector *roots,
                                         const struct loupe_chunk_ops *chunks,
                                         struct loupe_incoming *incoming);

#endif
