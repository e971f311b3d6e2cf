/*
 * resolve_nonowning.h - the references that a walk with `explains` set kept although they keep
 * nothing alive: which nodes they lead to.
 */
#ifndef LOUPE_RESOLVE_NONOWNING_H
#define LOUPE_RESOLVE_NONOWNING_H

#include "edges/edges.h"

/*
 * Fills in where references lead to nodes of the graph; the others keep LOUPE_NO_NODE. Once the
 * graph is whole. LOUPE_ENOMEM.
 */
enum loupe_status loupe_nonowning_resolve(struct loupe_walk *walk, const struct loupe_graph *graph);

/*
 * Adds the objects that they lead to as nodes, as far as there are valid ones; before the graph is
 * frozen. LOUPE_ENOMEM.
 */
enum loupe_status loupe_nonowning_add_targets(struct loupe_walk *walk, struct loupe_graph *graph);

#endif
