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

#include "graph/describer.h"
#include "request/request.h"

/* The filters of a request, then the standard ones given unless it leaves them out, in the arena.
 * LOUPE_ENOMEM. */
enum loupe_status loupe_filters_join(const struct loupe_request *request,
                                     struct loupe_filters others, struct loupe_arena *arena,
                                     struct loupe_filter **ret, uint32_t *count_ret);

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
