/* loupe path: the ways on which roots keep an object alive. */
#include "base/fnv.h"
#include "base/map.h"
#include "report/class_words.h"
#include "heap_answer.h"
#include "heap_question.h"
#include "leaks/heap_graph.h"
#include "report/report_trace.h"

enum { DEFAULT_PATHS = 1, DEFAULT_OBJECTS = 5 };

/* ---- Which traces answer the question ---- */

struct traces {
    struct loupe_trace *items;
    uint32_t
        *alike; /* by item: how many objects have a path like it; NULL: each stands for itself */
    uint32_t count;
    uint64_t found;       /* all there are */
    uint64_t objects;     /* that were asked about */
    uint32_t unreachable; /* of these */
    uint32_t ways;        /* that differ, where those alike are one */
    uint32_t looked_at;   /* objects, of those that are alive */
};

enum { MOST_COMPARED = 20000 /* objects of a class */ };

static bool has_room(struct heap_question *question, struct traces *traces, uint32_t capacity) {
    traces->items =
        loupe_arena_alloc_array(&question->heap.arena, capacity, sizeof(*traces->items));
    return traces->items;
}

static enum loupe_status add_root_paths(struct heap_question *question,
                                        const struct loupe_transposed *transposed, uint32_t node,
                                        uint32_t most, struct traces *traces) {
    struct loupe_tracer *tracer = &question->heap.tracer;
    struct loupe_shortest_options options = {.late = tracer->policy->late,
                                             .root_levels = question->heap.root_levels};
    struct loupe_root_paths paths;
    enum loupe_status status =
        loupe_root_paths_find(&tracer->columns, transposed, &options, node, most, &paths);
    if (status)
        return status;
    traces->found = paths.found;
    for (uint32_t i = 0; !status && i < paths.count; i++) {
        status = loupe_trace_root_path(tracer, &paths, i, NULL, &traces->items[traces->count]);
        traces->count += !status;
    }
    loupe_root_paths_deinit(&paths);
    return status;
}

/* Several paths of one object: the heap is turned round, and searched from the object. */
static enum loupe_status find_several(struct heap_question *question, uint32_t node, uint32_t most,
                                      struct traces *traces) {
    struct loupe_tracer *tracer = &question->heap.tracer;
    struct loupe_transposed transposed;
    if (!has_room(question, traces, most))
        return LOUPE_ENOMEM;
    enum loupe_status status =
        loupe_transposed_make(&tracer->columns, tracer->policy->paths, &heap_chunks, &transposed);
    if (status)
        return status;
    status = add_root_paths(question, &transposed, node, most, traces);
    loupe_transposed_deinit(&transposed);
    traces->unreachable = !traces->found;
    return status;
}

static enum loupe_status add_shortest(struct heap_question *question, uint32_t node,
                                      struct traces *traces) {
    const struct loupe_shortest *shortest = loupe_heap_question_path(&question->heap, node);
    if (!shortest)
        return LOUPE_ENOMEM;
    if (loupe_path_level(shortest, node) == LOUPE_LEVEL_NONE) {
        traces->unreachable++;
        return LOUPE_OK;
    }
    traces->found++;
    enum loupe_status status = loupe_trace_shortest(&question->heap.tracer, shortest, node, NULL,
                                                    &traces->items[traces->count]);
    traces->count += !status;
    return status;
}

/* ---- Objects of a class ---- */

/* Ways -> their numbers; the first ones are shown. */
struct ways {
    struct loupe_map numbers;
    struct loupe_arena scratch; /* of a trace that is like another one */
    uint32_t most;
};

static bool is_of_collection(const struct loupe_snapshot *snapshot, uint32_t link) {
    const struct loupe_label *label =
        snapshot->native && link != LOUPE_NO_EDGE ? loupe_native_label(snapshot, link) : NULL;
    return label && (label->kind == LOUPE_EDGE_ELEMENT || label->kind == LOUPE_EDGE_KEY ||
                     label->kind == LOUPE_EDGE_VALUE);
}

/* From which root, over which references of which classes; whichever member of a collection. */
static uint64_t way_of(const struct loupe_snapshot *snapshot, const struct loupe_trace *trace) {
    uint64_t hash = loupe_fnv_number(LOUPE_FNV_BASIS, trace->root);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct loupe_trace_step *step = &trace->steps[i];
        struct loupe_link_name name = {.name = {0}};
        hash = loupe_fnv_number(hash, snapshot->classes[step->node]);
        if (step->link == LOUPE_NO_EDGE || is_of_collection(snapshot, step->link))
            continue;
        loupe_snapshot_name_link(snapshot, step->node, step->link, &name);
        hash = loupe_fnv_span(loupe_fnv_number(hash, name.kind), name.name);
    }
    return hash;
}

/* A trace that differs from all before is made again, to be kept. */
static enum loupe_status add_way(struct heap_question *question, uint32_t node, struct ways *ways,
                                 struct traces *traces) {
    const struct loupe_shortest *shortest = loupe_heap_question_path(&question->heap, node);
    struct loupe_tracer tracer = question->heap.tracer;
    struct loupe_trace trace;
    uint32_t number;
    if (!shortest)
        return LOUPE_ENOMEM;
    if (loupe_path_level(shortest, node) == LOUPE_LEVEL_NONE) {
        traces->unreachable++;
        return LOUPE_OK;
    }
    traces->looked_at++;
    tracer.arena = &ways->scratch;
    enum loupe_status status = loupe_trace_shortest(&tracer, shortest, node, NULL, &trace);
    if (status)
        return status;
    uint64_t way = way_of(tracer.snapshot, &trace);
    if (loupe_map_find(&ways->numbers, way, &number)) {
        if (number < ways->most)
            traces->alike[number]++;
        return LOUPE_OK;
    }
    status = loupe_map_put(&ways->numbers, way, traces->ways++);
    if (status || traces->count == ways->most)
        return status;
    traces->alike[traces->count] = 1;
    return add_shortest(question, node, traces);
}

static enum loupe_status add_of_class(struct heap_question *question, uint32_t node,
                                      struct ways *ways, struct traces *traces) {
    if (!traces->alike)
        return traces->count < ways->most ? add_shortest(question, node, traces) : LOUPE_OK;
    if (traces->looked_at == MOST_COMPARED)
        return LOUPE_OK;
    enum loupe_status status = add_way(question, node, ways, traces);
    loupe_arena_deinit(&ways->scratch);
    loupe_arena_init(&ways->scratch, &heap_chunks);
    return status;
}

/* The shortest path of each object of matching classes, as many as fit; for people, those that are
 * alike once. */
static enum loupe_status find_by_class(struct heap_question *question, const char *pattern,
                                       uint32_t most, struct traces *traces) {
    const struct loupe_snapshot *snapshot = question->query->snapshot;
    struct ways ways = {.most = most};
    bool merges = !question->query->options.json;
    if (!has_room(question, traces, most))
        return LOUPE_ENOMEM;
    traces->alike =
        merges ? loupe_arena_alloc_array(&question->heap.arena, most, sizeof(*traces->alike))
               : NULL;
    if (merges && !traces->alike)
        return LOUPE_ENOMEM;
    loupe_map_init(&ways.numbers, &heap_chunks);
    loupe_arena_init(&ways.scratch, &heap_chunks);
    enum loupe_status status = LOUPE_OK;
    for (uint32_t node = 0; !status && node < snapshot->columns.nodes; node++) {
        struct loupe_span name = loupe_snapshot_class_name(snapshot, snapshot->classes[node]);
        if (!loupe_class_name_matches(name, pattern))
            continue;
        traces->objects++;
        status = add_of_class(question, node, &ways, traces);
    }
    loupe_arena_deinit(&ways.scratch);
    loupe_map_deinit(&ways.numbers);
    return status;
}

static enum loupe_status find_one(struct heap_question *question, uint32_t node,
                                  struct traces *traces) {
    if (!has_room(question, traces, 1))
        return LOUPE_ENOMEM;
    return add_shortest(question, node, traces);
}

/* ---- Answers ---- */

/* Of a question about a class: how many it has, and where those that are alike are one. */
static void report_class(struct loupe_json *json, const struct traces *traces) {
    loupe_json_put_uint(json, "objects", traces->objects);
    if (!traces->alike)
        return;
    loupe_json_put_uint(json, "ways", traces->ways);
    loupe_json_put_uint(json, "compared", traces->looked_at);
}

static void report_paths(struct loupe_json *json, struct heap_question *question,
                         const struct traces *traces, const struct loupe_trace_facts *facts) {
    loupe_json_put_uint(json, "found", traces->found);
    loupe_json_put_uint(json, "unreachable", traces->unreachable);
    if (question->query->options.to_class)
        report_class(json, traces);
    loupe_json_key(json, "paths");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < traces->count; i++) {
        loupe_json_begin_object(json);
        if (traces->alike)
            loupe_json_put_uint(json, "alike", traces->alike[i]);
        loupe_report_trace_members(json, &question->heap.tracer, &traces->items[i], facts);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    loupe_report_shown_stacks(json, facts->stacks);
}

static int answer(struct heap_question *question, const struct traces *traces) {
    const struct heap_query *query = question->query;
    struct loupe_shown_stacks stacks;
    struct loupe_trace_facts facts = {.stacks = &stacks};
    struct answer_report report = {
        .asked = loupe_span_of(query->options.to_class ? query->options.to_class : "")};
    struct heap_answer said;
    bool is_for_people = !query->options.json; /* a program asks for that by itself */
    if (is_for_people)
        facts.dominators = loupe_heap_question_dominators(&question->heap);
    if ((is_for_people && !facts.dominators) ||
        loupe_shown_stacks_init(&stacks, query->snapshot, &heap_chunks))
        return heap_ended(query);
    int status = heap_answer_begin(&said, query, false);
    if (!status) {
        report_paths(&said.json, question, traces, &facts);
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

static enum loupe_status find(struct heap_question *question, uint32_t node,
                              struct traces *traces) {
    const struct verb_values *options = &question->query->options;
    const struct loupe_columns *columns = &question->heap.tracer.columns;
    if (options->to_class)
        return find_by_class(question, options->to_class,
                             how_many(options, DEFAULT_OBJECTS, columns->nodes), traces);
    uint32_t most = how_many(options, DEFAULT_PATHS, columns->root_count);
    return most > 1 ? find_several(question, node, most, traces) : find_one(question, node, traces);
}

int heap_verb_path(struct heap_query *query) {
    uint32_t node = 0;
    int status = CLI_OK;
    if (!query->options.to_class == !query->operand_count)
        return heap_fail(query, LOUPE_EUSAGE, "say which object, or --to-class PATTERN");
    if (query->operand_count && !heap_query_object(query, query->operands[0], &node, &status))
        return status;
    struct heap_question question;
    status = heap_question_init(&question, query);
    if (status)
        return status;
    struct traces traces = {0};
    status = find(&question, node, &traces) ? heap_ended(query) : answer(&question, &traces);
    heap_question_deinit(&question);
    return status;
}
