/*
 * tree.h - stacks, each kept once: a tree whose root is the outermost frame.
 *
 * Without a lock, as block_table.h. Nodes are never taken away.
 */
#ifndef LOUPE_RECORD_TREE_H
#define LOUPE_RECORD_TREE_H

#include "recorded/layout.h"

#include <stdbool.h>

/* What a thread keeps of the last stack that it recorded, since the next one is much like it. */
struct loupe_tree_memory {
    uint32_t count;
    uint32_t root;
    /* From the outermost frame inwards. */
    uint64_t frames[LOUPE_RECORD_MOST_FRAMES];
    uint32_t nodes[LOUPE_RECORD_MOST_FRAMES];
};

/* False: there is no memory. */
bool loupe_tree_init(struct loupe_record_header *header);

/*
 * The number of a stack, of at most MOST_FRAMES frames, innermost first; is_cut: frames further out
 * are missing. memory may be NULL. Never 0: where there is no memory for all of it, the frames
 * further in are left out, for which the header's count goes up.
 */
uint32_t loupe_tree_number(struct loupe_record_header *header, struct loupe_tree_memory *memory,
                           const uint64_t *frames, uint32_t count, bool is_cut);

#endif
