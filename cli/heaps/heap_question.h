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

#endif
