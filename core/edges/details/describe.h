/*
 * describe.h - what the nodes and edges of a walk are called: the describer of describer.h over a
 * target.
 */
#ifndef LOUPE_DESCRIBE_H
#define LOUPE_DESCRIBE_H

#include "edges/edges.h"

/* The walk that built the graph; it must outlive the describer. */
struct loupe_describer loupe_describe(struct loupe_walk *walk);

/* One reference of a node, without a graph: what the describer's label() and doubt() tell. */
enum loupe_doubt loupe_describe_reference(struct loupe_walk *walk, struct loupe_node from,
                                          const struct loupe_edge *edge,
                                          struct loupe_edge_label *ret);

/* Why a reference that owns nothing does not, a phrase for people. Static storage. */
const char *loupe_nonowning_reason(const struct loupe_edge *edge);

#endif
