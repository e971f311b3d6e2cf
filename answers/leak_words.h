/*
 * leak_words.h - how sure it is that something leaked, and why, as the end of a leak's first line.
 */
#ifndef LOUPE_ANSWERS_LEAK_WORDS_H
#define LOUPE_ANSWERS_LEAK_WORDS_H

#include "cycles/knots/degree.h"

#include <stddef.h>

struct answer_leak_facts {
    enum loupe_degree degree;
    bool is_pointed_to; /* unowned: by more than stack and register values */
    bool only_by_leaks; /* lost: other leaks point to it, and freeing them would not free it */
    uint32_t missing;   /* releases of each */
    bool is_each;       /* of several that are equal */
};

enum { ANSWER_LONGEST_VERDICT = 160 };

/* "unreachable: a release is missing", cut to cap bytes with its NUL (cap > 0); its length. */
size_t answer_leak_verdict(const struct answer_leak_facts *facts, char *dst, size_t cap);

/* Of a cycle that nothing leads to and that counts so many retains more than there are references:
 * nobody could still give them back. Cut as above; without an end of the sentence. */
size_t answer_missing_besides_cycle(uint64_t retains, char *dst, size_t cap);

#endif
