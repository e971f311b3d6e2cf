/* loupe retained: what would go with an object, and which objects keep the most. */
#include "heap_questions/heap_retained.h"
#include "heaps/heap_answer.h"
#include "heaps/heap_question.h"

enum { SHOWN_UNLESS_TOLD = 20 };

static int say(const struct heap_query *query, const struct loupe_heap_retained *retained) {
    struct answer_report words = {.most = retained->asked.most};
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, false);
    if (status)
        return status;
    loupe_report_heap_retained(&said.json, retained);
    return heap_answer_end(&said, &words, LOUPE_OK);
}

int heap_verb_retained(struct heap_query *query) {
    struct heap_question question;
    struct loupe_heap_retained retained;
    struct loupe_heap_retained_asked asked = {.object = LOUPE_NO_NODE,
                                              .pattern = query->options.class_pattern,
                                              .most = heap_query_most(query, SHOWN_UNLESS_TOLD)};
    int status = CLI_OK;
    if (query->operand_count && asked.pattern)
        return heap_fail(query, LOUPE_EUSAGE, "missing OBJECT or --class PATTERN");
    if (query->operand_count &&
        !heap_query_object(query, query->operands[0], &asked.object, &status))
        return status;
    status = heap_question_init(&question, query);
    if (status)
        return status;
    status = loupe_heap_retained_find(&retained, &question.heap, &asked) ? heap_ended(query)
                                                                         : say(query, &retained);
    heap_question_deinit(&question);
    return status;
}
