/* loupe heap: a heap by classes, or by what they belong to. */
#include "draw/heap_drawing.h"
#include "heap_questions/heap_classes.h"
#include "heaps/heap_answer.h"

enum { SHOWN_UNLESS_TOLD = 30 };

static int say(const struct heap_query *query, const struct loupe_heap_classes *classes) {
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, false);
    if (status)
        return status;
    loupe_report_heap_classes(&said.json, classes);
    return heap_answer_end(&said, NULL, LOUPE_OK);
}

/* The exit status. */
static int read_options(const struct heap_query *query, struct loupe_heap_classes_asked *ret) {
    const struct verb_values *options = &query->options;
    *ret = (struct loupe_heap_classes_asked){.in_groups = options->by,
                                             .pattern = options->class_pattern,
                                             .most = heap_query_shown(query, SHOWN_UNLESS_TOLD)};
    if (options->sort && !loupe_class_order_named(options->sort, &ret->order))
        return cli_fail(CLI_NONSENSE, "heap", "--sort takes count, size or retained, not '%s'",
                        cli_printable(loupe_span_of(options->sort)));
    if (options->by && !loupe_class_grouping_named(options->by, &ret->grouping))
        return cli_fail(CLI_NONSENSE, "heap", "--by takes package, loader or superclass, not '%s'",
                        cli_printable(loupe_span_of(options->by)));
    return CLI_OK;
}

int heap_verb_heap(struct heap_query *query) {
    struct loupe_heap_classes_asked asked;
    struct loupe_heap_classes classes;
    int status = read_options(query, &asked);
    if (status)
        return status;
    if (query->options.html || query->options.dot) {
        status = heap_draw_whole(query);
        if (status || !query->options.json)
            return status;
    }
    if (loupe_heap_classes_find(&classes, query->snapshot, query->policy, &asked, &heap_chunks))
        return heap_ended(query);
    status = say(query, &classes);
    loupe_heap_classes_deinit(&classes);
    return status;
}
