#include "heap_questions/heap_paths.h"

#include "base/fnv.h"
#include "base/map.h"
#include "leaks/heap_graph.h"
#include "report/class_words.h"

/* ---- Of one object ---- */

enum { MOST_COMPARED = 20000 /* objects of a class */ };

static bool has_room(struct loupe_heap_question *question, struct loupe_heap_paths *paths,
                     uint32_t capacity) {
    paths->items = loupe_arena_alloc_array(&question->arena, capacity, sizeof(*paths->items));
    return paths->items;
}

static enum loupe_status add_root_paths(struct loupe_heap_question *question,
                                        const struct loupe_transposed *transposed, uint32_t node,
                                        uint32_t most, struct loupe_heap_paths *paths) {
    struct loupe_tracer *tracer = &question->tracer;
    struct loupe_shortest_options options = {.late = tracer->policy->late,
                                             .root_levels = question->root_levels};
    struct loupe_root_paths of_roots;
    enum loupe_status status =
        loupe_root_paths_find(&tracer->columns, transposed, &options, node, most, &of_roots);
    if (status)
        return status;
    paths->found = of_roots.found;
    for (uint32_t i = 0; !status && i < of_roots.count; i++) {
        status = loupe_trace_root_path(tracer, &of_roots, i, NULL, &paths->items[paths->count]);
        paths->count += !status;
    }
    loupe_root_paths_deinit(&of_roots);
    return status;
}

/* Several paths of one object: the heap is turned round, and searched from the object. */
static enum loupe_status find_several(struct loupe_heap_question *question, uint32_t node,
                                      uint32_t most, struct loupe_heap_paths *paths) {
    struct loupe_tracer *tracer = &question->tracer;
    struct loupe_transposed transposed;
    if (!has_room(question, paths, most))
        return LOUPE_ENOMEM;
    enum loupe_status status = loupe_transposed_make(&tracer->columns, tracer->policy->paths,
                                                     question->chunks, &transposed);
    if (status)
        return status;
    status = add_root_paths(question, &transposed, node, most, paths);
    loupe_transposed_deinit(&transposed);
    paths->unreachable = !paths->found;
    return status;
}

static enum loupe_status add_shortest(struct loupe_heap_question *question, uint32_t node,
                                      struct loupe_heap_paths *paths) {
    const struct loupe_shortest *shortest = loupe_heap_question_path(question, node);
    if (!shortest)
        return LOUPE_ENOMEM;
    if (loupe_path_level(shortest, node) == LOUPE_LEVEL_NONE) {
        paths->unreachable++;
        return LOUPE_OK;
    }
    paths->found++;
    enum loupe_status status =
        loupe_trace_shortest(&question->tracer, shortest, node, NULL, &paths->items[paths->count]);
    paths->count += !status;
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
static enum loupe_status add_way(struct loupe_heap_question *question, uint32_t node,
                                 struct ways *ways, struct loupe_heap_paths *paths) {
    const struct loupe_shortest *shortest = loupe_heap_question_path(question, node);
    struct loupe_tracer tracer = question->tracer;
    struct loupe_trace trace;
    uint32_t number;
    if (!shortest)
        return LOUPE_ENOMEM;
    if (loupe_path_level(shortest, node) == LOUPE_LEVEL_NONE) {
        paths->unreachable++;
        return LOUPE_OK;
    }
    paths->looked_at++;
    tracer.arena = &ways->scratch;
    enum loupe_status status = loupe_trace_shortest(&tracer, shortest, node, NULL, &trace);
    if (status)
        return status;
    uint64_t way = way_of(tracer.snapshot, &trace);
    if (loupe_map_find(&ways->numbers, way, &number)) {
        if (number < ways->most)
            paths->alike[number]++;
        return LOUPE_OK;
    }
    status = loupe_map_put(&ways->numbers, way, paths->ways++);
    if (status || paths->count == ways->most)
        return status;
    paths->alike[paths->count] = 1;
    return add_shortest(question, node, paths);
}

static enum loupe_status add_of_class(struct loupe_heap_question *question, uint32_t node,
                                      struct ways *ways, struct loupe_heap_paths *paths) {
    if (!paths->alike)
        return paths->count < ways->most ? add_shortest(question, node, paths) : LOUPE_OK;
    if (paths->looked_at == MOST_COMPARED)
        return LOUPE_OK;
    enum loupe_status status = add_way(question, node, ways, paths);
    loupe_arena_deinit(&ways->scratch);
    loupe_arena_init(&ways->scratch, question->chunks);
    return status;
}

/* The shortest path of each object of matching classes, as many as fit; where it is asked so, those
 * that are alike once. */
static enum loupe_status find_by_class(struct loupe_heap_question *question,
                                       const struct loupe_heap_paths_asked *asked,
                                       struct loupe_heap_paths *paths) {
    const struct loupe_snapshot *snapshot = question->tracer.snapshot;
    struct ways ways = {.most = asked->most};
    if (!has_room(question, paths, asked->most))
        return LOUPE_ENOMEM;
    paths->alike = asked->merges ? loupe_arena_alloc_array(&question->arena, asked->most,
                                                           sizeof(*paths->alike))
                                 : NULL;
    if (asked->merges && !paths->alike)
        return LOUPE_ENOMEM;
    loupe_map_init(&ways.numbers, question->chunks);
    loupe_arena_init(&ways.scratch, question->chunks);
    enum loupe_status status = LOUPE_OK;
    for (uint32_t node = 0; !status && node < snapshot->columns.nodes; node++) {
        struct loupe_span name = loupe_snapshot_class_name(snapshot, snapshot->classes[node]);
        if (!loupe_class_name_matches(name, asked->to_class))
            continue;
        paths->objects++;
        status = add_of_class(question, node, &ways, paths);
    }
    loupe_arena_deinit(&ways.scratch);
    loupe_map_deinit(&ways.numbers);
    if (paths->alike)
        paths->found = paths->looked_at; /* those alike, too, which are not shown */
    return status;
}

static enum loupe_status find_one(struct loupe_heap_question *question, uint32_t node,
                                  struct loupe_heap_paths *paths) {
    if (!has_room(question, paths, 1))
        return LOUPE_ENOMEM;
    return add_shortest(question, node, paths);
}

enum loupe_status loupe_heap_paths_find(struct loupe_heap_paths *paths,
                                        struct loupe_heap_question *question,
                                        const struct loupe_heap_paths_asked *asked) {
    *paths = (struct loupe_heap_paths){.of_class = asked->to_class};
    if (asked->to_class)
        return find_by_class(question, asked, paths);
    return asked->most > 1 ? find_several(question, asked->node, asked->most, paths)
                           : find_one(question, asked->node, paths);
}

bool loupe_heap_paths_are_all(const struct loupe_heap_paths *paths) {
    return !paths->alike || paths->looked_at + paths->unreachable >= paths->objects;
}

/* ---- JSON ---- */

/* Of a question about a class: how many it has, and where those that are alike are one. */
static void report_class(struct loupe_json *json, const struct loupe_heap_paths *paths) {
    loupe_json_put_uint(json, "objects", paths->objects);
    if (!paths->alike)
        return;
    loupe_json_put_uint(json, "ways", paths->ways);
    loupe_json_put_uint(json, "compared", paths->looked_at);
}

void loupe_report_heap_paths(struct loupe_json *json, const struct loupe_heap_question *question,
                             const struct loupe_heap_paths *paths,
                             const struct loupe_trace_facts *facts) {
    loupe_json_put_uint(json, "found", paths->found);
    loupe_json_put_uint(json, "unreachable", paths->unreachable);
    if (paths->of_class)
        report_class(json, paths);
    loupe_json_key(json, "paths");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < paths->count; i++) {
        loupe_json_begin_object(json);
        if (paths->alike)
            loupe_json_put_uint(json, "alike", paths->alike[i]);
        loupe_report_trace_members(json, &question->tracer, &paths->items[i], facts);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    loupe_report_shown_stacks(json, facts->stacks);
}
