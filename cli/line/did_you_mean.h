/*
 * did_you_mean.h - the verb or option that somebody may have meant who wrote one that is not there.
 */
#ifndef LOUPE_CLI_DID_YOU_MEAN_H
#define LOUPE_CLI_DID_YOU_MEAN_H

#include "base/near_name.h"

struct guess {
    struct loupe_near_name near;
    char hint[LOUPE_NEAR_NAME_LONGEST + 32];
};

/* Of a word up to its '='. It must stay. */
struct guess guess_of(const char *word);
/* A name that there is. */
void guess_offer(struct guess *guess, const char *name);
/* "; did you mean NAME?", or "" where no name is near. It lives as long as the guess. */
const char *guess_hint(struct guess *guess);

#endif
