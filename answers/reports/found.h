/*
 * found.h - how many retain cycles were found, in words.
 */
#ifndef LOUPE_ANSWERS_FOUND_H
#define LOUPE_ANSWERS_FOUND_H

#include "answers/lines.h"

/* Retain cycles that a baseline does not know; those beyond what is described count too. */
struct answer_found {
    uint64_t certain, possible;
    uint64_t described, leaked, held; /* the last two of the certain ones */
    bool is_new;                      /* others were known before */
};

/* Onto the line: "2 retain cycles (1 leaked) and 4 possible"; "No new retain cycle". */
void answer_say_how_many_found(struct answer_lines *lines, const struct answer_found *found);

#endif
