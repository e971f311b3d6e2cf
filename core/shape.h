/*
 * shape.h - which words of an object hold references: what all instances of a class, or all blocks
 * of a descriptor, have in common, found out once.
 */
#ifndef LOUPE_SHAPE_H
#define LOUPE_SHAPE_H

#include "target.h"

struct loupe_walk;

struct loupe_slot {
    uint32_t offset; /* bytes from the start of the object */
    uint32_t detail; /* the edge source's own; goes into struct loupe_edge */
};

struct loupe_shape {
    const struct loupe_slot *slots; /* by rising offset */
    uint32_t slot_count;
    uint32_t extent;   /* bytes of the object up to the end of the last slot */
    uint32_t findings; /* set of 1 << enum loupe_finding: what every such object hides */
};

/*
 * Counts the findings for the object at address, reads its slots and calls visit for each word that
 * is not 0. What cannot be read is counted. Ends with the first failure of visit.
 */
enum loupe_status
loupe_shape_visit(struct loupe_walk *walk, const struct loupe_shape *shape, loupe_addr address,
                  enum loupe_status (*visit)(struct loupe_walk *walk, loupe_addr address,
                                             const struct loupe_slot *slot, uint64_t word));

#endif
