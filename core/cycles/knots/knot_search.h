/*
 * knot_search.h - room for searches inside one knot, without memory of their own.
 *
 * A search marks the knot's nodes in loupe_knots.knot_of itself and queues them. The queue is a
 * small buffer, or for more nodes than fit the knot's own list of members, which
 * loupe_search_end() then writes anew; so even a search through a knot that is the whole heap costs
 * no byte per node. One search at a time: from begin to end nothing else may look at the knots.
 *
 * The state of a node is the knot's number until the search marks it, then LOUPE_MARKED,
 * LOUPE_ON_RING and 30 bits of the search's own.
 */
#ifndef LOUPE_KNOT_SEARCH_H
#define LOUPE_KNOT_SEARCH_H

#include "base/target/memory.h"
#include "cycles/knots/knots.h"

#define LOUPE_MARKED      0x80000000u
#define LOUPE_ON_RING     0x40000000u
#define LOUPE_STATE_VALUE 0x3fffffffu
#define LOUPE_ALL_MEMBERS UINT32_MAX

struct loupe_search {
    struct loupe_knots *knots;
    const struct loupe_graph *graph;
    uint32_t *buffer;
    uint32_t buffer_size;
    struct loupe_knot knot;     /* the one that is searched */
    uint32_t *queue;            /* room for as many nodes as begin was told */
    uint32_t lowest, highest;   /* the knot's members lie between these, inclusive */
    bool strong_only;           /* follow no assumed edges */
    struct loupe_memory *clock; /* tells when to end; NULL: never */
};

enum loupe_status loupe_search_init(struct loupe_search *search, struct loupe_knots *knots);
void loupe_search_deinit(struct loupe_search *search);

/* visits: an upper bound of the nodes that will be queued; the knot's count bounds it anyway. */
void loupe_search_begin(struct loupe_search *search, const struct loupe_knot *knot,
                        uint32_t visits);
/* marked: the nodes that are marked are the first so many of the queue, or LOUPE_ALL_MEMBERS. */
void loupe_search_end(struct loupe_search *search, uint32_t marked);

/* Whether what is not needed for an answer is to be left out now. */
static inline bool loupe_search_is_late(const struct loupe_search *search) {
    return search->clock && loupe_memory_interrupted(search->clock);
}

static inline uint32_t *loupe_search_state(const struct loupe_search *search, uint32_t node) {
    return &search->knots->knot_of[node];
}

/* Whether a search follows this edge of a member: it stays inside the knot and is not hidden. */
static inline bool loupe_search_follows(const struct loupe_search *search, uint32_t edge) {
    if (loupe_graph_is_hidden(search->graph, edge))
        return false;
    uint32_t state = search->knots->knot_of[loupe_graph_target(search->graph, edge)];
    return (state == search->knot.number || (state & LOUPE_MARKED)) &&
           (!search->strong_only || loupe_graph_is_strong(search->graph, edge));
}

#endif
