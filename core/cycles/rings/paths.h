/*
 * paths.h - shortest ways inside a knot, from one object to another or around to itself.
 *
 * A breadth-first search finds how long the shortest way is; of all ways of that length the one is
 * chosen whose edges have the least fingerprints, and of those with the same ones the one with the
 * lowest addresses, so that neither the order of edges nor (but for names that are all the same)
 * addresses decide what is shown.
 */
#ifndef LOUPE_PATHS_H
#define LOUPE_PATHS_H

#include "cycles/knots/fingerprint.h"
#include "cycles/knots/knot_search.h"

enum { LOUPE_ENUMERATION_VISITS = 1 << 26 };

/* What the searches for rings in one question share. */
struct loupe_ring_finder {
    const struct loupe_graph *graph;
    const struct loupe_describer *describer;
    struct loupe_arena *arena; /* owns what is found */
    uint32_t seed;             /* the node that is asked about; 0 unless it is set */
    struct loupe_search search;
    struct loupe_knot_namer namer;
    struct loupe_path_choice *choice;
    uint64_t enumeration_left; /* of LOUPE_ENUMERATION_VISITS; see more_rings.h */
    uint32_t counted;          /* number of the knot whose edges were counted last */
    struct loupe_knot_edges edges;
};

/*
 * The knots stay the caller's; while a search runs it uses them as its memory. The finder must not
 * move.
 */
enum loupe_status loupe_ring_finder_init(struct loupe_ring_finder *finder,
                                         struct loupe_knots *knots,
                                         const struct loupe_describer *describer,
                                         struct loupe_arena *arena);
void loupe_ring_finder_deinit(struct loupe_ring_finder *finder);

/* loupe_knot_count_edges(), once for all who ask about the same knot in turn. */
struct loupe_knot_edges loupe_ring_finder_edges(struct loupe_ring_finder *finder,
                                                const struct loupe_knot *knot);

/* A ring through start when goal is start, else a way from start to goal; both are members. */
struct loupe_path_query {
    uint32_t start, goal;
    uint32_t max_length; /* edges */
    uint64_t visits;     /* edges to be looked at */
};

enum loupe_path_outcome {
    LOUPE_PATH_FOUND,
    LOUPE_PATH_NONE, /* there is no way of max_length edges or less */
    LOUPE_PATH_CUT   /* nothing found with so many visits */
};

struct loupe_path {
    uint32_t *edges; /* in the arena; NULL when it was only measured */
    uint32_t length;
    uint64_t visited; /* edges looked at, also when nothing was found */
};

/* How long a shortest way is. */
enum loupe_path_outcome loupe_path_measure(struct loupe_ring_finder *finder,
                                           const struct loupe_knot *knot,
                                           const struct loupe_path_query *query,
                                           struct loupe_path *ret);

/* A shortest way with its edges. LOUPE_ENOMEM, else *outcome_ret says what *ret is. */
enum loupe_status loupe_path_find(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                  const struct loupe_path_query *query,
                                  enum loupe_path_outcome *outcome_ret, struct loupe_path *ret);

#endif
