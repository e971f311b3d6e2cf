/*
 * verdict_words.h - what degrees and verdicts are called: the only words for them, of every output.
 */
#ifndef LOUPE_ANSWERS_VERDICT_WORDS_H
#define LOUPE_ANSWERS_VERDICT_WORDS_H

#include "answers/json_tree.h"
#include "cycles/knots/degree.h"

/* Of a leak, by the name of its degree: "unreachable", "leaked", "held only by its timer". Empty:
 * of none. */
struct loupe_span answer_degree_word(struct loupe_span degree);
/* The same as a sentence: "leaked: outside pointers remain, but none retains it". Empty: there is
 * none. */
struct loupe_span answer_degree_sentence(struct loupe_span degree);
/* Of a cycle, by its verdict: "leaked: nothing outside the cycle retains it". The verdict where
 * there is no sentence. */
struct loupe_span answer_verdict_sentence(struct loupe_span verdict);

/* How grave a knot or a leak of an answer is: as it says, or of older answers by its degree. */
enum loupe_severity answer_severity(const struct json_value *finding, struct loupe_span verdict,
                                    bool certain);

#endif
