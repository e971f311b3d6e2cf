/*
 * known_mistakes.h - which mistake that everybody makes a knot or a path of a heap shows
 * (patterns.h).
 */
#ifndef LOUPE_KNOWN_MISTAKES_H
#define LOUPE_KNOWN_MISTAKES_H

#include "cycles/cycles.h"
#include "leaks/heap_graph.h"
#include "mistakes/patterns.h"
#include "snapshot/rules/trace.h"

/* NULL: its rings that are there show none that is known. */
const struct loupe_pattern *loupe_known_mistake_of_knot(const struct loupe_patterns *patterns,
                                                        const struct loupe_heap_graph *graph,
                                                        const struct loupe_knot_facts *knot);
/* Its name for report_leaks.h, empty where there is none. ctx: a struct loupe_mistakes_of_knots. */
struct loupe_mistakes_of_knots {
    const struct loupe_patterns *patterns;
    const struct loupe_heap_graph *graph;
};
struct loupe_span loupe_name_mistake_of_knot(const void *ctx, const struct loupe_knot_facts *knot);
/* By the end of the path: what collects is near to what it collects. */
const struct loupe_pattern *loupe_known_mistake_of_trace(const struct loupe_patterns *patterns,
                                                         const struct loupe_snapshot *snapshot,
                                                         const struct loupe_trace *trace);
/* The same of what grows, where a variable that the path begins with is a reference as well. */
const struct loupe_pattern *loupe_known_mistake_of_growth(const struct loupe_patterns *patterns,
                                                          const struct loupe_snapshot *snapshot,
                                                          const struct loupe_trace *trace);

#endif
