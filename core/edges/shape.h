/*
 * shape.h - which words of an object hold references: what all instances of a class, or all blocks
 * of a descriptor, have in common, found out once.
 */
#ifndef LOUPE_SHAPE_H
#define LOUPE_SHAPE_H

#include "base/target/target.h"
#include "blocks/captures.h"
#include "graph/graph.h"

struct loupe_walk;

/* In the place of the node that an edge leads to, while that is not known. */
enum { LOUPE_TO_OBJECT = 0, LOUPE_TO_BYREF = 1 };

struct loupe_shape {
    /*
     * The slots, as the edges that come of them: `to` is LOUPE_TO_OBJECT, or LOUPE_TO_BYREF for the
     * storage of a __block variable. By rising offset.
     */
    const struct loupe_edge *slots;
    uint32_t slot_count;
    uint32_t extent;   /* bytes of the object up to the end of the last slot */
    uint32_t findings; /* set of 1 << enum loupe_finding: what every such object hides */
    uint32_t first_member, member_count; /* in the walk's unread members */
    uint32_t nonowning_count;
    enum loupe_memory_mode mode; /* of blocks and byrefs */
    const struct loupe_edge
        *nonowning; /* what it refers to and does not own; for walks that explain */
};

/*
 * Counts the findings and unread members for the object at address and adds the references in its
 * slots to the walk. What cannot be read is counted. LOUPE_OK unless the walk has to end.
 */
enum loupe_status loupe_shape_follow(struct loupe_walk *walk, const struct loupe_shape *shape,
                                     loupe_addr address);

/*
 * Whether references that the host has read take the place of a slot: of a guess, or of the
 * compiler's layout of a C++ object in a block or a __block variable. That one can be wrong about
 * which words are objects, not about who owns them.
 */
bool loupe_shape_is_superseded(const struct loupe_walk *walk, const struct loupe_shape *shape,
                               loupe_addr address, const struct loupe_edge *slot);

#endif
