/*
 * roots.h - where a walk begins that asks who holds an object: what front ends name, and every word
 * of the memory they name that leads to an object.
 *
 *     root KIND ADDRESS      the object at ADDRESS, if there is one
 *     scan KIND START END    each aligned word from START to before END, if it leads to an object
 *     cells START END        nothing from START to before END is an object: a table of classes,
 *                            whose places look like objects; ascending, before roots they are for
 *
 * KIND is a kind of ways.h. A scan is conservative: a number that looks like the address of an
 * object is taken for a reference to it, unless the runtime knows that the word is a weak variable.
 * One that leads to a page of autoreleased objects makes roots of these.
 */
#ifndef LOUPE_ROOTS_H
#define LOUPE_ROOTS_H

#include "base/arguments.h"
#include "edges/edges.h"
#include "graph/ways.h"

#define LOUPE_MAX_SCAN (UINT64_C(1) << 32) /* bytes of one argument */

struct loupe_roots {
    struct loupe_vector items; /* of struct loupe_root, in the order in which they were named */
    uint32_t given;            /* arguments so far: the number of the next one */
    uint64_t scanned;          /* bytes */
    struct loupe_map pools;    /* pages of autoreleased objects that were seen */
    struct loupe_vector cells; /* of struct loupe_cells, ascending */
};

void loupe_roots_init(struct loupe_roots *roots, struct loupe_target *target);
void loupe_roots_deinit(struct loupe_roots *roots);

/* Whether the argument is one of the above; loupe_roots_add() then takes it. */
bool loupe_roots_means(const struct loupe_argument *argument);

/*
 * Adds the roots that an argument names, and their objects to the graph as nodes; no node may be
 * open yet. Memory that cannot be read is counted by pages, what the graph's limit or the host
 * leaves out too. LOUPE_EUSAGE when the argument makes no sense, LOUPE_ENOMEM.
 */
enum loupe_status loupe_roots_add(struct loupe_roots *roots, struct loupe_walk *walk,
                                  struct loupe_graph *graph, const struct loupe_argument *argument);

#endif
