/*
 * filters.h - references that are known to close rings which are nobody's bug.
 *
 * Frameworks hold some objects in rings on purpose and break them themselves. A filter names such a
 * reference by class and path; the graph keeps it, but no search follows it. How many references
 * each filter hid stands in the answer, so that nothing is dropped in silence.
 */
#ifndef LOUPE_FILTERS_H
#define LOUPE_FILTERS_H

#include "graph/describer.h"

enum { LOUPE_MAX_FILTERS = 255 };

/*
 * To hide one more reference, add a line to loupe_standard_filters[] in filters.c.
 * NULL stands for any. Classes match instances of subclasses too.
 */
struct loupe_filter {
    const char *source; /* class */
    const char *path;   /* as labels write it */
    const char *target; /* class */
    const char *reason; /* what a person reads */
};

extern const struct loupe_filter loupe_standard_filters[];
extern const uint32_t loupe_standard_filter_count;

/*
 * Sets loupe_edge.hidden of every edge that a filter matches to the number (from 1) of the first
 * one that does. hidden_ret[i] becomes the count of filter i's edges. count <= LOUPE_MAX_FILTERS.
 * Filters look at paths only where the source's class has one of theirs.
 */
enum loupe_status loupe_filters_apply(struct loupe_graph *graph,
                                      const struct loupe_describer *describer,
                                      const struct loupe_filter *filters, uint32_t count,
                                      uint64_t *hidden_ret);

#endif
