/*
 * did_you_mean.h - the name that somebody may have meant who wrote one that is not there.
 */
#ifndef LOUPE_CLI_DID_YOU_MEAN_H
#define LOUPE_CLI_DID_YOU_MEAN_H

enum { GUESS_LONGEST = 40 };

struct guess {
    const char *word;
    unsigned distance; /* of the best name so far */
    char best[GUESS_LONGEST], hint[GUESS_LONGEST + 32];
};

/* The word must stay. */
struct guess guess_of(const char *word);
/* A name that there is. */
void guess_offer(struct guess *guess, const char *name);
/* "; did you mean NAME?", or "" where no name is near. It lives as long as the guess. */
const char *guess_hint(struct guess *guess);

#endif
