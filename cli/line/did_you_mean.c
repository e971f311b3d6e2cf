/* Near names: by how many letters have to be added, left out, changed, or swapped with the next. */
#include "line/did_you_mean.h"

#include "base/text.h"

#include <string.h>

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Both are shorter than GUESS_LONGEST. Three rows of the table of all their beginnings are enough.
 */
static unsigned distance_of(const char *from, const char *to) {
    unsigned rows[3][GUESS_LONGEST + 1];
    size_t from_length = strlen(from), to_length = strlen(to);
    for (size_t j = 0; j <= to_length; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= from_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3], *second = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= to_length; j++) {
            row[j] =
                least(least(above[j], row[j - 1]) + 1, above[j - 1] + (from[i - 1] != to[j - 1]));
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                row[j] = least(row[j], second[j - 2] + 1);
        }
    }
    return rows[from_length % 3][to_length];
}

struct guess guess_of(const char *word) {
    return (struct guess){.word = word, .distance = (unsigned)strcspn(word, "=") / 3 + 1};
}

void guess_offer(struct guess *guess, const char *name) {
    char word[GUESS_LONGEST];
    size_t length = strcspn(guess->word, "=");
    if (length >= sizeof(word) || strlen(name) >= sizeof(word))
        return;
    memcpy(word, guess->word, length);
    word[length] = '\0';
    unsigned distance = distance_of(word, name);
    if (distance >= guess->distance)
        return;
    guess->distance = distance;
    loupe_format(guess->best, sizeof(guess->best), "%s", name);
}

const char *guess_hint(struct guess *guess) {
    guess->hint[0] = '\0';
    if (guess->best[0])
        loupe_format(guess->hint, sizeof(guess->hint), "; did you mean %s?", guess->best);
    return guess->hint;
}
