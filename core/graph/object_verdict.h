/*
 * object_verdict.h - whether one object is held, leaked or released too often, from its retain
 * count, the references that were found to it, and the words that lead to it.
 *
 * A count tells how many owe a release; a reference that is known to own is one of them. One that
 * is assumed to may be, and so may each other word that leads to the object. So more owners than
 * retains is one release too many, and more retains than there are references and words together is
 * one too few: nobody is left that could give it back.
 */
#ifndef LOUPE_OBJECT_VERDICT_H
#define LOUPE_OBJECT_VERDICT_H

#include "graph/describer.h"
#include "graph/incoming.h"

#include <stddef.h>

enum loupe_object_verdict_kind {
    LOUPE_OBJECT_UNCLEAR,
    LOUPE_OBJECT_HELD,
    LOUPE_OBJECT_LEAKED,
    LOUPE_OBJECT_OVER_RELEASED
};

/* "unknown", "held", "leaked", "over-released". Static storage. */
const char *loupe_object_verdict_name(enum loupe_object_verdict_kind kind);

/* What the leaks of a whole heap have to do with an object. */
enum loupe_held_by_leak {
    LOUPE_HELD_BY_NO_LEAK,
    LOUPE_IN_LEAKED_KNOT,
    LOUPE_BELOW_LEAK /* a leak alone keeps it */
};

/* What a verdict is made of. */
struct loupe_object_evidence {
    enum loupe_retain_count known;
    uint64_t retains;
    bool was_freed;       /* a mark says that it was, for certain */
    bool only_looks_like; /* an object: it stands where no instance can have been allocated */
    bool is_lost;         /* nothing that is alive leads to it */
    enum loupe_held_by_leak leak; /* where loupe_object_may_be_below_leak() */
    bool searched;                /* all writable memory was, for words that lead to it */
    uint64_t other_words;         /* found by that: neither in references nor roots */
    uint64_t freed_words;         /* and in memory that was given back, where they own nothing */
    uint64_t searched_bytes;
};

enum { LOUPE_SHOWN_WORDS = 10 };

/* The first of other_words, to be shown. */
struct loupe_object_words {
    loupe_addr examples[LOUPE_SHOWN_WORDS];
    uint32_t example_count;
    bool was_searched; /* as far as it was possible */
};

enum { LOUPE_MAX_VERDICT = 320 };

struct loupe_object_verdict {
    enum loupe_object_verdict_kind kind;
    char reason[LOUPE_MAX_VERDICT]; /* a phrase for people that goes on "leaked: " */
};

/* Whether there are more retains than references and roots that may own them, so that a search for
 * other words can tell more. */
bool loupe_object_needs_search(const struct loupe_incoming *incoming,
                               const struct loupe_object_evidence *evidence);

/* Whether its holders leave the verdict to what the whole heap says of them: a leak may hold it. */
bool loupe_object_may_be_below_leak(const struct loupe_incoming *incoming,
                                    const struct loupe_object_evidence *evidence,
                                    const struct loupe_object_verdict *verdict);

/* incoming was examined. */
void loupe_object_verdict_find(const struct loupe_graph *graph,
                               const struct loupe_incoming *incoming,
                               const struct loupe_object_evidence *evidence,
                               struct loupe_object_verdict *ret);

#endif
