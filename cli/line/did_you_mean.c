#include "line/did_you_mean.h"

#include <string.h>

struct guess guess_of(const char *word) {
    struct loupe_span before_value = {word, strcspn(word, "=")};
    return (struct guess){.near = loupe_near_name_of(before_value)};
}

void guess_offer(struct guess *guess, const char *name) {
    loupe_near_name_offer(&guess->near, loupe_span_of(name));
}

const char *guess_hint(struct guess *guess) {
    guess->hint[0] = '\0';
    if (guess->near.best[0])
        loupe_format(guess->hint, sizeof(guess->hint), "; did you mean %s?", guess->near.best);
    return guess->hint;
}
