/*
 * advice.h - what to change in the source so that a reference keeps its target no longer: one
 * clause, which names the place. The only one who words it for the command line tool, its pages and
 * its reports: whoever has an edge fills in what is known of it.
 *
 * Texts are as the caller shows them: what comes from the target is to be escaped by whoever prints
 * the clause, or before.
 */
#ifndef LOUPE_ANSWERS_ADVICE_H
#define LOUPE_ANSWERS_ADVICE_H

#include "graph/graph.h"

/* One reference. No text is NULL but those that say so. */
struct loupe_advised {
    enum loupe_edge_kind kind;
    const char *path;        /* "_next", "self"; "+16" where it has no name */
    const char *owner;       /* class of the holder; "block" of any block */
    const char *held;        /* the same of what it holds */
    const char *holder;      /* which one it is: "NSMutableArray 0x1f00" */
    const char *block;       /* of a holder that is a block: "the block at PhotoCell.m:42" */
    const char *in_variable; /* of a captured __block variable: the path of what that holds on a
                                ring; or NULL */
    const char *acts_on;     /* of what is held: the class of the target that a timer or source has
                                on a ring; or NULL */
    bool held_is_block, held_is_byref, acts_on_block;
    bool is_manual; /* code that retains and releases by itself */
    bool no_weak;   /* the runtime has no weak references */
};

/* A change that takes one reference away, or several between the same two objects. */
struct loupe_advice {
    const struct loupe_advised *references;
    uint32_t count;     /* > 0 */
    bool doubtful;      /* they are probably not retained */
    bool only_holder;   /* nothing else keeps what they hold */
    bool frees_at_once; /* nor would who holds it, which is in use, do so any longer */
};

/* Writes the clause, cut to cap bytes with its NUL (cap > 0), and returns its length. */
size_t loupe_word_advice(const struct loupe_advice *advice, char *dst, size_t cap);

/* The kind of that name as answers write it ("ivar"); "block" is what a source acts by: a target.
 * LOUPE_EDGE_KIND_COUNT: there is none. */
enum loupe_edge_kind loupe_advised_kind(struct loupe_span name);

#endif
