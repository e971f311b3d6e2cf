/*
 * likely_owners.h - which of the references that are assumed to own an object own nothing, by what
 * is known of its others.
 *
 * Where as many references are known to own it as it has retains, no other one does. An ivar that
 * its class's own -dealloc never touches is no owner where others are left that can own all
 * retains: known ones, likely ones, and words of variables that last.
 */
#ifndef LOUPE_LIKELY_OWNERS_H
#define LOUPE_LIKELY_OWNERS_H

#include "graph/describer.h"

struct loupe_owner_counts {
    enum loupe_retain_count known;
    uint64_t retains; /* where known is LOUPE_COUNT_KNOWN */
    uint64_t certain; /* references and roots that are known to own it, but shared ones */
    uint64_t likely;  /* assumed ones that nothing speaks against */
    uint64_t words;   /* of variables that last, which may own it */
};

/* Adds a reference that leads to the object. */
void loupe_owner_counts_add(struct loupe_owner_counts *counts, bool is_assumed, bool is_shared,
                            enum loupe_doubt doubt);

/* Why an assumed reference owns nothing, for people: static storage. NULL: it may own it. */
const char *loupe_owns_nothing_since(const struct loupe_owner_counts *counts,
                                     enum loupe_doubt doubt);

/* "the -dealloc of its class never touches it" and so on; NULL where there is no doubt. */
const char *loupe_doubt_text(enum loupe_doubt doubt);

#endif
