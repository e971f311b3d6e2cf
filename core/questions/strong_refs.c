/* strong-refs: what one object keeps alive. */
#include "questions/answering.h"

#include "edges/details/describe.h"
#include "edges/details/freed_targets.h"
#include "edges/details/resolve_nonowning.h"
#include "report/objects/report_refs.h"

static enum loupe_status expand_seed(struct loupe_walk *walk, struct loupe_graph *graph,
                                     loupe_addr object) {
    struct loupe_expander expander = loupe_walk_expander(walk);
    enum loupe_status status = expander.expand(expander.ctx, graph);
    if (status == LOUPE_ETIMEOUT) {
        loupe_findings_add(graph->findings, LOUPE_FINDING_INTERRUPTED, object);
        status = LOUPE_OK;
    }
    if (!status)
        status = loupe_nonowning_add_targets(walk, graph);
    enum loupe_status frozen = loupe_graph_freeze(graph);
    return status ? status : frozen;
}

static uint32_t *all_nodes(struct loupe_target *target, const struct loupe_graph *graph) {
    uint32_t count = loupe_graph_node_count(graph);
    uint32_t *nodes = loupe_arena_alloc_array(&target->arena, count, sizeof(*nodes));
    for (uint32_t i = 0; nodes && i < count; i++)
        nodes[i] = i;
    return nodes;
}

enum loupe_status loupe_answer_strong_refs(struct loupe_answering *answering) {
    struct loupe_walk *walk = &answering->walk;
    struct loupe_graph *graph = &answering->graph;
    enum loupe_status status = expand_seed(walk, graph, answering->object.address);
    uint32_t *nodes = status ? NULL : all_nodes(&answering->target, graph);
    if (!nodes)
        return loupe_answering_fail(answering, status ? status : LOUPE_ENOMEM);
    struct loupe_describer describer = loupe_describe(walk);
    struct loupe_filters known;
    status = loupe_answering_apply_knowledge(answering, &known);
    if (status)
        return status;
    loupe_freed_targets_keep(walk, graph, answering->seed);
    loupe_answering_begin_report(answering);
    loupe_report_refs(answering->json, graph, &describer, known, answering->seed, nodes);
    if (walk->explains)
        loupe_report_nonowning_refs(answering->json, graph, &describer, &walk->nonowning);
    loupe_answering_end_graph_report(answering);
    return LOUPE_OK;
}
