/* incoming-refs by a walk: who holds an object, of what roots reach, and what that says of it. */
#include "questions/answering.h"

#include "edges/details/describe.h"
#include "edges/details/freed_targets.h"
#include "edges/details/object_evidence.h"
#include "edges/details/resolve_nonowning.h"
#include "edges/roots/roots.h"
#include "graph/incoming.h"
#include "report/objects/report_incoming.h"

/* The verdict, from what the report knows already and a search for what else leads to it. */
static enum loupe_status judge_object(struct loupe_answering *answering,
                                      struct loupe_incoming_answer *report,
                                      const struct loupe_roots *roots) {
    struct loupe_evidence_asked asked = {.graph = report->graph,
                                         .seed = report->seed,
                                         .roots = roots,
                                         .incoming = report->incoming,
                                         .scene = report->scene};
    struct loupe_gathered_evidence gathered;
    enum loupe_status status = loupe_object_evidence_gather(&answering->walk, &asked, &gathered);
    if (status)
        return loupe_answering_fail(answering, status);
    report->words = gathered.words;
    report->evidence = gathered.evidence;
    loupe_object_verdict_find(report->graph, report->incoming, &report->evidence, &report->verdict);
    return LOUPE_OK;
}

/* Who refers to the object asked about, if that was freed. */
static void keep_freed_slots(struct loupe_walk *walk, const struct loupe_graph *graph,
                             const struct loupe_incoming *incoming) {
    for (uint32_t i = 0; i < incoming->edge_count; i++)
        loupe_freed_target_keep(walk, graph, incoming->edges[i].from, incoming->edges[i].edge);
}

static enum loupe_status write_report(struct loupe_answering *answering,
                                      struct loupe_incoming_answer *report,
                                      const struct loupe_roots *roots) {
    enum loupe_status status = loupe_report_incoming_prepare(report);
    if (status)
        return loupe_answering_fail(answering, status);
    status = judge_object(answering, report, roots);
    if (status)
        return status;
    if (report->evidence.was_freed)
        keep_freed_slots(&answering->walk, report->graph, report->incoming);
    loupe_answering_begin_report(answering);
    loupe_report_incoming(answering->json, report);
    loupe_answering_end_graph_report(answering);
    return LOUPE_OK;
}

static enum loupe_status report_incoming(struct loupe_answering *answering,
                                         const struct loupe_roots *roots, const char *why) {
    struct loupe_graph *graph = &answering->graph;
    struct loupe_walk *walk = &answering->walk;
    struct loupe_describer describer = loupe_describe(walk);
    struct loupe_incoming incoming;
    struct loupe_filters known;
    struct loupe_paths_from_roots paths;
    enum loupe_status status = loupe_answering_apply_knowledge(answering, &known);
    if (status)
        return status;
    status = loupe_nonowning_resolve(walk, graph);
    if (!status)
        status = loupe_incoming_find(graph, answering->seed, &describer, &roots->items, &paths,
                                     &incoming);
    if (status)
        return loupe_answering_fail(answering, status);
    struct loupe_incoming_answer report = {
        .graph = graph,
        .seed = answering->seed,
        .describer = &describer,
        .known = known,
        .incoming = &incoming,
        .paths = &paths,
        .roots = &roots->items,
        .scene = &answering->scene,
        .symbols = answering->target.memory,
        .why_walked = why,
        .root_count = roots->items.count,
        .scanned = roots->scanned,
        .nonowning = answering->request.explains ? &walk->nonowning : NULL,
        .arena = &answering->target.arena};
    status = write_report(answering, &report, roots);
    loupe_paths_from_roots_deinit(&paths);
    return status;
}

enum loupe_status loupe_answer_incoming_by_walk(struct loupe_answering *answering,
                                                const char *why) {
    struct loupe_expander expander = loupe_walk_expander(&answering->walk);
    struct loupe_graph *graph = &answering->graph;
    struct loupe_roots roots;
    loupe_roots_init(&roots, &answering->target);
    enum loupe_status status = loupe_answering_take_scene(answering);
    if (!status)
        status = loupe_roots_add(&roots, &answering->walk, graph, &answering->scene);
    if (!status)
        status = loupe_graph_build(graph, answering->target.memory, &expander);
    status =
        status ? loupe_answering_fail(answering, status) : report_incoming(answering, &roots, why);
    loupe_roots_deinit(&roots);
    return status;
}
