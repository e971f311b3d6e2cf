/*
 * lost_knots.h - knots of a whole heap that nothing alive leads to.
 *
 * Retain counts leave some verdicts open: of references that are only assumed to own, or where more
 * of them were found than are counted. Where the whole heap was read, no such knot is in doubt
 * that no root leads to: it is leaked.
 */
#ifndef LOUPE_LOST_KNOTS_H
#define LOUPE_LOST_KNOTS_H

#include "cycles/cycles.h"
#include "leaks/heap_graph.h"

/* `alive`: nodes of the snapshot that are reached from its roots. Knots with members that are never
 * freed stay in doubt, and what lost objects hold stays held by them. */
void loupe_judge_lost_knots(const struct loupe_heap_graph *graph, const struct loupe_marks *alive,
                            struct loupe_cycles *cycles);
/* The same, and finds out what is alive, if there is a doubt. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_find_lost_knots(const struct loupe_heap_graph *graph,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_cycles *cycles);

#endif
