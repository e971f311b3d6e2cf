/*
 * timers.h - what a run loop keeps, and whether a knot lives by that alone.
 */
#ifndef LOUPE_TIMERS_H
#define LOUPE_TIMERS_H

#include "cycles/knots/verdict.h"

/* Whether it is a timer, which a run loop keeps until it is invalidated. */
bool loupe_is_timer(const struct loupe_graph *graph, const struct loupe_describer *describer,
                    uint32_t node);

/* Whether all that keeps the members of a knot from outside keeps timers among them, as far as a
 * walk tells. seed: the node that is asked about, or LOUPE_NO_NODE. */
bool loupe_is_held_by_timers(const struct loupe_graph *graph,
                             const struct loupe_describer *describer,
                             const struct loupe_verdict *verdict, uint32_t seed);

#endif
