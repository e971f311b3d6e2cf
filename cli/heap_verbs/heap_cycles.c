/* loupe cycles: the knots of a whole heap of Java, by their shapes. */
#include "heaps/heap_answer.h"
#include "heaps/heap_question.h"
#include "heaps/opened/heap_target.h"
#include "heap_questions/cycles/cycles_by_shape.h"
#include "heap_verbs/native_cycles.h"

enum { SHOWN_UNLESS_TOLD = 20 };

static int answer_with(const struct heap_query *query, struct loupe_knot_shapes *shapes) {
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, false);
    if (status)
        return status;
    loupe_report_cycles_by_shape(&said.json, shapes, heap_query_most(query, SHOWN_UNLESS_TOLD));
    return heap_answer_end(&said, NULL, LOUPE_OK);
}

int heap_verb_cycles(struct heap_query *query) {
    struct heap_question question;
    uint32_t only = LOUPE_NO_NODE;
    int status = CLI_OK;
    if (query->operand_count && !heap_query_object(query, query->operands[0], &only, &status))
        return status;
    if (query->snapshot->native)
        return native_cycles_answer(query, only);
    status = heap_question_init(&question, query);
    if (status)
        return status;
    struct loupe_knot_shapes shapes;
    status = loupe_knot_shapes_find(&shapes, &question.heap.tracer, &heap_chunks, only)
                 ? heap_ended(query)
                 : answer_with(query, &shapes);
    loupe_knot_shapes_deinit(&shapes);
    heap_question_deinit(&question);
    return status;
}

int heap_verb_cycles_on_target(struct heap_query *query) {
    return heap_target_ask(query, "retain-cycles", query->operands[0]);
}
