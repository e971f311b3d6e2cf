/*
 * fixes.h - which reference to make weak.
 *
 * A fix is a hop of one of the shown rings. If its removal leaves no ring it breaks the *knot*,
 * else it breaks only that *ring*. Best first: what breaks the knot; single references before
 * parallel ones that would all have to be weak; then a block's capture of self or of its owner,
 * then references that are usually meant to be weak by their name (delegate, dataSource, parent,
 * owner, target), then the others in the order of the rings.
 *
 * Each fix was checked by taking it away and searching again.
 */
#ifndef LOUPE_FIXES_H
#define LOUPE_FIXES_H

#include "cycles/rings.h"

enum {
    LOUPE_MAX_FIXES = 32,        /* fixes of one knot */
    LOUPE_MAX_FIX_REASON = 96,   /* bytes with the NUL */
    LOUPE_MAX_FIX_PARALLELS = 8, /* further references of one fix */
    LOUPE_MAX_FIX_IVARS = 16,    /* ivars that are tried everywhere */
    LOUPE_MAX_FIX_CANDIDATES = 256
};

struct loupe_fix {
    uint32_t from, edge;
    uint32_t parallels[LOUPE_MAX_FIX_PARALLELS]; /* from and to the same objects as edge */
    uint32_t parallel_count;                     /* may exceed the array */
    bool breaks_knot;                            /* else only the ring it was found on */
    /* The same for the ivar in all instances of its class, if that was tried. */
    bool tried_everywhere, breaks_everywhere;
    char reason[LOUPE_MAX_FIX_REASON];
};

struct loupe_fixes {
    struct loupe_fix *items; /* in the arena */
    uint32_t count;
    uint32_t left_out; /* further hops of the rings, beyond the limits above */
};

/* Fixes for the rings of a knot, of which the first is its first one. ring_count > 0. */
enum loupe_status loupe_fixes_find(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                   const struct loupe_ring *rings, uint32_t ring_count,
                                   struct loupe_fixes *ret);

#endif
