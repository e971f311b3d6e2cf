#include "heap_questions/suspects/held_suspects.h"

#include "base/sort.h"
#include "cycles/knots/fingerprint.h"
#include "leaks/heap_graph.h"
#include "mistakes/known_mistakes.h"
#include "report/heaps/report_trace.h"

#include <string.h>

/* ---- Groups ---- */

/* Equal mistakes together. The first one gives a group its reason, so where objects lie comes last.
 */
static bool item_is_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_held_suspect *x = a, *y = b;
    (void)ctx;
    if (x->trace.fingerprint != y->trace.fingerprint)
        return x->trace.fingerprint < y->trace.fingerprint;
    if (x->rule != y->rule) /* of one table */
        return x->rule < y->rule;
    if (x->retained != y->retained)
        return x->retained > y->retained;
    return x->node < y->node;
}

uint32_t loupe_held_suspects_end(const struct loupe_held_suspects *suspects, uint32_t first) {
    uint32_t end = first + 1;
    while (end < suspects->count &&
           suspects->items[end].trace.fingerprint == suspects->items[first].trace.fingerprint)
        end++;
    return end;
}

uint32_t loupe_held_suspects_size(const struct loupe_held_suspects *suspects,
                                  const struct loupe_held_suspect *first) {
    uint32_t begin = (uint32_t)(first - suspects->items);
    return loupe_held_suspects_end(suspects, begin) - begin;
}

static bool group_is_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_held_suspect *x = *(struct loupe_held_suspect *const *)a,
                                    *y = *(struct loupe_held_suspect *const *)b;
    (void)ctx;
    if (x->group_retained != y->group_retained)
        return x->group_retained > y->group_retained;
    return x->trace.fingerprint < y->trace.fingerprint;
}

/* No suspect here retains another: a path without others leads to each of them. */
static uint64_t retained_by_group(const struct loupe_held_suspects *suspects, uint32_t begin,
                                  uint32_t end) {
    uint64_t bytes = 0;
    for (uint32_t i = begin; i < end; i++)
        bytes += suspects->items[i].retained;
    return bytes;
}

static enum loupe_status group(struct loupe_held_suspects *suspects) {
    uint32_t end;
    loupe_sort(suspects->items, suspects->count, sizeof(*suspects->items), item_is_before, NULL);
    suspects->group_count = 0;
    suspects->groups = loupe_arena_alloc_array(&suspects->question->arena, suspects->count,
                                               sizeof(struct loupe_held_suspect *));
    if (!suspects->groups)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < suspects->count; i = end) {
        end = loupe_held_suspects_end(suspects, i);
        suspects->items[i].group_retained = retained_by_group(suspects, i, end);
        suspects->groups[suspects->group_count++] = &suspects->items[i];
    }
    loupe_sort(suspects->groups, suspects->group_count, sizeof(struct loupe_held_suspect *),
               group_is_before, NULL);
    return LOUPE_OK;
}

/* ---- Suspects ---- */

/* One that only others lead to is their matter. */
static void count_other(struct loupe_held_suspects *suspects, const struct loupe_suspect *suspect) {
    if (suspects->dominators->immediate[suspect->node] == LOUPE_NO_NODE)
        suspects->lost[suspects->not_held++] = *suspect;
    else
        suspects->by_others++;
}

static enum loupe_status add_held(struct loupe_held_suspects *suspects,
                                  const struct loupe_shortest *shortest,
                                  const struct loupe_suspect *suspect) {
    struct loupe_heap_question *question = suspects->question;
    const struct loupe_rule *rule = &question->rules.items[suspect->rule];
    if (loupe_path_level(shortest, suspect->node) == LOUPE_LEVEL_NONE) {
        count_other(suspects, suspect);
        return LOUPE_OK;
    }
    struct loupe_held_suspect *held = &suspects->items[suspects->count];
    enum loupe_status status =
        loupe_trace_shortest(&question->tracer, shortest, suspect->node, rule, &held->trace);
    if (status)
        return status;
    held->node = suspect->node;
    held->rule = rule;
    held->retained = suspects->dominators->retained[suspect->node];
    suspects->count++;
    return LOUPE_OK;
}

static enum loupe_status add_total(struct loupe_held_suspects *suspects) {
    struct loupe_heap_question *question = suspects->question;
    uint32_t *set = loupe_numbers_get(question->chunks, suspects->count);
    if (!set)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < suspects->count; i++)
        set[i] = suspects->items[i].node;
    const struct loupe_snapshot *snapshot = question->tracer.snapshot;
    struct loupe_others others = loupe_memory_apart(snapshot);
    enum loupe_status status = loupe_retained_by_set(
        &snapshot->columns, question->tracer.policy->owned,
        &(struct loupe_node_set){.nodes = set, .count = suspects->count, .others = &others},
        question->chunks, &suspects->total);
    loupe_numbers_put(question->chunks, &set, suspects->count);
    return status;
}

/* Paths end at suspects: what holds one of them through another is the other's mistake. */
static enum loupe_status find_paths(struct loupe_heap_question *question,
                                    const struct loupe_vector *all) {
    struct loupe_marks ends;
    if (question->has_to_suspects)
        return LOUPE_OK;
    if (loupe_marks_init(&ends, question->chunks, question->tracer.columns.nodes))
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct loupe_suspect *suspect = loupe_vector_at(all, i, sizeof(*suspect));
        loupe_mark(&ends, suspect->node);
    }
    enum loupe_status status = loupe_heap_question_search(question, &question->tracer.columns,
                                                          &ends, &question->to_suspects);
    question->has_to_suspects = !status;
    loupe_marks_deinit(&ends);
    return status;
}

static enum loupe_status add_all(struct loupe_held_suspects *suspects,
                                 const struct loupe_vector *all) {
    const struct loupe_shortest *paths = &suspects->question->to_suspects;
    enum loupe_status status = find_paths(suspects->question, all);
    for (uint32_t i = 0; !status && i < all->count; i++)
        status = add_held(suspects, paths, loupe_vector_at(all, i, sizeof(struct loupe_suspect)));
    return status ? status : add_total(suspects);
}

static enum loupe_status find(struct loupe_held_suspects *suspects,
                              const struct loupe_vector *all) {
    struct loupe_arena *arena = &suspects->question->arena;
    suspects->items = loupe_arena_alloc_array(arena, all->count, sizeof(*suspects->items));
    suspects->lost = loupe_arena_alloc_array(arena, all->count, sizeof(*suspects->lost));
    if (!suspects->items || !suspects->lost)
        return LOUPE_ENOMEM;
    if (!all->count)
        return LOUPE_OK;
    suspects->dominators = loupe_heap_question_dominators(suspects->question);
    return suspects->dominators ? add_all(suspects, all) : LOUPE_ENOMEM;
}

enum loupe_status loupe_held_suspects_find(struct loupe_held_suspects *suspects,
                                           struct loupe_heap_question *question) {
    struct loupe_vector all;
    *suspects = (struct loupe_held_suspects){.question = question};
    loupe_vector_init(&all, question->chunks, sizeof(struct loupe_suspect));
    enum loupe_status status = loupe_suspects_find(&question->ruled, question->chunks, &all);
    if (!status)
        status = find(suspects, &all);
    loupe_vector_deinit(&all);
    return status ? status : group(suspects);
}

/* ---- What is known ---- */

static bool is_known(const struct loupe_held_suspects *suspects,
                     const struct loupe_known_causes *known,
                     const struct loupe_held_suspect *first) {
    const struct loupe_snapshot *snapshot = suspects->question->tracer.snapshot;
    return known->knows(known->ctx, first->trace.fingerprint, "suspect of",
                        loupe_snapshot_class_name(snapshot, snapshot->classes[first->node]));
}

enum loupe_status loupe_held_suspects_hide(struct loupe_held_suspects *suspects,
                                           const struct loupe_known_causes *known,
                                           uint32_t *hidden) {
    uint32_t kept = 0, end;
    *hidden = 0;
    for (uint32_t i = 0; i < suspects->count; i = end) {
        end = loupe_held_suspects_end(suspects, i);
        if (is_known(suspects, known, &suspects->items[i])) {
            ++*hidden;
            continue;
        }
        memmove(&suspects->items[kept], &suspects->items[i], (end - i) * sizeof(*suspects->items));
        kept += end - i;
    }
    if (!*hidden)
        return LOUPE_OK;
    suspects->count = kept;
    enum loupe_status status = add_total(suspects);
    return status ? status : group(suspects);
}

/* ---- JSON ---- */

/* What shows the mistake beside the path: running code alone holds an object of a retain cycle, or
 * everybody makes it. */
static enum loupe_status report_cause(struct loupe_json *json,
                                      const struct loupe_own_cycle_asked *own,
                                      const struct loupe_held_suspect *first) {
    const struct loupe_snapshot *snapshot = own->rings.snapshot;
    const struct loupe_pattern *mistake =
        loupe_known_mistake_of_trace(own->mistakes, snapshot, &first->trace);
    if (mistake)
        loupe_json_put_text(json, "mistake", mistake->name);
    if (!snapshot->native || first->trace.level != LOUPE_LEVEL_STACK)
        return LOUPE_OK;
    return loupe_report_own_cycle(json, own, first->node);
}

static enum loupe_status report_group(struct loupe_json *json,
                                      const struct loupe_held_suspects *suspects,
                                      const struct loupe_own_cycle_asked *own,
                                      struct loupe_shown_stacks *stacks,
                                      const struct loupe_held_suspect *first) {
    const struct loupe_snapshot *snapshot = suspects->question->tracer.snapshot;
    const struct loupe_trace_facts facts = {.stacks = stacks, .dominators = suspects->dominators};
    uint32_t begin = (uint32_t)(first - suspects->items),
             end = loupe_held_suspects_end(suspects, begin);
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(first->trace.fingerprint, fingerprint);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "kind", "rule");
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_text(json, "class",
                        loupe_snapshot_class_name(snapshot, snapshot->classes[first->node]));
    loupe_report_rule(json, first->rule);
    loupe_json_put_uint(json, "count", end - begin);
    loupe_json_put_uint(json, "retained", first->group_retained);
    loupe_json_key(json, "addresses");
    loupe_json_begin_array(json);
    for (uint32_t i = begin; i < end; i++)
        loupe_json_address(json, loupe_snapshot_address(snapshot, suspects->items[i].node));
    loupe_json_end_array(json);
    loupe_json_key(json, "path");
    loupe_report_trace(json, &suspects->question->tracer, &first->trace, &facts);
    enum loupe_status status = report_cause(json, own, first);
    loupe_json_end_object(json);
    return status;
}

enum loupe_status loupe_report_held_suspects(struct loupe_json *json,
                                             const struct loupe_held_suspects *suspects,
                                             const struct loupe_own_cycle_asked *own,
                                             struct loupe_shown_stacks *stacks, uint32_t shown) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < shown && i < suspects->group_count; i++)
        status = report_group(json, suspects, own, stacks, suspects->groups[i]);
    return status;
}
