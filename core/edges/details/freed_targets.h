/*
 * freed_targets.h - references to objects that were freed and read as well as ever: malloc has
 * their memory among its free chunks, but their isa is still there.
 *
 * To tell that of an object takes a few dozen reads, so a walk does not ask it of all. It is asked
 * of the references that an answer shows.
 */
#ifndef LOUPE_FREED_TARGETS_H
#define LOUPE_FREED_TARGETS_H

#include "edges/edges.h"

/* Keeps the edge of a node among walk->freed, or counts it there, if it leads to a freed object,
 * for certain. */
void loupe_freed_target_keep(struct loupe_walk *walk, const struct loupe_graph *graph,
                             uint32_t from, uint32_t edge);

/* All edges of the node. */
void loupe_freed_targets_keep(struct loupe_walk *walk, const struct loupe_graph *graph,
                              uint32_t node);

#endif
