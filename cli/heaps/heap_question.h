/*
 * heap_question.h - what verbs about paths and owners share: the question to the heap, with the
 * rules of files and those that are shipped.
 */
#ifndef LOUPE_CLI_HEAP_QUESTION_H
#define LOUPE_CLI_HEAP_QUESTION_H

#include "heap_questions/heap_question.h"
#include "heaps/heap_verb.h"

struct heap_question {
    const struct heap_query *query;
    struct loupe_heap_question heap;
};

/*
 * Reads --rules and --exclude before the shipped rules. The exit status, CLI_OK or
 * what was already said; then there is nothing to deinit.
 */
int heap_question_init(struct heap_question *question, const struct heap_query *query);
void heap_question_deinit(struct heap_question *question);

/*
 * Makes the two searches over the whole heap that take longest, dominators and shortest paths, side
 * by side in two threads: for questions that need both. What fails is asked for once more, and says
 * why. The core knows nothing of it: each search has parts of the question of its own.
 */
void heap_question_search_both(struct heap_question *question);

#endif
