#include "held_suspects.h"

#include "amounts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_EQUAL = 4 };

/* ---- Groups ---- */

/* Equal mistakes together. The first one gives a group its reason, so where objects lie comes last.
 */
static int compare_items(const void *a, const void *b) {
    const struct held_suspect *x = a, *y = b;
    if (x->trace.fingerprint != y->trace.fingerprint)
        return x->trace.fingerprint < y->trace.fingerprint ? -1 : 1;
    if (x->rule != y->rule) /* of one table */
        return x->rule < y->rule ? -1 : 1;
    if (x->retained != y->retained)
        return x->retained < y->retained ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

uint32_t held_suspects_end(const struct held_suspects *suspects, uint32_t first) {
    uint32_t end = first + 1;
    while (end < suspects->count &&
           suspects->items[end].trace.fingerprint == suspects->items[first].trace.fingerprint)
        end++;
    return end;
}

static int compare_groups(const void *a, const void *b) {
    const struct held_suspect *x = *(struct held_suspect *const *)a,
                              *y = *(struct held_suspect *const *)b;
    if (x->group_retained != y->group_retained)
        return x->group_retained < y->group_retained ? 1 : -1;
    return (x->trace.fingerprint > y->trace.fingerprint) -
           (x->trace.fingerprint < y->trace.fingerprint);
}

/* No suspect here retains another: a path without others leads to each of them. */
static uint64_t retained_by_group(const struct held_suspects *suspects, uint32_t begin,
                                  uint32_t end) {
    uint64_t bytes = 0;
    for (uint32_t i = begin; i < end; i++)
        bytes += suspects->items[i].retained;
    return bytes;
}

static bool group(struct held_suspects *suspects) {
    uint32_t end;
    qsort(suspects->items, suspects->count, sizeof(*suspects->items), compare_items);
    suspects->groups = malloc(((size_t)suspects->count + 1) * sizeof(*suspects->groups));
    for (uint32_t i = 0; suspects->groups && i < suspects->count; i = end) {
        end = held_suspects_end(suspects, i);
        suspects->items[i].group_retained = retained_by_group(suspects, i, end);
        suspects->groups[suspects->group_count++] = &suspects->items[i];
    }
    if (suspects->groups)
        qsort(suspects->groups, suspects->group_count, sizeof(*suspects->groups), compare_groups);
    return suspects->groups;
}

/* ---- Suspects ---- */

/* One that only others lead to is their matter. */
static void count_other(struct held_suspects *suspects, const struct loupe_suspect *suspect) {
    if (suspects->dominators->immediate[suspect->node] == LOUPE_NO_NODE)
        suspects->lost[suspects->not_held++] = *suspect;
    else
        suspects->by_others++;
}

static bool add_held(struct held_suspects *suspects, const struct loupe_shortest *shortest,
                     const struct loupe_suspect *suspect) {
    struct heap_question *question = suspects->question;
    const struct loupe_rule *rule = &question->rules.items[suspect->rule];
    if (loupe_path_level(shortest, suspect->node) == LOUPE_LEVEL_NONE) {
        count_other(suspects, suspect);
        return true;
    }
    struct held_suspect *held = &suspects->items[suspects->count];
    if (loupe_trace_shortest(&question->tracer, shortest, suspect->node, rule, &held->trace))
        return false;
    held->node = suspect->node;
    held->rule = rule;
    held->retained = suspects->dominators->retained[suspect->node];
    suspects->count++;
    return true;
}

static bool add_total(struct held_suspects *suspects) {
    const struct loupe_columns *columns = &suspects->question->query->snapshot->columns;
    uint32_t *set = malloc(((size_t)suspects->count + 1) * sizeof(*set));
    for (uint32_t i = 0; set && i < suspects->count; i++)
        set[i] = suspects->items[i].node;
    bool done = set && !loupe_retained_by_set(columns, suspects->question->tracer.policy->owned,
                                              set, suspects->count, &heap_chunks, &suspects->total);
    free(set);
    return done;
}

/* Paths end at suspects: what holds one of them through another is the other's mistake. */
static const struct loupe_shortest *find_paths(struct held_suspects *suspects,
                                               const struct loupe_vector *all) {
    struct loupe_marks ends;
    if (loupe_marks_init(&ends, &heap_chunks, suspects->question->tracer.columns.nodes))
        return NULL;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct loupe_suspect *suspect = loupe_vector_at(all, i, sizeof(*suspect));
        loupe_mark(&ends, suspect->node);
    }
    const struct loupe_shortest *shortest = heap_question_shortest(suspects->question, &ends);
    loupe_marks_deinit(&ends);
    return shortest;
}

static bool find(struct held_suspects *suspects, const struct loupe_vector *all) {
    suspects->items = calloc((size_t)all->count + 1, sizeof(*suspects->items));
    suspects->lost = calloc((size_t)all->count + 1, sizeof(*suspects->lost));
    if (!suspects->items || !suspects->lost || !all->count)
        return suspects->items && suspects->lost;
    suspects->dominators = heap_question_dominators(suspects->question);
    const struct loupe_shortest *shortest = suspects->dominators ? find_paths(suspects, all) : NULL;
    bool done = shortest;
    for (uint32_t i = 0; done && i < all->count; i++)
        done = add_held(suspects, shortest, loupe_vector_at(all, i, sizeof(struct loupe_suspect)));
    return done && add_total(suspects);
}

bool held_suspects_find(struct held_suspects *suspects, struct heap_question *question) {
    struct loupe_vector all;
    *suspects = (struct held_suspects){.question = question};
    loupe_vector_init(&all, &heap_chunks, sizeof(struct loupe_suspect));
    bool done = !loupe_suspects_find(&question->ruled, &heap_chunks, &all) &&
                find(suspects, &all) && group(suspects);
    loupe_vector_deinit(&all);
    return done;
}

void held_suspects_deinit(struct held_suspects *suspects) {
    free(suspects->groups);
    free(suspects->lost);
    free(suspects->items);
}

/* ---- Baselines ---- */

static bool is_known(const struct held_suspects *suspects, struct heap_gates *gates,
                     const struct held_suspect *first) {
    const struct loupe_snapshot *snapshot = suspects->question->query->snapshot;
    return heap_gates_know_suspect(
        gates, first->trace.fingerprint, "suspect of",
        loupe_snapshot_class_name(snapshot, snapshot->classes[first->node]));
}

uint32_t held_suspects_hide(struct held_suspects *suspects, struct heap_gates *gates,
                            bool *ret_done) {
    uint32_t kept = 0, hidden = 0, end;
    for (uint32_t i = 0; i < suspects->count; i = end) {
        end = held_suspects_end(suspects, i);
        if (is_known(suspects, gates, &suspects->items[i])) {
            hidden++;
            continue;
        }
        memmove(&suspects->items[kept], &suspects->items[i], (end - i) * sizeof(*suspects->items));
        kept += end - i;
    }
    *ret_done = true;
    if (!hidden)
        return 0;
    free(suspects->groups);
    suspects->groups = NULL;
    suspects->count = kept;
    suspects->group_count = 0;
    *ret_done = add_total(suspects) && group(suspects);
    return hidden;
}

/* ---- Words of suspects ---- */

void show_equal_ones(const struct loupe_snapshot *snapshot, const uint32_t *first, size_t stride,
                     uint32_t count) {
    uint32_t shown = count - 1 < SHOWN_EQUAL ? count - 1 : SHOWN_EQUAL;
    for (uint32_t i = 1; i <= shown; i++) {
        const uint32_t *node = (const uint32_t *)((const char *)first + i * stride);
        printf("%s 0x%" PRIx64, i == 1 ? "  The same with" : ",",
               loupe_snapshot_address(snapshot, *node));
    }
    if (shown < count - 1)
        printf(" and %s more", cli_count(count - 1 - shown));
    if (shown)
        printf("\n");
}

static struct loupe_span file_of(const struct loupe_rule *rule) {
    const char *slash = strrchr(rule->origin, '/');
    return loupe_span_of(slash ? slash + 1 : rule->origin);
}

void show_reason(const struct loupe_rule *rule) {
    if (rule->reason.length)
        printf(": %s", cli_printable(rule->reason));
    printf(" (line %u of %s)", rule->line, cli_printable(file_of(rule)));
}

void report_rule(struct loupe_json *json, const struct loupe_rule *rule) {
    loupe_json_put_text(json, "reason", rule->reason);
    loupe_json_key(json, "rule");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "file", file_of(rule));
    loupe_json_put_uint(json, "line", rule->line);
    loupe_json_end_object(json);
}
