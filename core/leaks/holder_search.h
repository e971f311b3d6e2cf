/*
 * holder_search.h - what holders.c finds in the whole heap, and shown_holders.c makes a graph of.
 */
#ifndef LOUPE_HOLDER_SEARCH_H
#define LOUPE_HOLDER_SEARCH_H

#include "analysis/shortest.h"
#include "graph/likely_owners.h"
#include "leaks/holders.h"

/* A link that leads to the node, and how good the path to its source is. */
struct loupe_link_found {
    uint32_t from, link;
    loupe_path_rank rank;
    bool is_assumed;
    const char *owns_nothing_since; /* of a ruled out one; NULL: a filter says so */
};
/* The rank of nodes without one, and that of a link from the node itself: paths go round it. */
#define LOUPE_NO_PATH UINT32_MAX

/* The first ones by their roots, then by whether they own for certain, then by their paths; of
 * equally good ones in the order of the heap. */
struct loupe_links_found {
    struct loupe_link_found items[LOUPE_MAX_INCOMING];
    uint32_t count;
    uint64_t found;
};

struct loupe_holder_search {
    const struct loupe_snapshot *snapshot;
    const struct loupe_chunk_ops *chunks;
    struct loupe_arena *arena;
    struct loupe_filters known;
    uint32_t node;
    struct loupe_columns columns; /* the snapshot's, with kinds of their own */
    uint8_t *kinds;               /* by link; what is known to own nothing is LOUPE_LINK_UNOWNED */
    struct loupe_shortest shortest;
    loupe_path_rank *ranks; /* by node */
    struct loupe_marks alive;
    struct loupe_owner_counts owners; /* of the node */
    struct loupe_links_found holders, memory, ruled_out, nonowning;
};

/* Of the snapshot's root. */
enum loupe_root_kind loupe_kind_of_root(const struct loupe_snapshot_root *root);

/* shown_holders.c: fills heap, focus, roots, paths and nonowning of *ret, and the edges of its
 * incoming references. LOUPE_ENOMEM, LOUPE_ETIMEOUT: the caller deinits *ret. */
enum loupe_status loupe_holders_show(const struct loupe_holder_search *search,
                                     struct loupe_holders *ret);

#endif
