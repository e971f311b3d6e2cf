/* loupe find: the instances of classes by name. */
#include "heap_questions/instances.h"
#include "heaps/heap_answer.h"

enum { SHOWN_UNLESS_TOLD = 30 };

static int say(const struct heap_query *query, const struct loupe_instances *instances) {
    struct answer_report words = {.asked = loupe_span_of(query->operands[0])};
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, false);
    return status ? status
                  : heap_answer_end(&said, &words, loupe_report_instances(&said.json, instances));
}

int heap_verb_find(struct heap_query *query) {
    struct loupe_heap_question question;
    struct loupe_instances instances;
    struct loupe_instances_asked asked = {.pattern = query->operands[0],
                                          .subclasses = query->options.subclasses,
                                          .most = heap_query_most(query, SHOWN_UNLESS_TOLD)};
    loupe_heap_question_init(&question, query->snapshot, query->policy, &heap_chunks);
    int status = loupe_instances_find(&instances, &question, &asked) ? heap_ended(query)
                                                                     : say(query, &instances);
    loupe_heap_question_deinit(&question);
    return status;
}
