/*
 * report_leaks.h - what leaks in a whole heap, and its knots, as JSON (docs/protocol.md).
 */
#ifndef LOUPE_REPORT_LEAKS_H
#define LOUPE_REPORT_LEAKS_H

#include "leaks/leaks.h"
#include "report/objects/report_cycles.h"
#include "report/report_stacks.h"

/* Which groups of leaks, or knots, are written. */
struct loupe_heap_shown {
    const bool *is_hidden; /* by group or knot: a baseline knows it; NULL: none */
    uint32_t most;         /* 0: all */
    /* Of knots: which, and in which order; the first ones of those that are alike. NULL: all that
     * are not hidden. */
    const uint32_t *order;
    uint32_t order_count;
    bool by_stack;                          /* "by_stack", too: sums by who allocated the leaks */
    const struct loupe_known_totals *known; /* of leaks: what libraries leaked; NULL: nothing */
    /* What everybody calls the mistake that a knot of leaks shows; empty: it shows none.
     * NULL: nobody knows. */
    struct loupe_span (*mistake)(const void *ctx, const struct loupe_knot_facts *knot);
    const void *ctx;
};

/* The keys of the answer to leaks, into an object that is open. LOUPE_ENOMEM before anything is
 * written. */
enum loupe_status loupe_report_leaks(struct loupe_json *json, struct loupe_leaks *leaks,
                                     const struct loupe_leaks_options *options,
                                     const struct loupe_heap_shown *shown,
                                     struct loupe_arena *arena);

/* "objects", "knots_found", "possible_found" and "knots": those alike once, with their "count"; who
 * allocated the objects. LOUPE_ENOMEM before anything is written. */
enum loupe_status loupe_report_heap_knots(struct loupe_json *json, struct loupe_heap_graph *graph,
                                          const struct loupe_cycles_answer *answer,
                                          const struct loupe_heap_shown *shown);

#endif
