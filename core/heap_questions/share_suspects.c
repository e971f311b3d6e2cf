#include "heap_questions/share_suspects.h"

#include "base/fnv.h"
#include "base/map.h"
#include "cycles/knots/fingerprint.h"
#include "report/heaps/report_trace.h"
#include "snapshot/values/collection_names.h"
#include "snapshot/native.h"

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

/* ---- The culprit ---- */

static struct loupe_span without_package(struct loupe_span name) {
    for (size_t i = name.length; i-- > 0;) {
        if (name.bytes[i] == '.' && i + 1 < name.length)
            return (struct loupe_span){.bytes = name.bytes + i + 1, .length = name.length - i - 1};
    }
    return name;
}

static void put_name(char *dst, struct loupe_span cls, struct loupe_span name) {
    loupe_format(dst, LOUPE_CULPRIT_SIZE, "%.*s%s%.*s", (int)cls.length, cls.bytes,
                 cls.length ? "." : "", (int)name.length, name.bytes);
}

/* False: the link has no name of a program's. */
static bool name_link(const struct loupe_snapshot *snapshot, uint32_t from, uint32_t link,
                      char *dst) {
    struct loupe_link_name name;
    if (snapshot->native) {
        const struct loupe_label *label = loupe_native_label(snapshot, link);
        if (!label || label->path == LOUPE_NONE || label->declared_by == LOUPE_NONE)
            return false;
        put_name(dst, loupe_snapshot_string(snapshot, label->declared_by),
                 loupe_snapshot_string(snapshot, label->path));
        return true;
    }
    loupe_snapshot_name_link(snapshot, from, link, &name);
    if (name.kind != LOUPE_LINK_NAME_FIELD && name.kind != LOUPE_LINK_NAME_STATIC)
        return false;
    put_name(dst, without_package(loupe_snapshot_class_name(snapshot, name.declared_by)),
             name.name);
    return true;
}

static void name_root(const struct loupe_share_suspects *suspects, uint32_t root, char *dst) {
    const struct loupe_snapshot *snapshot = suspects->question->tracer.snapshot;
    if (snapshot->native && suspects->names)
        suspects->names->root(snapshot, root, dst, LOUPE_CULPRIT_SIZE);
    else
        loupe_format(
            dst, LOUPE_CULPRIT_SIZE, "%s",
            loupe_snapshot_root_kind_name((enum loupe_root_kind)snapshot->roots[root].kind));
}

/* The static field that has the variable of a thread whose value a step of a path is: the thread
 * itself knows it by its place in a table. */
static bool name_thread_local(const struct loupe_snapshot *snapshot, uint32_t entry, char *dst) {
    const struct loupe_columns *columns = &snapshot->columns;
    struct loupe_link_name name;
    uint32_t variable = LOUPE_NO_NODE;
    for (uint32_t link = columns->first[entry]; link < columns->first[entry + 1]; link++) {
        loupe_snapshot_name_link(snapshot, entry, link, &name);
        if (loupe_span_equals(name.name, "referent"))
            variable = columns->to[link];
    }
    for (uint32_t i = 0; variable != LOUPE_NO_NODE && i < snapshot->class_count; i++) {
        uint32_t node = snapshot->class_table[i].node;
        for (uint32_t link = node == LOUPE_NO_NODE ? 0 : columns->first[node];
             node != LOUPE_NO_NODE && link < columns->first[node + 1]; link++) {
            if (columns->to[link] == variable && name_link(snapshot, node, link, dst))
                return true;
        }
    }
    return false;
}

static bool is_of_program(const struct loupe_snapshot *snapshot,
                          const struct loupe_trace_step *step) {
    struct loupe_link_name name;
    if (snapshot->native)
        return true;
    loupe_snapshot_name_link(snapshot, step->node, step->link, &name);
    return !loupe_is_class_of_java_platform(loupe_snapshot_class_name(snapshot, name.declared_by));
}

/* The last reference on the way that does not stand in a collection. */
static bool name_last(const struct loupe_snapshot *snapshot, const struct loupe_marks *between,
                      struct loupe_share_suspect *suspect, bool of_program) {
    const struct loupe_trace *trace = &suspect->trace;
    for (uint32_t i = trace->count; i-- > 0;) {
        const struct loupe_trace_step *step = &trace->steps[i];
        uint32_t class_number = snapshot->classes[step->node];
        if (step->link == LOUPE_NO_EDGE)
            continue;
        if (of_program && !snapshot->native &&
            loupe_span_equals(loupe_snapshot_class_name(snapshot, class_number),
                              "java.lang.ThreadLocal$ThreadLocalMap$Entry") &&
            name_thread_local(snapshot, step->node, suspect->culprit))
            return true;
        if (!loupe_is_marked(between, class_number) &&
            (!of_program || is_of_program(snapshot, step)) &&
            name_link(snapshot, step->node, step->link, suspect->culprit))
            return true;
    }
    return false;
}

/* What the program wrote comes before what it uses: there it can be changed. */
static void name_culprit(const struct loupe_share_suspects *suspects,
                         const struct loupe_marks *between, struct loupe_share_suspect *suspect) {
    const struct loupe_snapshot *snapshot = suspects->question->tracer.snapshot;
    if (name_last(snapshot, between, suspect, true) || name_last(snapshot, between, suspect, false))
        return;
    name_root(suspects, suspect->trace.root, suspect->culprit);
    suspect->is_root = true;
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
    name_culprit(suspects, between, suspect);
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
