/*
 * known_mistakes.h - which mistake that everybody makes a ring or a path shows
 * (pictures/patterns.h), of heaps that are told as text.
 */
#ifndef LOUPE_CLI_KNOWN_MISTAKES_H
#define LOUPE_CLI_KNOWN_MISTAKES_H

#include "cycles/cycles.h"
#include "leaks/heap_graph.h"
#include "pictures/patterns.h"
#include "snapshot/trace.h"

/* Those that come with loupe, in an arena; none when there is no memory. */
struct patterns known_mistakes(struct loupe_arena *arena);

/* NULL: it shows none that is known. */
const struct pattern *known_mistake_of_knot(const struct patterns *patterns,
                                            const struct loupe_heap_graph *graph,
                                            const struct loupe_knot_facts *knot);
/* By the end of the path: what collects is near to what it collects. */
const struct pattern *known_mistake_of_trace(const struct patterns *patterns,
                                             const struct loupe_tracer *tracer,
                                             const struct loupe_trace *trace);

/* "  Known mistake: NAME" as a line; nothing for NULL. */
void show_known_mistake(const struct pattern *pattern);

#endif
