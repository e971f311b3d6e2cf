#include "heap_questions/heap_question.h"

#include "analysis/dominators/histogram.h"
#include "base/fnv.h"
#include "leaks/heap_graph.h"
#include "snapshot/file/loupe_file.h"
#include "snapshot/without_stacks.h"

#include <string.h>

/* ---- Life ---- */

struct loupe_tracer loupe_plain_tracer(const struct loupe_snapshot *snapshot,
                                       const struct loupe_link_policy *policy) {
    return (struct loupe_tracer){
        .snapshot = snapshot, .columns = snapshot->columns, .policy = policy};
}

void loupe_heap_question_init(struct loupe_heap_question *question,
                              const struct loupe_snapshot *snapshot,
                              const struct loupe_link_policy *policy,
                              const struct loupe_chunk_ops *chunks) {
    *question = (struct loupe_heap_question){.chunks = chunks, .rules_hash = LOUPE_FNV_BASIS};
    loupe_arena_init(&question->arena, chunks);
    loupe_rules_init(&question->rules, &question->arena);
    question->tracer = loupe_plain_tracer(snapshot, policy);
    question->tracer.ruled = &question->ruled;
    question->tracer.arena = &question->arena;
    loupe_memory_owners_init(&question->owners, snapshot, chunks);
    question->tracer.owners = &question->owners;
}

enum loupe_status loupe_heap_question_add_rules(struct loupe_heap_question *question,
                                                struct loupe_span text, const char *origin,
                                                struct loupe_error *err) {
    question->rules_hash = loupe_fnv_span(question->rules_hash, text);
    return loupe_rules_add(&question->rules, text, origin, err);
}

static size_t kinds_bytes(const struct loupe_columns *columns) {
    return (size_t)columns->first[columns->nodes] + 1;
}

/* The kinds of links as rules have them, in a copy that only this question has. */
enum loupe_status loupe_heap_question_prepare(struct loupe_heap_question *question) {
    struct loupe_columns *columns = &question->tracer.columns;
    enum loupe_status status = loupe_ruled_classes_find(question->tracer.snapshot, &question->rules,
                                                        &question->arena, &question->ruled);
    if (status)
        return status;
    question->kinds = loupe_chunk_get(question->chunks, kinds_bytes(columns));
    /* Other tools know no levels. */
    bool has_levels = question->tracer.policy == loupe_link_policies;
    question->root_levels = has_levels ? loupe_root_levels(&question->tracer) : NULL;
    if (!question->kinds || (has_levels && !question->root_levels))
        return LOUPE_ENOMEM;
    if (columns->kinds)
        memcpy(question->kinds, columns->kinds, kinds_bytes(columns) - 1);
    else
        memset(question->kinds, LOUPE_LINK_STRONG, kinds_bytes(columns));
    loupe_rules_change_kinds(&question->ruled, question->kinds);
    columns->kinds = question->kinds;
    return LOUPE_OK;
}

void loupe_heap_question_deinit(struct loupe_heap_question *question) {
    if (question->has_shortest)
        loupe_shortest_deinit(&question->shortest);
    if (question->has_to_suspects)
        loupe_shortest_deinit(&question->to_suspects);
    if (question->has_dominators)
        loupe_dominators_deinit(&question->dominators);
    loupe_memory_owners_deinit(&question->owners);
    loupe_chunk_put(question->chunks, question->kinds, kinds_bytes(&question->tracer.columns));
    loupe_arena_deinit(&question->arena);
}

/* ---- Searches ---- */

enum loupe_status loupe_heap_question_search(const struct loupe_heap_question *question,
                                             const struct loupe_columns *columns,
                                             const struct loupe_marks *ends,
                                             struct loupe_shortest *ret) {
    const struct loupe_link_policy *policy = question->tracer.policy;
    struct loupe_shortest_options options = {.kinds = policy->paths,
                                             .late = policy->late,
                                             .root_levels = question->root_levels,
                                             .ends = ends};
    return loupe_shortest_find(columns, &options, question->chunks, ret);
}

const struct loupe_shortest *loupe_heap_question_path(struct loupe_heap_question *question,
                                                      uint32_t node) {
    const struct loupe_snapshot *snapshot = question->tracer.snapshot;
    const struct loupe_stored_paths *stored = &snapshot->paths;
    bool holds = stored->from && stored->rules == question->rules_hash &&
                 question->tracer.policy == loupe_link_policies;
    question->stored = (struct loupe_shortest){.nodes = question->tracer.columns.nodes,
                                               .from = (uint32_t *)(uintptr_t)stored->from,
                                               .levels = (uint8_t *)(uintptr_t)stored->levels};
    if (holds && loupe_stored_path_is_sound(snapshot, &question->stored, node))
        return &question->stored;
    return loupe_heap_question_shortest(question);
}

const struct loupe_shortest *loupe_heap_question_shortest(struct loupe_heap_question *question) {
    if (!question->has_shortest) {
        question->has_shortest = !loupe_heap_question_search(question, &question->tracer.columns,
                                                             NULL, &question->shortest);
    }
    return question->has_shortest ? &question->shortest : NULL;
}

const struct loupe_dominators *
loupe_heap_question_dominators(struct loupe_heap_question *question) {
    if (!question->has_dominators) {
        question->has_dominators =
            !loupe_dominators_of_heap(question->tracer.snapshot, question->tracer.policy,
                                      question->chunks, &question->dominators);
    }
    return question->has_dominators ? &question->dominators : NULL;
}

/* ---- Dominators ---- */

/* What is mapped from a file is not ours to give back. */
static void keep_chunk(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    (void)chunk;
    (void)size;
}

static const struct loupe_chunk_ops mapped_chunks = {.put = keep_chunk};

static void take_stored(const struct loupe_snapshot *snapshot, struct loupe_dominators *ret) {
    const struct loupe_stored_dominators *stored = &snapshot->dominators;
    uint32_t nodes = snapshot->columns.nodes;
    *ret = (struct loupe_dominators){.chunks = &mapped_chunks,
                                     .nodes = nodes,
                                     .immediate = (uint32_t *)(uintptr_t)stored->immediate,
                                     .retained = (uint64_t *)(uintptr_t)stored->retained,
                                     .counts = (uint32_t *)(uintptr_t)stored->counts};
    for (uint32_t i = 0; i < nodes; i++)
        ret->reached += stored->immediate[i] != LOUPE_NO_NODE;
}

enum loupe_status loupe_dominators_of_heap(const struct loupe_snapshot *snapshot,
                                           const struct loupe_link_policy *policy,
                                           const struct loupe_chunk_ops *chunks,
                                           struct loupe_dominators *ret) {
    struct loupe_others memory = loupe_memory_apart(snapshot);
    enum loupe_status status = LOUPE_OK;
    if (snapshot->dominators.immediate && policy == &loupe_link_policies[0])
        take_stored(snapshot, ret);
    else
        status = loupe_snapshot_dominators(snapshot, policy, chunks, ret);
    if (status || !snapshot->native || !snapshot->native->raw_blocks)
        return status;
    status = loupe_dominators_count_apart(ret, &memory, chunks);
    if (status)
        loupe_dominators_deinit(ret);
    return status;
}
