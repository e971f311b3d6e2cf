/*
 * filters.h - references that are known to close rings which are nobody's bug.
 *
 * Frameworks hold some objects in rings on purpose and break them themselves; and where a runtime
 * keeps no ownership, they have ivars that are documented to retain nothing. A filter names such a
 * reference by class and path; the graph keeps it, but no search follows it. How many references
 * each filter hid stands in the answer, so that nothing is dropped in silence.
 */
#ifndef LOUPE_FILTERS_H
#define LOUPE_FILTERS_H

#include "base/arguments.h"
#include "graph/describer.h"

/*
 * To hide one more reference, add a line to loupe_standard_filters[] in filters.c, or to
 * loupe_gnustep_filters[] in filters_gnustep.c. A project has its own in arguments:
 *
 *     filter CLASS PATH TARGET REASON    "*" stands for any class, path or target
 *     no-filters                         none of the standard ones
 *
 * NULL stands for any. Classes match instances of subclasses too.
 */
struct loupe_filter {
    const char *source; /* class */
    const char *path;   /* as labels write it */
    const char *target; /* class */
    const char *reason; /* what a person reads */
    bool owns_nothing;  /* matches assumed references alone, and they become LOUPE_DISOWNED */
};

extern const struct loupe_filter loupe_standard_filters[]; /* Apple's frameworks */
extern const uint32_t loupe_standard_filter_count;
extern const struct loupe_filter loupe_gnustep_filters[]; /* GNUstep's libraries */
extern const uint32_t loupe_gnustep_filter_count;

struct loupe_filters {
    const struct loupe_filter *items;
    uint32_t count;
};

/* The standard ones for the libraries that a runtime is there for, by its name (abi.h). */
struct loupe_filters loupe_filters_of(const char *abi);

/* Whether the argument is one of the above. */
bool loupe_filters_mean(const struct loupe_argument *argument);

/*
 * The filters of all arguments (NULL: none), then the standard ones given, in the arena.
 * LOUPE_EUSAGE for a filter that makes no sense, LOUPE_ENOMEM.
 */
enum loupe_status loupe_filters_read(const char *arguments, struct loupe_filters others,
                                     struct loupe_arena *arena, struct loupe_filter **ret,
                                     uint32_t *count_ret);

/*
 * Sets loupe_edge.hidden of every edge that a filter matches. hidden_ret[i] becomes the count of
 * those that filter i was the first to match. Filters look at paths only where the source's class
 * has one of theirs.
 */
enum loupe_status loupe_filters_apply(struct loupe_graph *graph,
                                      const struct loupe_describer *describer,
                                      const struct loupe_filter *filters, uint32_t count,
                                      uint64_t *hidden_ret);

/*
 * For questions that are not about rings: keeps of the filters those that say what owns nothing, in
 * place, which is knowledge about the target and no wish. Returns how many there are.
 */
uint32_t loupe_filters_keep_knowledge(struct loupe_filter *filters, uint32_t count);

/* Why the edge of a node that a filter made LOUPE_DISOWNED owns nothing; NULL: it was none of them.
 */
const char *loupe_filters_reason(struct loupe_graph *graph, const struct loupe_describer *describer,
                                 const struct loupe_filter *filters, uint32_t count, uint32_t from,
                                 uint32_t edge);

#endif
