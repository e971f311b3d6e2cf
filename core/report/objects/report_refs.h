/*
 * report_refs.h - the answer to strong-refs: what one object holds.
 */
#ifndef LOUPE_REPORT_REFS_H
#define LOUPE_REPORT_REFS_H

#include "cycles/filters.h"
#include "graph/describer.h"
#include "base/json.h"

/*
 * "object", "objects", "edges" and "not_owned" of a frozen graph whose node `seed` alone was
 * opened. known: the filters that rule out the hidden edges. nodes: the ids of all its nodes.
 */
void loupe_report_refs(struct loupe_json *json, struct loupe_graph *graph,
                       const struct loupe_describer *describer, struct loupe_filters known,
                       uint32_t seed, const uint32_t *nodes);

/* "not_counted": what the seed refers to without owning it. */
void loupe_report_nonowning_refs(struct loupe_json *json, const struct loupe_graph *graph,
                                 const struct loupe_describer *describer,
                                 const struct loupe_nonowning_refs *nonowning);

#endif
