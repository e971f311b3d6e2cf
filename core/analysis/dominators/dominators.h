/*
 * dominators.h - who alone keeps what alive.
 *
 * A node *dominates* another when every way from the roots to the other leads through it; the
 * nearest one that does is its *immediate dominator*. The bytes *retained* by a node are its own
 * and those of all that it dominates: what would be freed if it were gone.
 *
 * Of nodes, and of a whole heap. What goes with a reference of a knot, as a fix wants to know, no
 * dominator tells: cycles/dissolve.h looks for rings that are left without it.
 */
#ifndef LOUPE_DOMINATORS_H
#define LOUPE_DOMINATORS_H

#include "analysis/dominators/preorder.h"

enum loupe_dominator_method {
    /*
     * The fastest on real heaps and quadratic on some, as a long list whose end leads to much that
     * its beginning leads to as well. It gives up there, and the other one is taken.
     */
    LOUPE_SEMI_NCA_GUARDED,
    LOUPE_SEMI_NCA, /* whatever it takes */
    LOUPE_LENGAUER_TARJAN,
};

struct loupe_dominators {
    const struct loupe_chunk_ops *chunks;
    uint32_t nodes, reached;
    /*
     * By node. Equal to `nodes`: only the roots together dominate it. LOUPE_NO_NODE: it is not
     * reachable.
     */
    uint32_t *immediate;
    uint64_t *retained; /* by node: bytes; 0 for what is not reachable */
    uint32_t *counts; /* by node: nodes retained, itself among them; 0 for what is not reachable */
    /* By node: of those retained, what is counted apart (histogram.h); NULL: nothing. */
    uint32_t *others;
    const struct loupe_chunk_ops *others_chunks;
    bool fell_back; /* from Semi-NCA to Lengauer-Tarjan */
};

struct loupe_dominator_options {
    loupe_link_kinds kinds;
    const struct loupe_marks *outside; /* nodes that are taken for absent; NULL: none */
    enum loupe_dominator_method method;
};

/*
 * 16.4 bytes a node and 4 a link that leads backwards while it runs (36.4 where it falls back), at
 * least 20 a node in the end, of which 16 stay until loupe_dominators_deinit(). On failure
 * (LOUPE_ENOMEM) there is nothing to deinit.
 */
enum loupe_status loupe_dominators_find(const struct loupe_columns *columns,
                                        const struct loupe_dominator_options *options,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_dominators *ret);
/*
 * As a policy has it: what is alive by it, and what owns what of that. Another 1/8 byte a node, and
 * 4 a root where garbage owns.
 */
enum loupe_status loupe_dominators_by_policy(const struct loupe_columns *columns,
                                             const struct loupe_link_policy *policy,
                                             const struct loupe_chunk_ops *chunks,
                                             struct loupe_dominators *ret);
/* Of the nodes that a node retains, those that are counted apart. */
static inline uint32_t loupe_dominators_others(const struct loupe_dominators *dominators,
                                               uint32_t node) {
    return dominators->others ? dominators->others[node] : 0;
}

void loupe_dominators_deinit(struct loupe_dominators *dominators);

#endif
