/*
 * fixes.h - which reference to make weak.
 *
 * A fix is a hop of one of the shown rings. If its removal leaves no ring it breaks the *knot*,
 * else it breaks only that *ring*. Where something outside keeps members of the knot of the seed
 * (verdict.h, struct loupe_release), breaking a ring is not enough: a fix counts if afterwards a
 * goal goes. Nobody said of another knot that something of it should go while its owner is there:
 * there it is enough that no ring is left. This is the one place that ranks fixes. Best first:
 *
 *  1. what a programmer can change, before ivars of system libraries
 *  2. what is known to be a mistake: a block's capture, a reference that is meant to be weak by its
 *     name (delegate, dataSource, parent, owner, target), by its name in such a class (a view's
 *     controller) or since its holder is associated with what it leads to, or is in a collection of
 *     that, or since it is in a collection of observers, or since it has an undo manager, whose
 * actions lead back; unless it is assumed, and retain counts are too small for all that was found:
 * then its name says that it owns nothing
 *  3. what lets a goal go, before what leaves them to an anchor
 *  4. others before blocks, collections and timers in ivars, which nothing else keeps as a rule
 *  5. others before what would free an object at once that those outside still use: the only holder
 *     of what a member keeps while something outside keeps that member
 *  6. what breaks the knot, alone or as an ivar in all instances of its class, or as all observers
 *     of a class
 *  7. ivars whose object has other owners, before those that would lose it at once
 *  8. others before members of collections, which are there to be kept
 *  9. references that are likely to own, before assumed ones whose names say that they do not
 * 10. single references, before parallel ones that would all have to be weak
 * 11. a block's capture of self or of its owner; then by name; then by name in such a class; then
 *     other captures; then of items; then the others in the order of the rings
 *
 * Each fix was checked by taking it away and searching again.
 */
#ifndef LOUPE_FIXES_H
#define LOUPE_FIXES_H

#include "cycles/rings/more_rings.h"
#include "cycles/knots/verdict.h"

enum {
    LOUPE_MAX_FIXES = 32,        /* fixes of one knot */
    LOUPE_MAX_FIX_REASON = 96,   /* bytes with the NUL */
    LOUPE_MAX_FIX_PARALLELS = 8, /* further references of one fix */
    LOUPE_MAX_FIX_IVARS = 64,    /* ivars, and classes of observers, that are tried everywhere */
    LOUPE_MAX_FIX_CANDIDATES = 256
};

enum loupe_freeing { LOUPE_FREES_UNKNOWN, LOUPE_FREES_NOT, LOUPE_FREES };

struct loupe_fix {
    uint32_t from, edge;
    uint32_t parallels[LOUPE_MAX_FIX_PARALLELS]; /* from and to the same objects as edge */
    uint32_t parallel_count;                     /* may exceed the array */
    bool breaks_knot;                            /* else only the ring it was found on */
    /* The same for the ivar in all instances of its class, or all observers of a class in one
     * collection, if that was tried. */
    bool tried_everywhere, breaks_everywhere;
    /* Whether a goal goes, an ivar being taken away from all instances if that was tried. */
    enum loupe_freeing frees;
    uint32_t kept_by; /* if not: an anchor that still leads to one; or LOUPE_NO_NODE */
    bool practicable; /* not an ivar that a system library declares */
    bool mistake;     /* known to be one, see 2. above */
    bool together;    /* one of those that break all rings that were tried, where the best does not
                         break the knot: for each ring the best, unless one of them does already */
    /* Of an ivar or association: its object would go at once if it were weak, unless that is wanted
     * because the best fix of a knot that nobody uses, or one of those needed together, is a
     * mistake; and while something outside
     * keeps who refers to it. */
    bool only_holder, frees_at_once;
    /* Assumed, its name says that it owns nothing, and retain counts speak against the ring: it is
     * probably not retained as it is. Where they do not, the name tells what the mistake is. */
    bool doubtful;
    char reason[LOUPE_MAX_FIX_REASON];
};

/* Whether nothing else has to be changed: a goal goes, or, where nobody said what should, no ring
 * is left. */
static inline bool loupe_fix_is_enough(const struct loupe_fix *fix, bool knot_has_seed) {
    bool breaks = fix->breaks_knot || fix->breaks_everywhere;
    return fix->frees == LOUPE_FREES ||
           (fix->frees == LOUPE_FREES_UNKNOWN && breaks && !knot_has_seed);
}

struct loupe_fixes {
    struct loupe_fix *items; /* in the arena */
    uint32_t count;
    uint32_t left_out;        /* further hops of the rings, beyond the limits above */
    bool together_are_enough; /* those that are `together` leave no ring at all */
};

/* Whether an ivar's path is one of a collection of those who want to be told: "_observers". */
bool loupe_is_named_like_audience(const char *path);

/* Fixes for the rings of a knot, of which the first is its first one. ring_count > 0. */
enum loupe_status loupe_fixes_find(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                   const struct loupe_verdict *verdict,
                                   const struct loupe_ring *rings, uint32_t ring_count,
                                   struct loupe_fixes *ret);

/* Keeps, of the rings that fixes were found for, the first and those that the ones needed together
 * for those before do not break: what each leaves behind. At most `most`. */
void loupe_fixes_keep_rings(const struct loupe_graph *graph, const struct loupe_fixes *fixes,
                            uint32_t most, struct loupe_rings *rings);

#endif
