/*
 * more_rings.h - further rings of a knot, when more than one is asked for.
 *
 * Two rings are different when they visit different objects or visit them in another order;
 * parallel references between two objects are one way to go. A knot of n objects can have more
 * rings than there is time for, so two ways are taken:
 *
 *  - In a knot of at most LOUPE_SMALL_KNOT edges, all rings of one length after the other, shortest
 *    first, until there are enough or LOUPE_ENUMERATION_VISITS edges were looked at (in all knots
 * of a question together).
 *  - Else, and when that was not enough time: rings through references that are on no ring yet, so
 *    that each ring shows something new. Searches have the limits of rings.h.
 */
#ifndef LOUPE_MORE_RINGS_H
#define LOUPE_MORE_RINGS_H

#include "cycles/rings/rings.h"

enum {
    LOUPE_SMALL_KNOT = 4096,
    LOUPE_MAX_RINGS = 4096 /* of one knot, whatever is asked for */
};

struct loupe_rings {
    struct loupe_ring *items; /* in the arena: the first ring, then by length */
    uint32_t count;
    bool all; /* the knot has no other rings */
};

/*
 * At most max_rings rings of the knot (0 counts as 1). The first is that of loupe_rings_first();
 * those that follow it are sorted by length, and those of the first way then by names and by
 * addresses.
 */
enum loupe_status loupe_rings_find(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                   uint32_t max_rings, struct loupe_rings *ret);

#endif
