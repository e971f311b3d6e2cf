#include "report/objects/report_incoming.h"

#include "report/named_nodes.h"
#include "report/report_graph.h"
#include "report/report_root.h"

static uint32_t shown_length(const struct loupe_root_path *path) {
    return path->length < LOUPE_MAX_PATH_SHOWN ? path->length : LOUPE_MAX_PATH_SHOWN;
}

/* The last edges of a path, in its order: sources and edges. */
struct steps {
    uint32_t from[LOUPE_MAX_PATH_SHOWN], edge[LOUPE_MAX_PATH_SHOWN], count;
};

static void list_steps(const struct loupe_paths_from_roots *paths, struct loupe_root_path path,
                       struct steps *steps) {
    steps->count = shown_length(&path);
    for (uint32_t place = steps->count; place-- > 0; path = paths->to[path.from]) {
        steps->from[place] = path.from;
        steps->edge[place] = path.edge;
    }
}

/* ---- Objects that the answer names ---- */

static const struct loupe_root *root_at(const struct loupe_incoming_answer *answer,
                                        uint32_t index) {
    return loupe_vector_at(answer->roots, index, sizeof(struct loupe_root));
}

static void name_path(struct loupe_named_nodes *named, const struct loupe_incoming_answer *answer,
                      const struct loupe_incoming_edge *held) {
    struct steps steps;
    list_steps(answer->paths, held->path, &steps);
    if (held->path.root != LOUPE_NO_ROOT)
        loupe_name_node(named, root_at(answer, held->path.root)->node);
    for (uint32_t i = 0; i < steps.count; i++)
        loupe_name_node(named, steps.from[i]);
    loupe_name_node(named, held->from);
}

/* The next reference to the object that does not own it, from an index on, which moves behind it.
 */
static const struct loupe_nonowning_ref *next_nonowning(const struct loupe_incoming_answer *answer,
                                                        uint32_t *index) {
    while (answer->nonowning && *index < answer->nonowning->items.count) {
        const struct loupe_nonowning_ref *nonowning =
            loupe_nonowning_at(answer->nonowning, (*index)++);
        if (nonowning->edge.to == answer->seed)
            return nonowning;
    }
    return NULL;
}

static void name_nonowning(struct loupe_named_nodes *named,
                           const struct loupe_incoming_answer *answer) {
    const struct loupe_nonowning_ref *nonowning;
    uint32_t index = 0;
    /* Cap: not_counted_found has the count. */
    for (unsigned shown = 0;
         shown < LOUPE_MAX_INCOMING && (nonowning = next_nonowning(answer, &index)); shown++)
        loupe_name_node(named, nonowning->from);
}

enum loupe_status loupe_report_incoming_prepare(struct loupe_incoming_answer *answer) {
    const struct loupe_incoming *incoming = answer->incoming;
    struct loupe_named_nodes named;
    size_t capacity = 1 + 2 * LOUPE_MAX_INCOMING;
    for (uint32_t i = 0; i < incoming->edge_count; i++)
        capacity += shown_length(&incoming->edges[i].path) + 2;
    for (uint32_t i = 0; i < incoming->memory_count; i++)
        capacity += shown_length(&incoming->memory[i].path) + 2;
    loupe_named_nodes_init(&named, answer->graph, answer->arena, capacity);
    loupe_name_node(&named, answer->seed);
    for (uint32_t i = 0; i < incoming->edge_count; i++)
        name_path(&named, answer, &incoming->edges[i]);
    for (uint32_t i = 0; i < incoming->memory_count; i++)
        name_path(&named, answer, &incoming->memory[i]);
    for (uint32_t i = 0; i < incoming->ruled_out_count; i++)
        loupe_name_node(&named, incoming->ruled_out[i].from);
    name_nonowning(&named, answer);
    answer->nodes = named.nodes;
    answer->node_count = named.count;
    return loupe_named_nodes_end(&named);
}

/* ---- Roots ---- */

static uint64_t thread_of(const struct loupe_snapshot *heap, uint32_t root) {
    uint32_t thread = heap->roots[root].thread;
    return thread < heap->thread_count ? heap->threads[thread].serial : 0;
}

static void write_owner_in_heap(struct loupe_json *json, const struct loupe_snapshot *heap,
                                uint32_t number) {
    const struct loupe_root_place *place = &heap->native->root_places[number];
    if (place->image != LOUPE_NONE)
        loupe_json_put_text(json, "image", loupe_snapshot_string(heap, place->image));
    if (heap->roots[number].thread < heap->thread_count)
        loupe_json_put_uint(json, "thread", thread_of(heap, number));
    if (place->name != LOUPE_NONE)
        loupe_json_put_text(json,
                            heap->roots[number].kind == LOUPE_ROOT_KERNEL ? "holder" : "register",
                            loupe_snapshot_string(heap, place->name));
    if (loupe_snapshot_root_frame(heap, number))
        loupe_report_root_frame(json, heap, number);
}

static void write_owner(struct loupe_json *json, const struct loupe_root_source *source) {
    if (source->image)
        loupe_json_put_string(json, "image", source->image);
    if (source->of_thread)
        loupe_json_put_uint(json, "thread", source->thread);
    if (source->register_name)
        loupe_json_put_string(json, "register", source->register_name);
    if (source->holder)
        loupe_json_put_string(json, "holder", source->holder);
}

/* The place of the scene that a root of the heap stands in; UINT32_MAX: it is in none, as entries
 * of pools. */
static uint32_t source_of(const struct loupe_scene *scene, const struct loupe_root *root,
                          const struct loupe_snapshot *heap) {
    const struct loupe_root_place *place = &heap->native->root_places[root->number];
    for (uint32_t i = 0; scene && i < scene->sources.count; i++) {
        const struct loupe_root_source *source = loupe_scene_source(scene, i);
        const char *name = source->holder ? source->holder : source->register_name;
        if (root->slot
                ? root->slot >= source->memory.start && root->slot < source->memory.end
                : name && loupe_span_equals(loupe_snapshot_string(heap, place->name), name) &&
                      source->thread == thread_of(heap, root->number))
            return i;
    }
    return UINT32_MAX;
}

static void write_number(struct loupe_json *json, const struct loupe_incoming_answer *answer,
                         const struct loupe_root *root) {
    uint32_t number = answer->heap ? source_of(answer->scene, root, answer->heap) : root->number;
    loupe_json_key(json, "number");
    if (number == UINT32_MAX)
        loupe_json_null(json);
    else
        loupe_json_uint(json, number);
}

static void write_root(struct loupe_json *json, const struct loupe_incoming_answer *answer,
                       uint32_t index) {
    const struct loupe_root *root = root_at(answer, index);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "kind", loupe_root_kind_name(root->kind));
    write_number(json, answer, root);
    loupe_json_key(json, "slot");
    if (root->slot)
        loupe_json_address(json, root->slot);
    else
        loupe_json_null(json);
    loupe_json_put_address(json, "to", loupe_graph_address(answer->graph, root->node));
    if (root->kind == LOUPE_ROOT_GLOBAL)
        loupe_report_variable(json, answer->symbols, root->slot);
    if (answer->heap)
        write_owner_in_heap(json, answer->heap, root->number);
    else
        write_owner(json, loupe_scene_source(answer->scene, root->number));
    loupe_json_end_object(json);
}

/* ---- Holders ---- */

/* Of a holder that no root leads to: what else is known of it. */
static void write_rootless(struct loupe_json *json, const struct loupe_incoming_answer *answer,
                           const struct loupe_incoming_edge *held) {
    static const char *const rings[] = {[LOUPE_CLOSES_NO_RING] = NULL,
                                        [LOUPE_MAY_CLOSE_A_RING] = "possible",
                                        [LOUPE_CLOSES_A_RING] = "certain"};
    uint64_t retains;
    loupe_json_put_string(json, "ring", rings[held->closing]);
    loupe_json_key(json, "unexplained");
    if (answer->describer->retain_count(answer->describer->ctx, answer->graph, held->from,
                                        &retains) == LOUPE_COUNT_KNOWN)
        loupe_json_uint(json, retains > held->references ? retains - held->references : 0);
    else
        loupe_json_null(json);
    if (answer->heap)
        loupe_json_put_bool(json, "lost", held->is_lost);
}

static void write_holder(struct loupe_json *json, const struct loupe_incoming_answer *answer,
                         const struct loupe_incoming_edge *held) {
    struct steps steps;
    list_steps(answer->paths, held->path, &steps);
    loupe_json_begin_object(json);
    loupe_json_key(json, "edge");
    loupe_report_edge(json, answer->graph, answer->describer, held->from, held->edge);
    loupe_json_key(json, "root");
    if (held->path.root == LOUPE_NO_ROOT)
        loupe_json_null(json);
    else
        write_root(json, answer, held->path.root);
    if (held->path.root == LOUPE_NO_ROOT)
        write_rootless(json, answer, held);
    loupe_json_put_uint(json, "way_length", held->path.length);
    loupe_json_key(json, "way");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < steps.count; i++)
        loupe_report_edge(json, answer->graph, answer->describer, steps.from[i], steps.edge[i]);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

static void write_holders(struct loupe_json *json, const struct loupe_incoming_answer *answer) {
    const struct loupe_incoming *incoming = answer->incoming;
    loupe_json_put_uint(json, "holders_found", incoming->edges_found);
    loupe_json_key(json, "holders");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < incoming->edge_count; i++)
        write_holder(json, answer, &incoming->edges[i]);
    loupe_json_end_array(json);
    if (!incoming->memory_count)
        return;
    loupe_json_put_uint(json, "memory_found", incoming->memory_found);
    loupe_json_key(json, "memory");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < incoming->memory_count; i++)
        write_holder(json, answer, &incoming->memory[i]);
    loupe_json_end_array(json);
}

/* ---- Parts ---- */

static void write_counts(struct loupe_json *json, const struct loupe_incoming_answer *answer) {
    const struct loupe_incoming *incoming = answer->incoming;
    uint64_t retains = 0;
    uint64_t found = incoming->edges_found - incoming->shared + incoming->owned_by_roots;
    enum loupe_retain_count known = answer->describer->retain_count(
        answer->describer->ctx, answer->graph, answer->seed, &retains);
    loupe_json_key(json, "counts");
    loupe_json_begin_object(json);
    loupe_json_key(json, "retains");
    if (known == LOUPE_COUNT_KNOWN)
        loupe_json_uint(json, retains);
    else
        loupe_json_null(json);
    loupe_json_put_bool(json, "immortal", known == LOUPE_COUNT_IMMORTAL);
    loupe_json_put_uint(json, "found", incoming->edges_found);
    loupe_json_put_uint(json, "assumed", incoming->assumed);
    loupe_json_put_uint(json, "shared", incoming->shared);
    loupe_json_put_uint(json, "autoreleased", incoming->owned_by_roots);
    loupe_json_key(json, "unexplained");
    if (known == LOUPE_COUNT_KNOWN)
        loupe_json_uint(json, retains > found ? retains - found : 0);
    else
        loupe_json_null(json);
    loupe_json_put_uint(json, "excess",
                        known == LOUPE_COUNT_KNOWN && found > retains ? found - retains : 0);
    loupe_json_key(json, "words");
    loupe_json_begin_object(json);
    for (unsigned i = 0; i < LOUPE_ROOT_PLACE_COUNT; i++)
        loupe_json_put_uint(json, loupe_root_kind_name(loupe_root_places[i]),
                            incoming->words[loupe_root_places[i]]);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
}

/* What refers to the object without owning it. */
static void write_nonowning(struct loupe_json *json, const struct loupe_incoming_answer *answer) {
    const struct loupe_nonowning_ref *nonowning;
    uint32_t index = 0;
    uint64_t found = 0;
    loupe_json_key(json, "not_counted");
    loupe_json_begin_array(json);
    while ((nonowning = next_nonowning(answer, &index))) {
        if (found++ >= LOUPE_MAX_INCOMING)
            continue;
        loupe_json_begin_object(json);
        loupe_report_nonowning(json, answer->graph, answer->describer, nonowning);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    loupe_json_put_uint(json, "not_counted_found",
                        found + (answer->heap ? answer->nonowning->left_out : 0));
}

static void write_ruled_out_edge(struct loupe_json *json,
                                 const struct loupe_incoming_answer *answer,
                                 const struct loupe_incoming_edge *ruled_out) {
    if (!ruled_out->owns_nothing_since) {
        loupe_report_ruled_out(json, answer->graph, answer->describer, answer->known,
                               ruled_out->from, ruled_out->edge);
        return;
    }
    loupe_json_begin_object(json);
    loupe_json_key(json, "edge");
    loupe_report_edge(json, answer->graph, answer->describer, ruled_out->from, ruled_out->edge);
    loupe_json_put_string(json, "reason", ruled_out->owns_nothing_since);
    loupe_json_end_object(json);
}

static void write_ruled_out(struct loupe_json *json, const struct loupe_incoming_answer *answer) {
    const struct loupe_incoming *incoming = answer->incoming;
    if (!incoming->ruled_out_count)
        return;
    loupe_json_put_uint(json, "not_owned_found", incoming->ruled_out_found);
    loupe_json_key(json, "not_owned");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < incoming->ruled_out_count; i++)
        write_ruled_out_edge(json, answer, &incoming->ruled_out[i]);
    loupe_json_end_array(json);
}

static void write_search(struct loupe_json *json, const struct loupe_incoming_answer *answer) {
    loupe_json_key(json, "search");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "bytes", answer->evidence.searched_bytes);
    loupe_json_put_bool(json, "complete", answer->evidence.searched);
    loupe_json_put_uint(json, "words", answer->evidence.other_words);
    loupe_json_put_uint(json, "freed", answer->evidence.freed_words);
    loupe_json_key(json, "examples");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < answer->words.example_count; i++)
        loupe_json_address(json, answer->words.examples[i]);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

static void write_verdict(struct loupe_json *json, const struct loupe_incoming_answer *answer) {
    loupe_json_key(json, "verdict");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "kind", loupe_object_verdict_name(answer->verdict.kind));
    loupe_json_put_string(json, "reason", answer->verdict.reason);
    loupe_json_end_object(json);
    if (answer->words.was_searched)
        write_search(json, answer);
}

static void write_gaps_of_scene(struct loupe_json *json, const struct loupe_scene *scene) {
    for (uint32_t i = 0; i < scene->gaps.count; i++) {
        const struct loupe_scene_gap *gap = loupe_scene_gap(scene, i);
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "what", loupe_scene_gap_name(gap->kind));
        if (gap->image)
            loupe_json_put_string(json, "image", gap->image);
        if (gap->of_thread)
            loupe_json_put_uint(json, "thread", gap->thread);
        if (gap->bytes)
            loupe_json_put_uint(json, "bytes", gap->bytes);
        loupe_json_end_object(json);
    }
}

/* All memory that can be written was looked at: only what makes a difference then is a note. */
static void write_gaps_of_heap(struct loupe_json *json, const struct loupe_snapshot *heap) {
    for (uint32_t i = 0; i < heap->native->note_count; i++) {
        const struct loupe_heap_note *note = &heap->native->notes[i];
        struct loupe_span code = loupe_snapshot_string(heap, note->code);
        unsigned kind = 0;
        while (kind < LOUPE_GAP_COUNT &&
               !loupe_span_equals(code, loupe_scene_gap_name((enum loupe_scene_gap_kind)kind)))
            kind++;
        if (kind == LOUPE_GAP_COUNT)
            continue;
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "what", code);
        bool has_bytes =
            kind == LOUPE_GAP_OF_OTHERS || kind == LOUPE_GAP_SHARED || kind == LOUPE_GAP_NOT_COPIED;
        if (has_bytes)
            loupe_json_put_uint(json, "bytes", note->count);
        else if (note->example)
            loupe_json_put_uint(json, "thread", note->example);
        loupe_json_end_object(json);
    }
}

static void write_gaps(struct loupe_json *json, const struct loupe_incoming_answer *answer) {
    loupe_json_key(json, "not_scanned");
    loupe_json_begin_array(json);
    if (answer->heap)
        write_gaps_of_heap(json, answer->heap);
    else
        write_gaps_of_scene(json, answer->scene);
    loupe_json_end_array(json);
}

/* Whether the whole heap was looked at, or what roots lead to. */
static void write_extent(struct loupe_json *json, const struct loupe_incoming_answer *answer) {
    loupe_json_put_string(json, "extent", answer->heap ? "heap" : "walk");
    if (!answer->heap)
        loupe_json_put_string(json, "extent_reason", answer->why_walked);
    if (!answer->keeps)
        return;
    loupe_json_key(json, "keeps");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "objects", answer->keeps->objects);
    loupe_json_put_uint(json, "bytes", answer->keeps->bytes);
    loupe_json_end_object(json);
}

/* ---- The answer ---- */

void loupe_report_incoming(struct loupe_json *json, const struct loupe_incoming_answer *answer) {
    const struct loupe_incoming *incoming = answer->incoming;
    loupe_json_put_address(json, "object", loupe_graph_address(answer->graph, answer->seed));
    loupe_report_objects(json, answer->graph, answer->describer, answer->nodes, answer->node_count);
    write_verdict(json, answer);
    write_counts(json, answer);
    write_holders(json, answer);
    write_ruled_out(json, answer);
    loupe_json_key(json, "roots");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < incoming->root_count; i++)
        write_root(json, answer, incoming->roots[i]);
    loupe_json_end_array(json);
    if (answer->nonowning)
        write_nonowning(json, answer);
    loupe_json_put_uint(json, "roots_walked", answer->root_count);
    loupe_json_key(json, "bytes_scanned");
    if (answer->scanned || !answer->heap)
        loupe_json_uint(json, answer->scanned);
    else
        loupe_json_null(json);
    write_extent(json, answer);
    write_gaps(json, answer);
}
