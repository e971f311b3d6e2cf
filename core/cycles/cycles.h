/*
 * cycles.h - everything that is said about the knots of one graph, worked out.
 */
#ifndef LOUPE_CYCLES_H
#define LOUPE_CYCLES_H

#include "cycles/knots/ruled_out.h"
#include "cycles/filters.h"
#include "cycles/fixes.h"
#include "cycles/rings/more_rings.h"
#include "cycles/knots/verdict.h"

/* Knots that are described one by one, unless options say another number; further ones are counted.
 */
enum { LOUPE_MAX_SHOWN_KNOTS = 10000 };

struct loupe_cycles_options {
    uint32_t seed;      /* the node that is asked about: it should go; LOUPE_NO_NODE: none is */
    uint32_t max_rings; /* shown, per knot; 0: one */
    uint32_t max_rings_left; /* the same for a knot that its best fix leaves rings in; 0: no more */
    bool only_counts;        /* no knot is described, all are counted */
    bool judges_timers;      /* of a walk, where no whole heap tells what only a timer keeps */
    bool alike_once;    /* of knots with one fingerprint and verdict only the first gets rings and
                           fixes */
    uint32_t max_knots; /* that are described; 0: LOUPE_MAX_SHOWN_KNOTS */
    const struct loupe_filter *filters;
    uint32_t filter_count;
    struct loupe_memory *clock; /* whose limit ends the search; NULL: nothing does */
};

struct loupe_knot_facts {
    uint64_t fingerprint;
    uint64_t older_fingerprint; /* in older baselines, which knew nothing of what blocks run */
    uint32_t lowest;            /* node */
    uint32_t alike; /* the knot like it that has rings and fixes: this one, unless only the first
                       gets any */
    uint32_t objects;
    uint64_t edges; /* inside, hidden ones not counted */
    bool contains_seed;
    bool certain; /* there is a ring of strong references only */
    struct loupe_verdict verdict;
    bool is_timed; /* only a timer of it keeps it: of a whole heap leaks/leaks.h says that */
    struct loupe_rings rings;
    struct loupe_fixes fixes;
};

struct loupe_cycles {
    struct loupe_knot_facts *knots;   /* by lowest node */
    uint32_t knot_count;              /* described */
    uint32_t knots_found;             /* all of them */
    uint32_t possible_found;          /* of these: those not known to be certain */
    uint64_t *hidden;                 /* by filter: edges that it hid */
    struct loupe_ruled_out ruled_out; /* edges that own nothing, besides those of filters */
    uint32_t cut_short;               /* knots that the limit left out, whole or in part */
};

/* What a run loop holds by a timer alone is held, whatever the counts leave open. */
static inline void loupe_knot_set_timed(struct loupe_knot_facts *knot) {
    knot->is_timed = true;
    knot->verdict.kind = LOUPE_HELD;
    knot->verdict.reason = LOUPE_VERDICT_CLEAR;
    knot->verdict.example = LOUPE_NO_NODE;
}

/*
 * Analyses a frozen graph: sets loupe_edge.hidden, then finds knots and all that belongs to them.
 * Results are in the arena. Needs 8 bytes a node besides, which are given back.
 */
enum loupe_status loupe_cycles_find(struct loupe_graph *graph,
                                    const struct loupe_describer *describer,
                                    const struct loupe_cycles_options *options,
                                    struct loupe_arena *arena, struct loupe_cycles *ret);

#endif
