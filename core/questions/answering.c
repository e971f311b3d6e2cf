#include "questions/answering.h"

#include "edges/details/describe.h"
#include "report/report_graph.h"
#include "report/report_unread.h"
#include "runtime/abi.h"
#include "runtime/freed.h"
#include "snapshot/native.h"

/* ---- Failing ---- */

enum loupe_status loupe_answering_fail(struct loupe_answering *answering,
                                       enum loupe_status status) {
    return loupe_fail_at(&answering->error, status, answering->question->address);
}

/* ---- The walk ---- */

enum loupe_status loupe_answering_begin_walk(struct loupe_answering *answering,
                                             enum loupe_need need) {
    struct loupe_walk *walk = &answering->walk;
    loupe_graph_init(&answering->graph, answering->target.chunks, answering->limit,
                     &answering->target.findings);
    loupe_walk_init(walk, &answering->target);
    loupe_walk_believe(walk, answering->facts);
    /* Who looks for owners needs to know of what owns nothing, too. */
    walk->explains = answering->request.explains || need >= LOUPE_NEEDS_ROOTS;
    walk->unread.page_size = answering->request.listed;
    walk->unread.most_objects =
        answering->goes_on && walk->unread.page_size ? UINT32_MAX : walk->unread.page_size;
    if (need == LOUPE_NEEDS_HEAP)
        return LOUPE_OK;
    enum loupe_status status = loupe_walk_seed(walk, &answering->graph, &answering->object);
    answering->seed = loupe_graph_node_count(&answering->graph) - 1;
    return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
}

/* ---- Filters ---- */

enum loupe_status loupe_answering_filters(struct loupe_answering *answering,
                                          struct loupe_filter **ret, uint32_t *count_ret) {
    struct loupe_target *target = &answering->target;
    enum loupe_status status = loupe_filters_join(&answering->request, *target->abi->filters,
                                                  &target->arena, ret, count_ret);
    return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
}

enum loupe_status loupe_answering_apply_knowledge(struct loupe_answering *answering,
                                                  struct loupe_filters *ret) {
    struct loupe_describer describer = loupe_describe(&answering->walk);
    struct loupe_filter *filters;
    uint32_t count;
    enum loupe_status status = loupe_answering_filters(answering, &filters, &count);
    if (status)
        return status;
    count = loupe_filters_keep_knowledge(filters, count);
    uint64_t *hidden = loupe_arena_alloc_array(&answering->target.arena, count, sizeof(*hidden));
    if (!hidden)
        return loupe_answering_fail(answering, LOUPE_ENOMEM);
    *ret = (struct loupe_filters){.items = filters, .count = count};
    status = loupe_filters_apply(&answering->graph, &describer, filters, count, hidden);
    return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
}

/* ---- The scene ---- */

enum loupe_status loupe_answering_take_scene(struct loupe_answering *answering) {
    if (answering->has_scene)
        return LOUPE_OK;
    loupe_scene_init(&answering->scene, &answering->target);
    enum loupe_status status = loupe_scene_take(&answering->scene, &answering->request);
    answering->has_scene = !status;
    return status;
}

const char *loupe_answering_why_no_heap(const struct loupe_answering *answering) {
    if (answering->request.root_count)
        return "the question names the roots";
    if (answering->question->limit)
        return "the question limits how many objects are searched";
    if (answering->question->others_run)
        return "other threads may run meanwhile";
    return NULL;
}

/* ---- The answer ---- */

struct loupe_envelope loupe_answering_envelope(const struct loupe_answering *answering) {
    const struct loupe_target *target = &answering->target;
    return (struct loupe_envelope){.query = loupe_query_name(answering->question->query),
                                   .engine = answering->question->engine,
                                   .abi = target->abi ? target->abi->name : NULL,
                                   .pointer_size = target->memory->machine.pointer_size};
}

void loupe_answering_begin_report(struct loupe_answering *answering) {
    loupe_memory_begin_phase(answering->target.memory, LOUPE_PHASE_REPORT);
    struct loupe_envelope envelope = loupe_answering_envelope(answering);
    loupe_report_begin(answering->json, &envelope,
                       loupe_report_is_complete(&answering->target.findings));
}

void loupe_answering_end_report(struct loupe_answering *answering, uint64_t objects,
                                uint64_t edges) {
    struct loupe_costs costs = {.objects = objects, .edges = edges, .started = answering->started};
    loupe_report_not_followed(answering->json, &answering->target.findings);
    loupe_report_stats(answering->json, answering->target.memory, &costs);
    loupe_report_end(answering->json);
}

void loupe_answering_end_heap(struct loupe_answering *answering,
                              const struct loupe_snapshot *snapshot) {
    const struct loupe_columns *columns = &snapshot->columns;
    struct loupe_costs costs = {.objects = columns->nodes,
                                .others = snapshot->native->raw_blocks,
                                .edges = columns->first[columns->nodes],
                                .started = answering->started};
    loupe_report_stats(answering->json, answering->target.memory, &costs);
    loupe_report_end(answering->json);
}

void loupe_answering_end_graph_report(struct loupe_answering *answering) {
    const struct loupe_graph *graph = &answering->graph;
    struct loupe_describer describer = loupe_describe(&answering->walk);
    loupe_report_unread(answering->json, &answering->walk.unread);
    loupe_report_freed_slots(answering->json, graph, &describer, &answering->walk.freed);
    loupe_answering_end_report(answering, loupe_graph_node_count(graph),
                               loupe_graph_edge_count(graph));
}

void loupe_answering_report_freed(struct loupe_answering *answering) {
    struct loupe_freed freed;
    if (loupe_freed_at(&answering->target, answering->question->address, &freed))
        loupe_report_freed(answering->json, &freed);
}
