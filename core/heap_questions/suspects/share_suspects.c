#include "heap_questions/suspects/share_suspects.h"

#include "base/fnv.h"
#include "base/map.h"
#include "cycles/knots/fingerprint.h"
#include "report/heaps/report_trace.h"
#include "snapshot/values/collection_names.h"

enum { WHOLE = 100 };

/* ---- The share ---- */

static uint64_t alive_bytes(const struct loupe_dominators *dominators) {
    uint64_t bytes = 0;
    for (uint32_t node = 0; node < dominators->nodes; node++) {
        if (dominators->immediate[node] == dominators->nodes)
            bytes += dominators->retained[node];
    }
    return bytes;
}

/* Of what a person would call it, so that sizes, keys and addresses do not matter. */
static uint64_t fingerprint_of(const struct loupe_snapshot *snapshot,
                               const struct loupe_share_suspect *suspect) {
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, loupe_span_of("share"));
    uint32_t kind = snapshot->roots[suspect->trace.root].kind;
    const char *named = suspect->is_root /* its words may have an address in them */
                            ? loupe_snapshot_root_kind_name((enum loupe_root_kind)kind)
                            : suspect->culprit;
    hash = loupe_fnv_span(hash, loupe_span_of(named));
    if (suspect->owner.held_class != LOUPE_NO_NODE)
        hash = loupe_fnv_span(hash, loupe_snapshot_class_name(snapshot, suspect->owner.held_class));
    return hash;
}

/* ---- Finding ---- */

/* Of each class the first one that has its name: plug-ins that were loaded again are one kind. */
static enum loupe_status find_namesakes(const struct loupe_snapshot *snapshot,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_arena *arena, const uint32_t **ret) {
    uint32_t *first =
        loupe_arena_alloc_array(arena, (size_t)snapshot->class_count + 1, sizeof(*first));
    enum loupe_status status = first ? LOUPE_OK : LOUPE_ENOMEM;
    struct loupe_map known;
    loupe_map_init(&known, chunks);
    for (uint32_t i = 0; !status && i < snapshot->class_count; i++) {
        struct loupe_span name = loupe_snapshot_class_name(snapshot, i);
        uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, name);
        first[i] = i;
        if (!loupe_map_find(&known, hash, &first[i]))
            status = loupe_map_put(&known, hash, i);
    }
    loupe_map_deinit(&known);
    *ret = first;
    return status;
}

/* False: no such path leads there. */
static bool try_trace(const struct loupe_tracer *tracer, const struct loupe_shortest *paths,
                      uint32_t node, enum loupe_status *status, struct loupe_trace *ret) {
    if (loupe_path_level(paths, node) == LOUPE_LEVEL_NONE)
        return false;
    *status = loupe_trace_shortest(tracer, paths, node, NULL, ret);
    return true;
}

/* By what rules do not change: one may say of the only way that it keeps nothing alive. */
static enum loupe_status find_plain_trace(struct loupe_heap_question *question, uint32_t node,
                                          struct loupe_trace *ret) {
    struct loupe_tracer plain = question->tracer;
    struct loupe_shortest paths;
    plain.columns = plain.snapshot->columns;
    enum loupe_status status = loupe_heap_question_search(question, &plain.columns, NULL, &paths);
    if (status)
        return status;
    if (!try_trace(&plain, &paths, node, &status, ret))
        status = LOUPE_EINTERNAL;
    loupe_shortest_deinit(&paths);
    return status;
}

/* The shortest path that passes no suspect; what only a suspect leads to has one through it. */
static enum loupe_status find_trace(struct loupe_heap_question *question, uint32_t node,
                                    struct loupe_trace *ret) {
    enum loupe_status status = LOUPE_OK;
    if (question->has_to_suspects &&
        try_trace(&question->tracer, &question->to_suspects, node, &status, ret))
        return status;
    const struct loupe_shortest *shortest = loupe_heap_question_shortest(question);
    if (!shortest)
        return LOUPE_ENOMEM;
    if (try_trace(&question->tracer, shortest, node, &status, ret))
        return status;
    return find_plain_trace(question, node, ret);
}

static enum loupe_status complete(struct loupe_share_suspects *suspects,
                                  const struct loupe_marks *between,
                                  const struct loupe_owner *owner) {
    struct loupe_heap_question *question = suspects->question;
    struct loupe_share_suspect *suspect = &suspects->items[suspects->count];
    enum loupe_status status = find_trace(question, owner->accumulation, &suspect->trace);
    if (status)
        return status;
    suspect->owner = *owner;
    suspect->percent = (uint32_t)(owner->retained / (suspects->alive / WHOLE + 1));
    const struct loupe_culprit_asked culprit = {
        .snapshot = question->tracer.snapshot, .names = suspects->names, .between = between};
    suspect->is_root = !loupe_culprit_name(&culprit, &suspect->trace, suspect->culprit);
    suspect->fingerprint = fingerprint_of(question->tracer.snapshot, suspect);
    suspects->count++;
    return LOUPE_OK;
}

/* All classes together have nothing in common. */
static bool are_classes(const struct loupe_snapshot *snapshot, const struct loupe_owner *owner) {
    return owner->count > 1 && loupe_snapshot_class_at(snapshot, owner->node) != LOUPE_NONE;
}

static enum loupe_status find_owners(struct loupe_share_suspects *suspects,
                                     const struct loupe_marks *between,
                                     struct loupe_vector *owners) {
    struct loupe_heap_question *question = suspects->question;
    const struct loupe_snapshot *snapshot = question->tracer.snapshot;
    struct loupe_owner_options options = {.least = suspects->alive / WHOLE * suspects->percent + 1,
                                          .classes = snapshot->classes,
                                          .class_count = snapshot->class_count,
                                          .between = between,
                                          .namesakes = suspects->namesakes};
    enum loupe_status status = loupe_owners_find(&question->tracer.columns, suspects->dominators,
                                                 &options, question->chunks, owners);
    if (status)
        return status;
    suspects->items =
        loupe_arena_alloc_array(&question->arena, owners->count, sizeof(*suspects->items));
    if (!suspects->items)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; !status && i < owners->count; i++) {
        const struct loupe_owner *owner = loupe_vector_at(owners, i, sizeof(*owner));
        if (!are_classes(snapshot, owner))
            status = complete(suspects, between, owner);
    }
    return status;
}

enum loupe_status loupe_share_suspects_find(struct loupe_share_suspects *suspects,
                                            struct loupe_heap_question *question,
                                            const struct loupe_heap_names *names,
                                            uint32_t percent) {
    const struct loupe_snapshot *snapshot = question->tracer.snapshot;
    struct loupe_marks between;
    struct loupe_vector owners;
    *suspects =
        (struct loupe_share_suspects){.question = question, .names = names, .percent = percent};
    suspects->dominators = loupe_heap_question_dominators(question);
    if (!suspects->dominators ||
        loupe_marks_init(&between, question->chunks, snapshot->class_count))
        return LOUPE_ENOMEM;
    loupe_vector_init(&owners, question->chunks, sizeof(struct loupe_owner));
    loupe_mark_collections(snapshot, &between);
    suspects->alive = alive_bytes(suspects->dominators);
    enum loupe_status status =
        find_namesakes(snapshot, question->chunks, &question->arena, &suspects->namesakes);
    if (!status)
        status = find_owners(suspects, &between, &owners);
    loupe_vector_deinit(&owners);
    loupe_marks_deinit(&between);
    return status;
}

void loupe_share_suspects_hide(struct loupe_share_suspects *suspects,
                               const struct loupe_known_causes *known) {
    uint32_t kept = 0, all = suspects->count;
    for (uint32_t i = 0; i < all; i++) {
        const struct loupe_share_suspect *suspect = &suspects->items[i];
        if (!known->knows(known->ctx, suspect->fingerprint, "kept by",
                          loupe_span_of(suspect->culprit)))
            suspects->items[kept++] = *suspect;
    }
    suspects->count = kept;
    suspects->hidden = all - kept;
}

/* ---- JSON ---- */

/* What collects below it, or below each of several owners of one class; null: nothing in
 * particular. */
static void report_kept(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                        const struct loupe_owner *owner) {
    loupe_json_key(json, "kept");
    if (owner->held_class == LOUPE_NO_NODE) {
        loupe_json_null(json);
        return;
    }
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "class", loupe_snapshot_class_name(snapshot, owner->held_class));
    loupe_json_put_uint(json, "count", owner->held_count);
    loupe_json_end_object(json);
}

static void report_one(struct loupe_json *json, const struct loupe_share_suspects *suspects,
                       struct loupe_shown_stacks *stacks,
                       const struct loupe_share_suspect *suspect) {
    const struct loupe_snapshot *snapshot = suspects->question->tracer.snapshot;
    const struct loupe_trace_facts facts = {.stacks = stacks, .dominators = suspects->dominators};
    const struct loupe_owner *owner = &suspect->owner;
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(suspect->fingerprint, fingerprint);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "kind", "share");
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_text(json, "class",
                        owner->held_class == LOUPE_NO_NODE
                            ? loupe_snapshot_class_name(snapshot, snapshot->classes[owner->node])
                            : loupe_snapshot_class_name(snapshot, owner->held_class));
    loupe_json_put_uint(json, "count", owner->held_class == LOUPE_NO_NODE ? 1 : owner->held_count);
    loupe_json_put_uint(json, "owners", owner->count);
    report_kept(json, snapshot, owner);
    loupe_json_put_uint(json, "retained", owner->retained);
    loupe_json_put_uint(json, "share", suspect->percent);
    loupe_json_put_string(json, "culprit", suspect->culprit);
    loupe_json_key(json, "accumulation");
    loupe_json_begin_object(json);
    loupe_report_heap_object(json, snapshot, owner->accumulation);
    loupe_report_part_of(json, &suspects->question->tracer, owner->accumulation);
    loupe_json_end_object(json);
    loupe_json_key(json, "path");
    loupe_report_trace(json, &suspects->question->tracer, &suspect->trace, &facts);
    loupe_json_end_object(json);
}

void loupe_report_share_suspects(struct loupe_json *json,
                                 const struct loupe_share_suspects *suspects,
                                 struct loupe_shown_stacks *stacks) {
    for (uint32_t i = 0; i < suspects->count; i++)
        report_one(json, suspects, stacks, &suspects->items[i]);
}
