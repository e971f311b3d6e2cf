/* loupe threads: stacks with the objects that their frames have, and what these keep alive. */
#include "heap_questions/heap_threads.h"
#include "heaps/heap_answer.h"

enum { SHOWN_UNLESS_TOLD = 20 };

static int say(const struct heap_query *query, const struct loupe_heap_threads *threads) {
    uint32_t most = heap_query_shown(query, SHOWN_UNLESS_TOLD);
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, false);
    if (status)
        return status;
    loupe_report_heap_threads(&said.json, threads, most);
    return heap_answer_end(&said, NULL, LOUPE_OK);
}

int heap_verb_threads(struct heap_query *query) {
    struct loupe_heap_question question;
    struct loupe_heap_threads threads;
    loupe_heap_question_init(&question, query->snapshot, query->policy, &heap_chunks);
    int status =
        loupe_heap_threads_find(&threads, &question) ? heap_ended(query) : say(query, &threads);
    loupe_heap_question_deinit(&question);
    return status;
}
