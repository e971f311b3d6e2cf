/*
 * components.h - which nodes reach each other: strongly connected components with more than one
 * node, or whose node has a link to itself. Others are none.
 *
 * Tarjan's algorithm finds all of them in one pass over nodes and links, without a limit of depth.
 * They are numbered from 0 by their lowest node.
 */
#ifndef LOUPE_COMPONENTS_H
#define LOUPE_COMPONENTS_H

#include "analysis/reach.h"

#define LOUPE_NO_KNOT 0x3fffffffu

struct loupe_components {
    uint32_t *of; /* by node: its component, or LOUPE_NO_KNOT; loupe_numbers_put() gives it back */
    uint32_t count;
    uint32_t members; /* nodes that are in one */
};

/*
 * kinds: of links; of a walk strong ones, and perhaps assumed ones.
 * outside: nodes that are taken for absent; NULL: none. 4 bytes a node, 4 more while it runs, or 4
 * a component. LOUPE_ENOMEM, LOUPE_ETIMEOUT.
 */
enum loupe_status loupe_components_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_marks *outside,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_components *ret);

#endif
