/*
 * describe.h - what the nodes and edges of a walk are called: the describer of describer.h over a
 * target.
 */
#ifndef LOUPE_DESCRIBE_H
#define LOUPE_DESCRIBE_H

#include "edges/edges.h"

/* The walk that built the graph; it must outlive the describer. */
struct loupe_describer loupe_describe(struct loupe_walk *walk);

#endif
