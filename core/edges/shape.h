/*
 * shape.h - which words of an object hold references: what all instances of a class, or all blocks
 * of a descriptor, have in common, found out once.
 */
#ifndef LOUPE_SHAPE_H
#define LOUPE_SHAPE_H

#include "base/target.h"

struct loupe_walk;

struct loupe_slot {
    uint32_t offset;   /* bytes from the start of the object */
    uint32_t detail;   /* the edge source's own; goes into struct loupe_edge, as do the following */
    uint8_t kind;      /* enum loupe_edge_kind */
    uint8_t ownership; /* enum loupe_ownership */
    bool is_byref;     /* it leads to the storage of a __block variable, not to an object */
};

struct loupe_shape {
    const struct loupe_slot *slots; /* by rising offset */
    uint32_t slot_count;
    uint32_t extent;   /* bytes of the object up to the end of the last slot */
    uint32_t findings; /* set of 1 << enum loupe_finding: what every such object hides */
    uint32_t first_member, member_count; /* in the walk's unread members */
    uint32_t loose_count;
    const struct loupe_slot *loose; /* what it refers to and does not own; for walks that explain */
};

/*
 * Counts the findings and unread members for the object at address and adds the references in its
 * slots to the walk. What cannot be read is counted. LOUPE_OK unless the walk has to end.
 */
enum loupe_status loupe_shape_follow(struct loupe_walk *walk, const struct loupe_shape *shape,
                                     loupe_addr address);

#endif
