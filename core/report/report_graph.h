/*
 * report_graph.h - how nodes and edges are written in answers (docs/protocol.md: EDGE, "objects").
 */
#ifndef LOUPE_REPORT_GRAPH_H
#define LOUPE_REPORT_GRAPH_H

#include "cycles/filters.h"
#include "graph/describer.h"
#include "graph/graph.h"
#include "base/json.h"

/* One EDGE as a value. from is its source. */
void loupe_report_edge(struct loupe_json *json, const struct loupe_graph *graph,
                       const struct loupe_describer *describer, uint32_t from, uint32_t edge);

/* The key "invoke": where the function of a block was written. */
void loupe_report_written(struct loupe_json *json, const struct loupe_written *written);

/* The keys "edge" and "reason" of a reference that owns nothing. */
void loupe_report_nonowning(struct loupe_json *json, const struct loupe_graph *graph,
                            const struct loupe_describer *describer,
                            const struct loupe_nonowning_ref *nonowning);

/* {"edge","reason"} of a reference that one of the filters rules out, as a value. */
void loupe_report_ruled_out(struct loupe_json *json, struct loupe_graph *graph,
                            const struct loupe_describer *describer, struct loupe_filters known,
                            uint32_t from, uint32_t edge);

/* "freed_slots", if there are some: references to what was freed; and how many were met. */
void loupe_report_freed_slots(struct loupe_json *json, const struct loupe_graph *graph,
                              const struct loupe_describer *describer,
                              const struct loupe_freed_slots *slots);

/* "objects":{ADDRESS:{...}} for the given nodes, in that order; then, where the stacks that
 * allocated them were recorded, those (report_recorded.h). */
void loupe_report_objects(struct loupe_json *json, const struct loupe_graph *graph,
                          const struct loupe_describer *describer, const uint32_t *nodes,
                          uint32_t count);

#endif
