/*
 * advice.h - what to change in the source so that a fix is made, decided here once for everybody.
 *
 * A fix is a reference that has to go (cycles/fixes.h). What a programmer writes for it depends on
 * what the reference is and on what is around it: an ivar becomes weak, unless it keeps a timer,
 * which is to be invalidated; a capture is of a copy that is weak. Sentences are made of it in
 * answers/, which decides nothing.
 */
#ifndef LOUPE_ADVICE_H
#define LOUPE_ADVICE_H

#include "cycles/cycles.h"

enum loupe_change {
    LOUPE_MAKE_WEAK,
    LOUPE_CAPTURE_WEAKLY,
    LOUPE_SET_TO_NIL,        /* when it is no longer needed */
    LOUPE_INVALIDATE,        /* the same */
    LOUPE_INVALIDATE_BEFORE, /* before its target can be freed */
    LOUPE_CANCEL,            /* what dispatch calls invalidating */
    LOUPE_FINISH,            /* what cannot be invalidated: it has to be freed first */
    LOUPE_REMOVE_ACTIONS,    /* of an undo manager: the same */
    LOUPE_REMOVE_TOKEN,      /* the observer of a notification center that calls a block */
    LOUPE_WEAK_WRAPPER,      /* between the two */
    LOUPE_WEAK_KEYS,
    LOUPE_TAKE_OUT,         /* of a collection */
    LOUPE_REMOVE_OBSERVER,  /* the same, of a collection of those who want to be told */
    LOUPE_WEAK_PTR,         /* a std::shared_ptr becomes a std::weak_ptr */
    LOUPE_CAPTURE_WEAK_PTR, /* the same of one that a closure captures */
    LOUPE_CHANGE_COUNT
};

/* "make-weak", as answers write it. */
const char *loupe_change_name(enum loupe_change change);
/* LOUPE_CHANGE_COUNT: none is called so. */
enum loupe_change loupe_change_named(struct loupe_span name);

/* One change, and the reference that it is about: the fix's own, or one that follows on its ring.
 */
struct loupe_subject {
    enum loupe_change change;
    uint32_t from, edge;
    /* What is in a collection, or in memory of a container of C++: the ivar or member on the ring
     * that has this. in_edge LOUPE_NO_EDGE: none. */
    uint32_t in_from, in_edge;
};

enum loupe_reach { LOUPE_REACHES_RING, LOUPE_REACHES_KNOT, LOUPE_REACHES_EVERYWHERE };

struct loupe_advice {
    struct loupe_subject subjects[1 + LOUPE_MAX_FIX_PARALLELS];
    uint32_t count; /* > 0: further ones are for parallel references */
    enum loupe_reach reach;
    bool unowned_name;  /* it is probably not retained as it is */
    bool only_holder;   /* something else has to keep what it leads to */
    bool frees_at_once; /* that would be freed while who refers to it goes on using it */
};

struct loupe_adviser {
    const struct loupe_graph *graph;
    const struct loupe_describer *describer;
    const struct loupe_knot_facts *knot; /* whose fixes they are */
    bool without_weak_references;        /* the runtime has none */
};

void loupe_advise(const struct loupe_adviser *adviser, const struct loupe_fix *fix,
                  struct loupe_advice *ret);

/* The reference on a ring that a change of this one is about, because it follows there: a timer's
 * target, what a __block variable holds. LOUPE_NO_EDGE: there is none. */
uint32_t loupe_advice_beyond(const struct loupe_adviser *adviser, uint32_t edge);

#endif
