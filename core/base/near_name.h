/*
 * near_name.h - which of some names somebody may have meant who wrote one that is not there.
 */
#ifndef LOUPE_NEAR_NAME_H
#define LOUPE_NEAR_NAME_H

#include "base/text.h"

/* Longer words and names, in bytes, are near to none. */
enum { LOUPE_NEAR_NAME_LONGEST = 39 };

struct loupe_near_name {
    struct loupe_span word;
    unsigned distance; /* one that is as far is not near enough: of the best name so far */
    char best[LOUPE_NEAR_NAME_LONGEST + 1]; /* or "" */
};

/* The word must stay. */
struct loupe_near_name loupe_near_name_of(struct loupe_span word);
/* A name that there is. */
void loupe_near_name_offer(struct loupe_near_name *near, struct loupe_span name);

#endif
