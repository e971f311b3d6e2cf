/*
 * report_refs.h - the answer to strong-refs: what one object holds.
 */
#ifndef LOUPE_REPORT_REFS_H
#define LOUPE_REPORT_REFS_H

#include "graph/describer.h"
#include "base/json.h"

/*
 * "object", "objects" and "edges" of a sealed graph whose node 0 alone was opened. nodes: the ids
 * of all its nodes.
 */
void loupe_report_refs(struct loupe_json *json, const struct loupe_graph *graph,
                       const struct loupe_describer *describer, const uint32_t *nodes);

#endif
