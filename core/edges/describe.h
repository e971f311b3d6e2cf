/*
 * describe.h - what the nodes and edges of a walk are called: the describer of describer.h over a
 * target.
 */
#ifndef LOUPE_DESCRIBE_H
#define LOUPE_DESCRIBE_H

#include "edges/edges.h"

/* The walk that built the graph; it must outlive the describer. */
struct loupe_describer loupe_describe(struct loupe_walk *walk);

/* What a reference that owns nothing is called, and why it owns nothing: a phrase for people. */
void loupe_loose_label(struct loupe_walk *walk, const struct loupe_graph *graph,
                       const struct loupe_loose *loose, struct loupe_edge_label *ret);
const char *loupe_loose_reason(const struct loupe_loose *loose);

#endif
