#include "amounts.h"
#include "cycles/fingerprint.h"
#include "heap_question.h"
#include "report/report_snapshot.h"
#include "report/report_trace.h"
#include "show_trace.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DEFAULT_LIMIT = 20, SHOWN_EQUAL = 4 };

/* ---- Suspects that are held, grouped by where the mistake is ---- */

struct held {
    struct loupe_trace trace;
    uint32_t node;
    const struct loupe_rule *rule;
    uint64_t retained;
};

struct answer {
    struct heap_question *question;
    const struct loupe_dominators *dominators;
    struct held *held; /* equal fingerprints together, the largest group first */
    uint32_t count;
    uint32_t by_others;        /* suspects that are held by those only */
    uint32_t not_held;         /* suspects that nothing keeps alive any more */
    struct loupe_amount total; /* what all of them keep alive together */
};

static int compare_fingerprints(const void *a, const void *b) {
    const struct held *x = a, *y = b;
    if (x->trace.fingerprint != y->trace.fingerprint)
        return x->trace.fingerprint < y->trace.fingerprint ? -1 : 1;
    if (x->retained != y->retained)
        return x->retained < y->retained ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static uint32_t group_end(const struct answer *answer, uint32_t first) {
    uint32_t end = first + 1;
    while (end < answer->count &&
           answer->held[end].trace.fingerprint == answer->held[first].trace.fingerprint)
        end++;
    return end;
}

/* The largest member stands for its group, which moves as one. */
static int compare_groups(const void *a, const void *b) {
    const struct held *x = *(struct held *const *)a, *y = *(struct held *const *)b;
    if (x->retained != y->retained)
        return x->retained < y->retained ? 1 : -1;
    return (x->trace.fingerprint > y->trace.fingerprint) -
           (x->trace.fingerprint < y->trace.fingerprint);
}

struct groups {
    struct held **firsts;
    uint32_t count;
};

static bool group(struct answer *answer, struct groups *ret) {
    qsort(answer->held, answer->count, sizeof(*answer->held), compare_fingerprints);
    ret->firsts = malloc(((size_t)answer->count + 1) * sizeof(*ret->firsts));
    ret->count = 0;
    for (uint32_t i = 0; ret->firsts && i < answer->count; i = group_end(answer, i))
        ret->firsts[ret->count++] = &answer->held[i];
    if (ret->firsts)
        qsort(ret->firsts, ret->count, sizeof(*ret->firsts), compare_groups);
    return ret->firsts;
}

/* One that only others lead to is their matter. */
static void count_other(struct answer *answer, uint32_t node) {
    if (answer->dominators->immediate[node] == LOUPE_NO_NODE)
        answer->not_held++;
    else
        answer->by_others++;
}

static bool add_held(struct answer *answer, const struct loupe_shortest *shortest,
                     const struct loupe_suspect *suspect) {
    struct heap_question *question = answer->question;
    const struct loupe_rule *rule = &question->rules.items[suspect->rule];
    if (loupe_path_level(shortest, suspect->node) == LOUPE_LEVEL_NONE) {
        count_other(answer, suspect->node);
        return true;
    }
    struct held *held = &answer->held[answer->count];
    if (loupe_trace_shortest(&question->tracer, shortest, suspect->node, rule, &held->trace))
        return false;
    held->node = suspect->node;
    held->rule = rule;
    held->retained = answer->dominators->retained[suspect->node];
    answer->count++;
    return true;
}

static bool add_total(struct answer *answer) {
    const struct loupe_columns *columns = &answer->question->query->snapshot->columns;
    uint32_t *set = malloc(((size_t)answer->count + 1) * sizeof(*set));
    for (uint32_t i = 0; set && i < answer->count; i++)
        set[i] = answer->held[i].node;
    bool done = set && !loupe_retained_by_set(columns, answer->question->tracer.policy->owned, set,
                                              answer->count, &heap_chunks, &answer->total);
    free(set);
    return done;
}

/* Paths end at suspects: what holds one of them through another is the other's mistake. */
static const struct loupe_shortest *find_paths(struct answer *answer,
                                               const struct loupe_vector *suspects) {
    struct loupe_marks ends;
    if (loupe_marks_init(&ends, &heap_chunks, answer->question->tracer.columns.nodes))
        return NULL;
    for (uint32_t i = 0; i < suspects->count; i++) {
        const struct loupe_suspect *suspect = loupe_vector_at(suspects, i, sizeof(*suspect));
        loupe_mark(&ends, suspect->node);
    }
    const struct loupe_shortest *shortest = heap_question_shortest(answer->question, &ends);
    loupe_marks_deinit(&ends);
    return shortest;
}

static bool find(struct answer *answer) {
    struct loupe_vector suspects;
    loupe_vector_init(&suspects, &heap_chunks, sizeof(struct loupe_suspect));
    bool done = !loupe_suspects_find(&answer->question->ruled, &heap_chunks, &suspects);
    const struct loupe_shortest *shortest = done ? find_paths(answer, &suspects) : NULL;
    answer->held = shortest ? calloc((size_t)suspects.count + 1, sizeof(*answer->held)) : NULL;
    done = answer->held;
    for (uint32_t i = 0; done && i < suspects.count; i++)
        done =
            add_held(answer, shortest, loupe_vector_at(&suspects, i, sizeof(struct loupe_suspect)));
    loupe_vector_deinit(&suspects);
    return done && add_total(answer);
}

/* ---- JSON ---- */

static void report_group(struct loupe_json *json, const struct answer *answer,
                         const struct held *first) {
    const struct loupe_snapshot *snapshot = answer->question->query->snapshot;
    uint32_t begin = (uint32_t)(first - answer->held), end = group_end(answer, begin);
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(first->trace.fingerprint, fingerprint);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_text(json, "class",
                        loupe_snapshot_class_name(snapshot, snapshot->classes[first->node]));
    loupe_json_put_text(json, "reason", first->rule->reason);
    loupe_json_put_uint(json, "count", end - begin);
    loupe_json_put_uint(json, "retained", first->retained);
    loupe_json_key(json, "addresses");
    loupe_json_begin_array(json);
    for (uint32_t i = begin; i < end; i++)
        loupe_json_address(json, loupe_snapshot_address(snapshot, answer->held[i].node));
    loupe_json_end_array(json);
    loupe_json_key(json, "path");
    loupe_report_trace(json, &answer->question->tracer, &first->trace);
    loupe_json_end_object(json);
}

static void report(const struct answer *answer, const struct groups *groups, uint32_t shown) {
    const struct loupe_snapshot *snapshot = answer->question->query->snapshot;
    struct loupe_json json;
    loupe_json_init(&json, cli_stdout_sink());
    loupe_report_snapshot_begin(&json, "suspects", snapshot, false);
    loupe_json_put_uint(&json, "found", answer->count);
    loupe_json_put_uint(&json, "held_by_suspects", answer->by_others);
    loupe_json_put_uint(&json, "not_held", answer->not_held);
    loupe_json_put_uint(&json, "retained", answer->total.bytes);
    loupe_json_put_uint(&json, "retained_objects", answer->total.objects);
    loupe_json_put_uint(&json, "groups", groups->count);
    loupe_json_key(&json, "suspects");
    loupe_json_begin_array(&json);
    for (uint32_t i = 0; i < shown; i++)
        report_group(&json, answer, groups->firsts[i]);
    loupe_json_end_array(&json);
    loupe_report_snapshot_end(&json, snapshot);
    loupe_json_finish(&json);
    putchar('\n');
}

/* ---- Text ---- */

static void show_equal_ones(const struct answer *answer, uint32_t begin, uint32_t end) {
    const struct loupe_snapshot *snapshot = answer->question->query->snapshot;
    if (end - begin < 2)
        return;
    printf("  The same with");
    for (uint32_t i = begin + 1; i < end && i <= begin + SHOWN_EQUAL; i++)
        printf("%s 0x%" PRIx64, i > begin + 1 ? "," : "",
               loupe_snapshot_address(snapshot, answer->held[i].node));
    if (end - begin - 1 > SHOWN_EQUAL)
        printf(" and %s more", cli_count(end - begin - 1 - SHOWN_EQUAL));
    printf("\n");
}

static void show_group(const struct answer *answer, const struct held *first) {
    const struct loupe_snapshot *snapshot = answer->question->query->snapshot;
    uint32_t begin = (uint32_t)(first - answer->held), end = group_end(answer, begin);
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(first->trace.fingerprint, fingerprint);
    printf("\n%s × %s, %s%sfingerprint %s\n", cli_count(end - begin),
           cli_printable(loupe_snapshot_class_name(snapshot, snapshot->classes[first->node])),
           first->rule->reason.length ? cli_printable(first->rule->reason) : "",
           first->rule->reason.length ? "; " : "", fingerprint);
    if (first->trace.level == LOUPE_LEVEL_LATE)
        printf("  Held only by a known leak of a library, a soft reference or the like\n");
    if (first->trace.level == LOUPE_LEVEL_STACK)
        printf("  Held only by code that runs\n");
    show_trace(&answer->question->tracer, &first->trace, answer->dominators);
    show_equal_ones(answer, begin, end);
}

static void show(const struct answer *answer, const struct groups *groups, uint32_t shown) {
    if (answer->count)
        printf("%s object%s should be gone and %s held, by %s different mistake%s; together they "
               "keep %s alive in %s objects\n",
               cli_count(answer->count), answer->count == 1 ? "" : "s",
               answer->count == 1 ? "is" : "are", cli_count(groups->count),
               groups->count == 1 ? "" : "s", cli_bytes(answer->total.bytes),
               cli_count(answer->total.objects));
    else
        printf("No object that is held should be gone, by %s rules\n",
               cli_count(answer->question->rules.count));
    for (uint32_t i = 0; i < shown; i++)
        show_group(answer, groups->firsts[i]);
    if (shown < groups->count)
        printf("\n… and %s more mistakes (--limit 0 shows all)\n",
               cli_count(groups->count - shown));
    if (answer->by_others)
        printf("\n%s more should be gone and %s held by these only\n", cli_count(answer->by_others),
               answer->by_others == 1 ? "is" : "are");
    if (answer->not_held)
        printf("\n%s object%s that should be gone will be: nothing keeps %s alive\n",
               cli_count(answer->not_held), answer->not_held == 1 ? "" : "s",
               answer->not_held == 1 ? "it" : "them");
    heap_print_notes(answer->question->query);
}

static int answer_with(struct answer *answer, struct groups *groups) {
    const struct heap_query *query = answer->question->query;
    answer->dominators = heap_question_dominators(answer->question);
    if (!answer->dominators)
        return CLI_FAILURE;
    if (!find(answer) || !group(answer, groups))
        return heap_no_memory(query);
    uint64_t limit = query->options.has_limit ? query->options.limit : DEFAULT_LIMIT;
    uint32_t shown = limit && limit < groups->count ? (uint32_t)limit : groups->count;
    int status = heap_begin_output(query);
    if (status)
        return status;
    if (query->options.json)
        report(answer, groups, shown);
    else
        show(answer, groups, shown);
    return CLI_OK;
}

static int run(struct heap_query *query) {
    struct heap_question question;
    int status = heap_question_init(&question, query);
    if (status)
        return status;
    struct answer answer = {.question = &question};
    struct groups groups = {0};
    status = answer_with(&answer, &groups);
    free(groups.firsts);
    free(answer.held);
    heap_question_deinit(&question);
    return status;
}

const struct heap_verb heap_verb_suspects = {
    .name = "suspects",
    .operands = "",
    .summary = "objects that rules say should be gone, and what holds them",
    .help = "Objects that rules say should be gone and that something holds, grouped by the "
            "references that can be the\n"
            "mistake. Rules about Android, the JDK and LeakCanary come with loupe; yours count "
            "before them (docs/rules.md).",
    .options = HEAP_OPTION_LIMIT | HEAP_OPTION_RULES | HEAP_OPTION_EXCLUDE | HEAP_OPTION_COUNT_AS,
    .files = 1,
    .least_operands = 0,
    .most_operands = 0,
    .run = run,
};
