/*
 * roots.h - where a walk begins that asks who holds an object: every word of a scene's sources that
 * leads to an object (scene/scene.h).
 *
 * A scan is conservative: a number that looks like the address of an object is taken for a
 * reference to it, unless the runtime knows that the word is a weak variable. One that leads to a
 * page of autoreleased objects makes roots of these.
 */
#ifndef LOUPE_ROOTS_H
#define LOUPE_ROOTS_H

#include "edges/edges.h"
#include "graph/paths_from_roots.h"
#include "scene/scene.h"

struct loupe_roots {
    struct loupe_vector items; /* of struct loupe_root, in the order of their sources */
    uint64_t scanned;          /* bytes */
    struct loupe_map pools;    /* pages of autoreleased objects that were seen */
};

void loupe_roots_init(struct loupe_roots *roots, struct loupe_target *target);
void loupe_roots_deinit(struct loupe_roots *roots);

/*
 * Adds the roots of a scene, each with the number of its source, and their objects to the graph as
 * nodes; no node may be open yet. Memory that cannot be read is counted by pages, what the graph's
 * limit or the host leaves out too. LOUPE_ENOMEM.
 */
enum loupe_status loupe_roots_add(struct loupe_roots *roots, struct loupe_walk *walk,
                                  struct loupe_graph *graph, const struct loupe_scene *scene);

#endif
