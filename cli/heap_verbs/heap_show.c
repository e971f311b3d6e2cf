/* loupe show: what is in an object, what it holds and who refers to it. */
#include "heaps/heap_answer.h"
#include "heaps/heap_question.h"
#include "report/heaps/report_show.h"
#include "snapshot/referrers.h"

#include <stdlib.h>

enum { SHOWN_ITEMS = 30, TEXT_CAP = 160, WHOLE_TEXT_CAP = 1 << 24 };

struct show {
    const struct heap_query *query;
    const struct loupe_snapshot *snapshot;
    struct loupe_shown_object object;
    struct loupe_tracer tracer;
    struct loupe_memory_owners owners;
    struct loupe_vector referrers;
    struct loupe_shown_stacks stacks;
};

static uint32_t depth_of(const struct verb_values *options) {
    if (!options->depth)
        return 1;
    return options->depth < LOUPE_SHOW_MOST_DEPTH ? (uint32_t)options->depth
                                                  : LOUPE_SHOW_MOST_DEPTH;
}

static uint64_t limit_of(const struct verb_values *options) {
    if (options->has_limit)
        return options->limit;
    return options->whole ? 0 : SHOWN_ITEMS;
}

static int say(struct show *show) {
    struct heap_answer said;
    struct answer_report report = {.is_whole = show->query->options.whole};
    int status = heap_answer_begin(&said, show->query, false);
    if (status)
        return status;
    enum loupe_status made = loupe_report_show(&said.json, &show->object, &heap_chunks);
    return heap_answer_end(&said, &report, made);
}

static int find_and_say(struct show *show) {
    if (loupe_referrers_find(show->snapshot, show->object.node, &heap_chunks, &show->referrers,
                             &show->object.other_referrers) ||
        loupe_shown_stacks_init(&show->stacks, show->snapshot, &heap_chunks))
        return heap_ended(show->query);
    int status = say(show);
    loupe_shown_stacks_deinit(&show->stacks);
    return status;
}

static int answer(struct show *show, const struct loupe_dominators *dominators) {
    const struct verb_values *options = &show->query->options;
    show->object.tracer = &show->tracer;
    show->object.dominators = dominators;
    show->object.referrers = &show->referrers;
    show->object.stacks = &show->stacks;
    show->object.depth = depth_of(options);
    show->object.limit = limit_of(options);
    show->object.text_cap = options->whole ? WHOLE_TEXT_CAP : TEXT_CAP;
    show->object.text = malloc(show->object.text_cap);
    int status = show->object.text ? find_and_say(show) : heap_ended(show->query);
    free(show->object.text);
    return status;
}

int heap_verb_show(struct heap_query *query) {
    struct loupe_dominators dominators;
    struct show show = {.query = query, .snapshot = query->snapshot};
    int status = CLI_OK;
    if (!heap_query_object(query, query->operands[0], &show.object.node, &status))
        return status;
    if (loupe_dominators_of_heap(query->snapshot, query->policy, &heap_chunks, &dominators))
        return heap_ended(query);
    loupe_memory_owners_init(&show.owners, query->snapshot, &heap_chunks);
    show.tracer = loupe_plain_tracer(query->snapshot, query->policy);
    show.tracer.owners = &show.owners;
    loupe_vector_init(&show.referrers, &heap_chunks, sizeof(struct loupe_referrer));
    status = answer(&show, &dominators);
    loupe_vector_deinit(&show.referrers);
    loupe_memory_owners_deinit(&show.owners);
    loupe_dominators_deinit(&dominators);
    return status;
}
