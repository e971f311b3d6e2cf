#include "loupe.h"

#include "base/directives.h"
#include "runtime/abi.h"
#include "runtime/freed.h"
#include "edges/describe.h"
#include "edges/edges.h"
#include "edges/resolve_loose.h"
#include "edges/surroundings.h"
#include "edges/object_evidence.h"
#include "edges/roots.h"
#include "graph/graph.h"
#include "graph/incoming.h"
#include "report/report.h"
#include "report/report_block.h"
#include "report/report_cycles.h"
#include "report/report_graph.h"
#include "report/report_incoming.h"
#include "report/report_ivars.h"
#include "report/report_refs.h"
#include "report/report_unread.h"

#include <string.h>

/* ---- Names of the questions ---- */

static const char *const query_names[LOUPE_QUERY_COUNT] = {
    [LOUPE_QUERY_BLOCK_LAYOUT] = "block-layout",   [LOUPE_QUERY_IVAR_LAYOUT] = "ivar-layout",
    [LOUPE_QUERY_STRONG_REFS] = "strong-refs",     [LOUPE_QUERY_RETAIN_CYCLES] = "retain-cycles",
    [LOUPE_QUERY_INCOMING_REFS] = "incoming-refs",
};

const char *loupe_query_name(enum loupe_query query) {
    return (unsigned)query < LOUPE_QUERY_COUNT ? query_names[query] : "unknown";
}

bool loupe_query_named(const char *name, enum loupe_query *ret) {
    for (unsigned i = 0; i < LOUPE_QUERY_COUNT; i++) {
        if (strcmp(name, query_names[i]) == 0) {
            *ret = (enum loupe_query)i;
            return true;
        }
    }
    return false;
}

/* ---- One question ---- */

static const char word_for_explaining[] = "explain", word_for_stack[] = "stack-pointer",
                  word_for_searching[] = "search";

static bool has_directive(const struct loupe_question *question, const char *word) {
    const char *cursor = question->directives ? question->directives : "";
    struct loupe_directive directive;
    while (loupe_directive_next(&cursor, &directive)) {
        if (loupe_span_equals(directive.word, word))
            return true;
    }
    return false;
}

struct answer {
    const struct loupe_question *question;
    struct loupe_target target;
    uint64_t started; /* loupe_report_clock() */
    struct loupe_json *json;
    struct loupe_error error;
};

static struct loupe_envelope envelope_of(const struct answer *answer) {
    return (struct loupe_envelope){.query = loupe_query_name(answer->question->query),
                                   .engine = answer->question->engine,
                                   .abi = answer->target.abi ? answer->target.abi->name : NULL,
                                   .pointer_size = answer->target.memory->machine.pointer_size};
}

static void begin_report(struct answer *answer) {
    loupe_memory_begin_phase(answer->target.memory, LOUPE_PHASE_REPORT);
    struct loupe_envelope envelope = envelope_of(answer);
    loupe_report_begin(answer->json, &envelope, loupe_report_is_complete(&answer->target.findings));
}

static void end_report(struct answer *answer, uint64_t objects, uint64_t edges) {
    struct loupe_costs costs = {.objects = objects, .edges = edges, .started = answer->started};
    loupe_report_not_followed(answer->json, &answer->target.findings);
    loupe_report_stats(answer->json, answer->target.memory, &costs);
    loupe_report_end(answer->json);
}

static enum loupe_status fail(struct answer *answer, enum loupe_status status) {
    return loupe_fail_at(&answer->error, status, answer->question->address);
}

static enum loupe_status refuse_directive(struct answer *answer, const char *why,
                                          const struct loupe_directive *directive) {
    enum { MOST_SHOWN = 80 };
    int shown = directive->text.length > MOST_SHOWN ? MOST_SHOWN : (int)directive->text.length;
    return loupe_fail(&answer->error, LOUPE_EUSAGE, 0, "a directive %s: %.*s", why, shown,
                      directive->text.bytes);
}

/* An address inside of an object is no object, but it is not without meaning. */
static void say_where_it_is(struct answer *answer) {
    struct loupe_target *target = &answer->target;
    loupe_addr address = answer->question->address;
    struct loupe_surroundings around;
    struct loupe_freed freed;
    if ((loupe_freed_at(target, address, &freed) && freed.certain) ||
        !loupe_surroundings_find(target, address, &around))
        return;
    bool is_block = loupe_object_kind(&around.object) == LOUPE_NODE_BLOCK;
    loupe_fail(&answer->error, LOUPE_ENOTOBJECT, address,
               "0x%llx is not an object: it is %u bytes into the %s 0x%llx%s%s",
               (unsigned long long)address, around.offset,
               is_block ? "block" : around.object.cls->name,
               (unsigned long long)around.object.address, around.path[0] == '+' ? "" : ", at ",
               around.path[0] == '+' ? "" : around.path);
}

/* The object that the question is about. */
static enum loupe_status find_object(struct answer *answer, struct loupe_object *ret) {
    enum loupe_status status = loupe_abi_detect(&answer->target, &answer->error);
    if (status)
        return status;
    status = loupe_object_at(&answer->target, answer->question->address, ret, &answer->error);
    if (status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT)
        say_where_it_is(answer);
    return status;
}

/* Of the object that the question is about, in answers that do not list objects. */
static void report_freed(struct answer *answer) {
    struct loupe_freed freed;
    if (loupe_freed_at(&answer->target, answer->question->address, &freed))
        loupe_report_freed(answer->json, &freed);
}

/* ---- Filters ---- */

static enum loupe_status read_filters(struct answer *answer, struct loupe_filter **ret,
                                      uint32_t *count_ret) {
    enum loupe_status status =
        loupe_filters_read(answer->question->directives, loupe_filters_of(answer->target.abi->name),
                           &answer->target.arena, ret, count_ret);
    if (status == LOUPE_EUSAGE)
        return loupe_fail(
            &answer->error, status, 0,
            "a filter that makes no sense: it takes a class, a path, a target and a reason");
    return status ? fail(answer, status) : LOUPE_OK;
}

/* Disowns what the libraries of the target are known not to retain, by the filters in *ret. */
static enum loupe_status apply_knowledge(struct answer *answer, struct loupe_walk *walk,
                                         struct loupe_graph *graph, struct loupe_filters *ret) {
    struct loupe_describer describer = loupe_describe(walk);
    struct loupe_filter *filters;
    uint32_t count;
    enum loupe_status status = read_filters(answer, &filters, &count);
    if (status)
        return status;
    count = loupe_filters_keep_knowledge(filters, count);
    uint64_t *hidden = loupe_arena_alloc_array(&answer->target.arena, count, sizeof(*hidden));
    if (!hidden)
        return fail(answer, LOUPE_ENOMEM);
    *ret = (struct loupe_filters){.items = filters, .count = count};
    status = loupe_filters_apply(graph, &describer, filters, count, hidden);
    return status ? fail(answer, status) : LOUPE_OK;
}

/* ---- strong-refs ---- */

static enum loupe_status expand_seed(struct loupe_walk *walk, struct loupe_graph *graph) {
    struct loupe_expander expander = loupe_walk_expander(walk);
    enum loupe_status status = expander.expand(expander.ctx, graph);
    if (status == LOUPE_ETIMEOUT) {
        loupe_findings_add(graph->findings, LOUPE_FINDING_INTERRUPTED,
                           loupe_graph_address(graph, 0));
        status = LOUPE_OK;
    }
    if (!status)
        status = loupe_loose_add_targets(walk, graph);
    loupe_graph_seal(graph);
    return status;
}

static uint32_t *all_nodes(struct loupe_target *target, const struct loupe_graph *graph) {
    uint32_t count = loupe_graph_node_count(graph);
    uint32_t *nodes = loupe_arena_alloc_array(&target->arena, count, sizeof(*nodes));
    for (uint32_t i = 0; nodes && i < count; i++)
        nodes[i] = i;
    return nodes;
}

static void end_graph_report(struct answer *answer, struct loupe_walk *walk,
                             const struct loupe_graph *graph) {
    loupe_report_unread(answer->json, &walk->unread);
    loupe_report_freed_slots(answer->json, graph, walk);
    end_report(answer, loupe_graph_node_count(graph), loupe_graph_edge_count(graph));
}

static enum loupe_status answer_strong_refs(struct answer *answer, struct loupe_walk *walk,
                                            struct loupe_graph *graph) {
    enum loupe_status status = expand_seed(walk, graph);
    uint32_t *nodes = status ? NULL : all_nodes(&answer->target, graph);
    if (!nodes)
        return fail(answer, status ? status : LOUPE_ENOMEM);
    struct loupe_describer describer = loupe_describe(walk);
    struct loupe_filters known;
    status = apply_knowledge(answer, walk, graph, &known);
    if (status)
        return status;
    begin_report(answer);
    loupe_report_refs(answer->json, graph, &describer, known, nodes);
    if (walk->explains)
        loupe_report_loose_refs(answer->json, graph, walk);
    end_graph_report(answer, walk, graph);
    return LOUPE_OK;
}

/* ---- retain-cycles ---- */

static void count(const struct answer *answer, const struct loupe_cycles *cycles) {
    struct loupe_tally *tally = answer->question->tally;
    if (!tally)
        return;
    *tally = (struct loupe_tally){.complete = loupe_report_is_complete(&answer->target.findings)};
    for (uint32_t i = 0; i < cycles->knot_count; i++)
        tally->certain_knots += cycles->knots[i].certain;
}

static enum loupe_status find_weak_rings(struct loupe_walk *walk, const struct loupe_graph *graph,
                                         struct loupe_weak_rings *ret) {
    enum loupe_status status = loupe_loose_resolve(walk, graph);
    return status ? status : loupe_weak_rings_find(graph, &walk->loose, &walk->target->arena, ret);
}

static enum loupe_status answer_retain_cycles(struct answer *answer, struct loupe_walk *walk,
                                              struct loupe_graph *graph) {
    struct loupe_target *target = &answer->target;
    struct loupe_expander expander = loupe_walk_expander(walk);
    struct loupe_describer describer = loupe_describe(walk);
    struct loupe_cycles_options options = {.max_rings = answer->question->max_rings,
                                           .clock = target->memory};
    struct loupe_weak_rings weak_rings;
    struct loupe_cycles cycles;
    struct loupe_filter *filters;
    enum loupe_status status = read_filters(answer, &filters, &options.filter_count);
    if (status)
        return status;
    options.filters = filters;
    status = loupe_graph_build(graph, target->memory, &expander);
    uint64_t walked = loupe_report_clock(target->memory);
    if (!status)
        status = loupe_cycles_find(graph, &describer, &options, &target->arena, &cycles);
    if (!status && walk->explains)
        status = find_weak_rings(walk, graph, &weak_rings);
    if (status)
        return fail(answer, status);
    for (uint32_t i = 0; i < cycles.cut_short; i++)
        loupe_findings_add(&target->findings, LOUPE_FINDING_SEARCH, answer->question->address);
    loupe_memory_begin_phase(target->memory, LOUPE_PHASE_REPORT);
    count(answer, &cycles);
    struct loupe_envelope envelope = envelope_of(answer);
    struct loupe_cycles_answer report = {.envelope = &envelope,
                                         .graph = graph,
                                         .describer = &describer,
                                         .options = &options,
                                         .cycles = &cycles,
                                         .memory = target->memory,
                                         .findings = &target->findings,
                                         .unread = &walk->unread,
                                         .started = answer->started,
                                         .walked = walked,
                                         .arena = &target->arena,
                                         .walk = walk,
                                         .weak_rings = walk->explains ? &weak_rings : NULL};
    status = loupe_report_cycles(answer->json, &report);
    return status ? fail(answer, status) : LOUPE_OK;
}

/* ---- incoming-refs ---- */

static enum loupe_status add_roots(struct answer *answer, struct loupe_walk *walk,
                                   struct loupe_graph *graph, struct loupe_roots *roots) {
    const char *cursor = answer->question->directives ? answer->question->directives : "";
    struct loupe_directive directive;
    enum loupe_status status = LOUPE_OK;
    while (!status && loupe_directive_next(&cursor, &directive)) {
        if (loupe_roots_means(&directive))
            status = loupe_roots_add(roots, walk, graph, &directive);
    }
    if (status == LOUPE_EUSAGE)
        return refuse_directive(answer, "that makes no sense", &directive);
    return status ? fail(answer, status) : LOUPE_OK;
}

/* The verdict, from what the report knows already and a search for what else leads to it. */
static enum loupe_status judge_object(struct answer *answer, struct loupe_walk *walk,
                                      struct loupe_incoming_answer *report,
                                      const struct loupe_roots *roots) {
    struct loupe_object_evidence evidence;
    struct loupe_directive wrong;
    enum loupe_status status = loupe_object_evidence_gather(
        walk, report->graph, roots, report->incoming, answer->question->directives, &evidence,
        &report->words, &wrong);
    if (status == LOUPE_EUSAGE)
        return refuse_directive(answer, "that makes no sense", &wrong);
    if (status)
        return fail(answer, status);
    report->evidence = evidence;
    loupe_object_verdict_find(report->graph, report->incoming, &evidence, &report->verdict);
    return LOUPE_OK;
}

static enum loupe_status report_incoming(struct answer *answer, struct loupe_walk *walk,
                                         struct loupe_graph *graph,
                                         const struct loupe_roots *roots) {
    const struct loupe_chunk_ops *chunks = answer->target.chunks;
    struct loupe_describer describer = loupe_describe(walk);
    struct loupe_incoming incoming;
    struct loupe_filters known;
    struct loupe_ways ways;
    enum loupe_status status = apply_knowledge(answer, walk, graph, &known);
    if (status)
        return status;
    if (walk->explains)
        status = loupe_loose_resolve(walk, graph);
    if (!status)
        status = loupe_ways_find(graph, &roots->items, 0, chunks, &ways);
    if (status)
        return fail(answer, status);
    bool explains = has_directive(answer->question, word_for_explaining);
    loupe_incoming_find(graph, 0, &ways, &roots->items, &incoming);
    struct loupe_incoming_answer report = {.graph = graph,
                                           .describer = &describer,
                                           .known = known,
                                           .incoming = &incoming,
                                           .ways = &ways,
                                           .roots = &roots->items,
                                           .scanned = roots->scanned,
                                           .walk = explains ? walk : NULL,
                                           .arena = &answer->target.arena};
    status = loupe_incoming_examine(graph, 0, &roots->items, chunks, &incoming);
    if (!status)
        status = loupe_report_incoming_prepare(&report);
    if (status)
        fail(answer, status);
    else
        status = judge_object(answer, walk, &report, roots);
    if (!status) {
        begin_report(answer);
        loupe_report_incoming(answer->json, &report);
        end_graph_report(answer, walk, graph);
    }
    loupe_ways_deinit(&ways);
    return status;
}

static enum loupe_status answer_incoming_refs(struct answer *answer, struct loupe_walk *walk,
                                              struct loupe_graph *graph) {
    struct loupe_expander expander = loupe_walk_expander(walk);
    struct loupe_roots roots;
    loupe_roots_init(&roots, &answer->target);
    enum loupe_status status = add_roots(answer, walk, graph, &roots);
    if (!status) {
        status = loupe_graph_build(graph, answer->target.memory, &expander);
        status = status ? fail(answer, status) : report_incoming(answer, walk, graph, &roots);
    }
    loupe_roots_deinit(&roots);
    return status;
}

/* What the host knows beyond what the target tells. */
static enum loupe_status take_given(struct answer *answer, struct loupe_walk *walk) {
    const char *cursor = answer->question->directives ? answer->question->directives : "";
    struct loupe_directive directive;
    enum loupe_status status = LOUPE_OK;
    while (!status && loupe_directive_next(&cursor, &directive)) {
        if (loupe_given_means(&directive))
            status = loupe_given_add(&walk->given, &directive);
    }
    if (status == LOUPE_EUSAGE)
        return refuse_directive(answer, "that makes no sense", &directive);
    return status ? fail(answer, status) : LOUPE_OK;
}

static enum loupe_status walk_and_answer(struct answer *answer, struct loupe_walk *walk,
                                         struct loupe_graph *graph,
                                         const struct loupe_object *object) {
    enum loupe_status status = take_given(answer, walk);
    if (status)
        return status;
    status = loupe_walk_seed(walk, graph, object);
    if (status)
        return fail(answer, status);
    switch (answer->question->query) {
    case LOUPE_QUERY_STRONG_REFS:
        return answer_strong_refs(answer, walk, graph);
    case LOUPE_QUERY_INCOMING_REFS:
        return answer_incoming_refs(answer, walk, graph);
    default:
        return answer_retain_cycles(answer, walk, graph);
    }
}

/* The questions that follow references. */
static enum loupe_status answer_from_graph(struct answer *answer) {
    const struct loupe_question *question = answer->question;
    uint64_t limit = question->limit ? question->limit : LOUPE_DEFAULT_LIMIT;
    struct loupe_object object;
    struct loupe_graph graph;
    struct loupe_walk walk;
    enum loupe_status status = find_object(answer, &object);
    if (status)
        return status;
    loupe_graph_init(&graph, answer->target.chunks, limit, &answer->target.findings);
    loupe_walk_init(&walk, &answer->target);
    /* What owns nothing is no owner in disguise either. */
    walk.explains =
        has_directive(question, word_for_explaining) || has_directive(question, word_for_searching);
    status = walk_and_answer(answer, &walk, &graph, &object);
    loupe_graph_deinit(&graph);
    return status;
}

/* ---- ivar-layout ---- */

static enum loupe_status answer_ivar_layout(struct answer *answer) {
    struct loupe_ivar_report report;
    struct loupe_object object;
    struct loupe_walk walk;
    loupe_walk_init(&walk, &answer->target);
    walk.explains = true;
    enum loupe_status status = find_object(answer, &object);
    if (!status)
        status = loupe_ivar_report_make(&walk, &object, &report, &answer->error);
    if (status)
        return status;
    begin_report(answer);
    report_freed(answer);
    loupe_ivar_report_write(answer->json, &report);
    end_report(answer, 1, 0);
    return LOUPE_OK;
}

/* ---- block-layout ---- */

static struct loupe_span name_class(void *ctx, loupe_addr address) {
    struct loupe_object object;
    if (loupe_object_at(ctx, address, &object, NULL))
        return (struct loupe_span){0};
    return loupe_span_of(object.cls->name);
}

static enum loupe_status answer_block_layout(struct answer *answer) {
    struct loupe_target *target = &answer->target;
    struct loupe_class_namer namer = {.name = name_class, .ctx = target};
    struct loupe_block_report report;
    struct loupe_object object;
    enum loupe_status status = find_object(answer, &object);
    if (status)
        return status;
    if (object.cls->kind != LOUPE_INSTANCE_BLOCK)
        return loupe_fail(&answer->error, LOUPE_ENOTOBJECT, object.address,
                          "0x%llx is not a block: it is of class %s",
                          (unsigned long long)object.address, object.cls->name);
    status = loupe_block_report_make(target, target->abi->block_traits(target), namer,
                                     object.address, &report, &answer->error);
    if (status)
        return status;
    begin_report(answer);
    report_freed(answer);
    loupe_block_report_write(answer->json, &report);
    end_report(answer, 1, 0);
    return LOUPE_OK;
}

/* ---- Dispatch ---- */

/* Words that no query means, so that a mistake is not passed over. */
static enum loupe_status check_directives(struct answer *answer) {
    const char *cursor = answer->question->directives ? answer->question->directives : "";
    struct loupe_directive directive;
    while (loupe_directive_next(&cursor, &directive)) {
        if (!loupe_roots_means(&directive) && !loupe_word_search_means(&directive) &&
            !loupe_filters_mean(&directive) && !loupe_given_means(&directive) &&
            !loupe_span_equals(directive.word, word_for_stack) &&
            !loupe_span_equals(directive.word, word_for_explaining))
            return refuse_directive(answer, "that Loupe does not know", &directive);
    }
    return LOUPE_OK;
}

/* Where the asking thread's stack ends, red zone included. */
static enum loupe_status leave_out_stack(struct answer *answer) {
    const char *cursor = answer->question->directives ? answer->question->directives : "";
    struct loupe_memory *memory = answer->target.memory;
    struct loupe_directive directive;
    while (loupe_directive_next(&cursor, &directive)) {
        loupe_addr pointer, red_zone = memory->machine.pointer_size == 8 ? LOUPE_RED_ZONE : 0;
        if (!loupe_span_equals(directive.word, word_for_stack))
            continue;
        if (directive.field_count != 1 || !loupe_directive_address(directive.fields[0], &pointer) ||
            pointer < red_zone)
            return loupe_fail(&answer->error, LOUPE_EUSAGE, 0,
                              "a stack pointer that makes no sense");
        loupe_memory_leave_out_stack(memory, pointer - red_zone);
    }
    return LOUPE_OK;
}

static enum loupe_status write_answer(struct answer *answer) {
    switch (answer->question->query) {
    case LOUPE_QUERY_BLOCK_LAYOUT:
        return answer_block_layout(answer);
    case LOUPE_QUERY_IVAR_LAYOUT:
        return answer_ivar_layout(answer);
    case LOUPE_QUERY_STRONG_REFS:
    case LOUPE_QUERY_RETAIN_CYCLES:
    case LOUPE_QUERY_INCOMING_REFS:
        return answer_from_graph(answer);
    case LOUPE_QUERY_COUNT:
        break;
    }
    return loupe_fail(&answer->error, LOUPE_EUSAGE, 0, "a question that Loupe does not know");
}

enum loupe_status loupe_answer(struct loupe_memory *memory, const struct loupe_chunk_ops *chunks,
                               const struct loupe_question *question, struct loupe_sink sink) {
    struct loupe_json json;
    struct answer answer = {
        .question = question, .json = &json, .started = loupe_report_clock(memory)};
    loupe_json_init(&json, sink);
    loupe_target_init(&answer.target, memory, chunks);
    enum loupe_status status = check_directives(&answer);
    if (!status)
        status = leave_out_stack(&answer);
    if (!status)
        status = write_answer(&answer);
    if (status) {
        struct loupe_envelope envelope = envelope_of(&answer);
        loupe_report_error(&json, &envelope, &answer.error);
    }
    enum loupe_status written = loupe_json_finish(&json);
    loupe_target_deinit(&answer.target);
    return written ? written : status;
}
