/*
 * dissolve.h - what is left of a knot when references are taken away.
 *
 * A *hop* is a step of a ring from one object to the next, with all parallel references between the
 * two: taking away one of two parallel ones changes nothing.
 */
#ifndef LOUPE_DISSOLVE_H
#define LOUPE_DISSOLVE_H

#include "cycles/knots/knot_search.h"
#include "cycles/rings/rings.h"
#include "cycles/knots/verdict.h"

/*
 * Whether no ring is left in the knot once all references from one member to another are gone; with
 * both LOUPE_NO_NODE, as the knot is. Follows search->strong_only. One pass over the knot's edges.
 */
bool loupe_knot_is_acyclic_without(struct loupe_search *search, const struct loupe_knot *knot,
                                   uint32_t from, uint32_t to);

/* The same once all references are gone that one change takes away: loupe_go_together(). */
bool loupe_knot_is_acyclic_without_alike(struct loupe_search *search, const struct loupe_knot *knot,
                                         uint32_t from, uint32_t edge);

/* A reference of a member taken away, with those parallel to it. */
struct loupe_removal {
    uint32_t from, edge;
    bool everywhere; /* all that go together with it, too */
};

/* Whether no ring is left once several are. */
bool loupe_knot_is_acyclic_without_all(struct loupe_search *search, const struct loupe_knot *knot,
                                       const struct loupe_removal *removals, uint32_t count);

/* Whether a goal goes then: neither an anchor nor a ring that is left leads to it. */
bool loupe_knot_lets_go(struct loupe_search *search, const struct loupe_knot *knot,
                        const struct loupe_removal *removal, const struct loupe_release *release);
/* If none goes: an anchor that leads to a goal or has its place; LOUPE_NO_NODE: none does. */
uint32_t loupe_knot_anchor_left(struct loupe_search *search, const struct loupe_knot *knot,
                                const struct loupe_removal *removal,
                                const struct loupe_release *release);

/*
 * Whether one change of the source takes two edges away: the same ivar in all instances of a class,
 * what an expander told of both being alike and the tags of their sources; and members of one
 * collection that are of one class, and are taken out by it.
 */
bool loupe_go_together(const struct loupe_graph *graph, uint32_t from_a, uint32_t edge_a,
                       uint32_t from_b, uint32_t edge_b);

/*
 * Sets dissolves[i] for each hop of a ring of the knot: whether every ring of the knot takes it.
 * No other hop of the knot can have that property. Six passes over the knot's edges at most. Room
 * for the ring's length comes from the arena; LOUPE_ENOMEM leaves dissolves undefined.
 */
enum loupe_status loupe_knot_dissolving_hops(struct loupe_search *search,
                                             const struct loupe_knot *knot,
                                             const struct loupe_ring *ring,
                                             struct loupe_arena *arena, bool *dissolves);

#endif
