/*
 * preorder.h - the reachable nodes of a heap in the order of a depth-first search, and the links
 * that tell about dominators: the ground that both algorithms of dominators.h stand on.
 *
 * Reachable nodes get numbers from 1 as they are entered; 0 stands for all roots together. In
 * these numbers the search tree, its ancestors and all later tables are walked nearly in sequence.
 */
#ifndef LOUPE_PREORDER_H
#define LOUPE_PREORDER_H

#include "analysis/reach.h"

struct loupe_preorder {
    const struct loupe_chunk_ops *chunks;
    loupe_stop stop;  /* of the columns */
    uint32_t nodes;   /* of the columns: what the arrays have room for */
    uint32_t reached; /* numbers go from 1 to this one */
    uint32_t *node;   /* by number: the node */
    /*
     * The search tree in two bits a node: for each number in turn, a zero for each step upwards
     * from the number before it to its parent, and a one. See loupe_preorder_parents().
     */
    uint64_t *tree;
    /*
     * By number: the lowest number that leads here directly and is an ancestor in the tree, 0 for
     * roots. The first half of a semidominator.
     */
    uint32_t *semi;
    /*
     * By number, and one more: where its predecessors begin. Only those with a higher number are
     * kept, and none of roots; all lower ones are ancestors, and in `semi`.
     */
    uint32_t *first;
    uint32_t *predecessors; /* numbers */
    uint32_t *scratch;      /* of the same size, with anything in it: for what comes next */
    uint32_t predecessor_count;
};

/*
 * outside: nodes that are taken for absent; NULL: none.
 * 16.25 bytes a node, and 4 for each link that leads from a higher number to a lower one that is no
 * root; another 1/8 a node while it runs. On failure (LOUPE_ENOMEM) there is nothing to deinit.
 */
enum loupe_status loupe_preorder_find(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                      const struct loupe_marks *outside,
                                      const struct loupe_chunk_ops *chunks,
                                      struct loupe_preorder *ret);
/* By number, from 0: from where it was entered; 0: it is a root. In sequence, and fast. */
void loupe_preorder_parents(const struct loupe_preorder *order, uint32_t *parent);
/* When nobody asks for parents any more. */
void loupe_preorder_forget_tree(struct loupe_preorder *order);
void loupe_preorder_deinit(struct loupe_preorder *order);

#endif
