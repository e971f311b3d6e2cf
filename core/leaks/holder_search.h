/*
 * holder_search.h - what holders.c finds in the whole heap, and shown_holders.c makes a graph of.
 */
#ifndef LOUPE_HOLDER_SEARCH_H
#define LOUPE_HOLDER_SEARCH_H

#include "graph/incoming.h"
#include "leaks/holders.h"

struct loupe_holder_search {
    const struct loupe_snapshot *snapshot;
    struct loupe_arena *arena;
    struct loupe_filters known;
    uint8_t *kinds; /* by link; what is known to own nothing is LOUPE_LINK_UNOWNED */
    struct loupe_marks alive;
    struct loupe_incoming_facts facts;
    struct loupe_incoming_search links; /* over the snapshot's columns, with these kinds */
};

/* shown_holders.c: fills heap, seed, roots, paths and nonowning of *ret, and the edges of its
 * incoming references. LOUPE_ENOMEM, LOUPE_ETIMEOUT: the caller deinits *ret. */
enum loupe_status loupe_holders_show(const struct loupe_holder_search *search,
                                     struct loupe_holders *ret);

/* leaked_holders.c: whether leaks.h calls leaked what holds the node. It finds all leaks of the
 * heap. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_holders_ask_leaks(const struct loupe_holder_search *search,
                                          enum loupe_held_by_leak *ret);

#endif
