/* loupe path: the ways on which roots keep an object alive. */
#include "heaps/heap_answer.h"
#include "heaps/heap_question.h"
#include "heap_questions/heap_paths.h"

enum { DEFAULT_PATHS = 1, DEFAULT_OBJECTS = 5 };

static int answer(struct heap_question *question, const struct loupe_heap_paths *paths) {
    const struct heap_query *query = question->query;
    struct loupe_shown_stacks stacks;
    struct loupe_trace_facts facts = {.stacks = &stacks};
    struct answer_report report = {
        .asked = loupe_span_of(query->options.to_class ? query->options.to_class : "")};
    struct heap_answer said;
    facts.dominators = loupe_heap_question_dominators(&question->heap);
    if (!facts.dominators || loupe_shown_stacks_init(&stacks, query->snapshot, &heap_chunks))
        return heap_ended(query);
    int status = heap_answer_begin(&said, query, !loupe_heap_paths_are_all(paths));
    if (!status) {
        loupe_report_heap_paths(&said.json, &question->heap, paths, &facts);
        status = heap_answer_end(&said, &report, LOUPE_OK);
    }
    loupe_shown_stacks_deinit(&stacks);
    return status;
}

/* -n, or --limit as all verbs have it, where 0 is all; not more than there can be. */
static uint32_t how_many(const struct verb_values *options, uint32_t unless_told, uint32_t most) {
    uint64_t wanted = options->paths ? options->paths : unless_told;
    if (!options->paths && options->has_limit)
        wanted = options->limit ? options->limit : most;
    return wanted < most ? (uint32_t)wanted : most;
}

static struct loupe_heap_paths_asked asked_of(const struct heap_query *query, uint32_t node) {
    const struct verb_values *options = &query->options;
    const struct loupe_columns *columns = &query->snapshot->columns;
    uint32_t most = options->to_class ? how_many(options, DEFAULT_OBJECTS, columns->nodes)
                                      : how_many(options, DEFAULT_PATHS, columns->root_count);
    return (struct loupe_heap_paths_asked){
        .node = node, .to_class = options->to_class, .merges = !options->each, .most = most};
}

int heap_verb_path(struct heap_query *query) {
    uint32_t node = 0;
    int status = CLI_OK;
    if (!query->options.to_class == !query->operand_count)
        return heap_fail(query, LOUPE_EUSAGE, "missing OBJECT or --to-class PATTERN");
    if (query->operand_count && !heap_query_object(query, query->operands[0], &node, &status))
        return status;
    struct heap_question question;
    status = heap_question_init(&question, query);
    if (status)
        return status;
    struct loupe_heap_paths_asked asked = asked_of(query, node);
    struct loupe_heap_paths paths;
    heap_question_search_both(&question);
    status = loupe_heap_paths_find(&paths, &question.heap, &asked) ? heap_ended(query)
                                                                   : answer(&question, &paths);
    heap_question_deinit(&question);
    return status;
}
