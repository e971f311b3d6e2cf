/*
 * heap_knots.h - which objects of a whole heap keep each other alive, and what garbage hangs on.
 *
 * A knot is a component (components.h). Knots are numbered from 0 by their lowest node.
 */
#ifndef LOUPE_HEAP_KNOTS_H
#define LOUPE_HEAP_KNOTS_H

#include "analysis/components.h"

struct loupe_heap_knots {
    const struct loupe_chunk_ops *chunks;
    uint32_t nodes;
    uint32_t *of;    /* by node: its knot, or LOUPE_NO_KNOT */
    uint32_t *first; /* by knot: its lowest node */
    uint32_t count;
};

/*
 * outside: nodes that are taken for absent; NULL: none. 4 bytes a node until
 * loupe_heap_knots_deinit(), 4 more while it runs, and 4 a knot. On failure (LOUPE_ENOMEM) there is
 * nothing to deinit.
 */
enum loupe_status loupe_heap_knots_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_marks *outside,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_heap_knots *ret);
void loupe_heap_knots_deinit(struct loupe_heap_knots *knots);

/*
 * Heads: of what nothing keeps alive, the nodes and knots that nothing else of it leads to. All the
 * rest hangs on them. Of a knot its lowest node stands for it.
 */
struct loupe_leak_roots {
    struct loupe_heap_knots knots; /* of what is not alive */
    uint32_t *nodes;               /* ascending */
    uint32_t count;
};

/*
 * alive: as loupe_reach() marks it. What each leak root keeps is told by loupe_dominators_find()
 * with the leak roots as roots and what is alive outside. Memory as for knots, and 4 bytes for
 * each.
 */
enum loupe_status loupe_leak_roots_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_marks *alive,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_leak_roots *ret);
void loupe_leak_roots_deinit(struct loupe_leak_roots *leak_roots);

#endif
