/* loupe diff: what grew between snapshots, and which leaks and knots are new. */
#include "heap_questions/compared/class_growth.h"
#include "heap_questions/compared/heap_news.h"
#include "heap_verbs/native_cycles.h"
#include "heaps/heap_answer.h"
#include "heaps/heap_question.h"
#include "pictures/picture_patterns.h"
#include "report/report_stacks.h"
#include "text/native_text.h"

enum { SHOWN_UNLESS_TOLD = 20 };

struct diff {
    const struct heap_query *query;
    struct loupe_arena arena;
    struct loupe_class_growth growth;
    struct loupe_heap_news news;
};

static bool is_native(const struct heap_query *query) {
    return query->older->native && query->snapshot->native;
}

/* ---- The answer ---- */

/* Where both are known and are not one. */
static void report_processes(struct loupe_json *json, const struct heap_query *query) {
    uint64_t before = query->older->native->process, now = query->snapshot->native->process;
    if (!before || !now || before == now)
        return;
    loupe_json_key(json, "processes");
    loupe_json_begin_array(json);
    loupe_json_uint(json, before);
    loupe_json_uint(json, now);
    loupe_json_end_array(json);
}

static enum loupe_status report(const struct diff *diff, struct loupe_json *json) {
    const struct heap_query *query = diff->query;
    struct loupe_shown_stacks none;
    enum loupe_status status = loupe_shown_stacks_init(&none, query->snapshot, &heap_chunks);
    if (status)
        return status;
    loupe_json_put_bool(json, "runs", query->options.runs);
    loupe_report_class_growth(json, &diff->growth);
    if (is_native(query)) {
        loupe_json_put_bool(json, "same_process", diff->growth.difference.tells_reuse);
        report_processes(json, query);
    }
    loupe_report_heap_news(json, &diff->news, is_native(query));
    loupe_report_shown_stacks(json, &none);
    loupe_shown_stacks_deinit(&none);
    return LOUPE_OK;
}

static int say(const struct diff *diff) {
    const struct heap_query *query = diff->query;
    const struct verb_values *options = &query->options;
    struct answer_report words = {.with_exchanged = options->has_limit || options->class_pattern};
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, loupe_snapshot_is_incomplete(query->older));
    return status ? status : heap_answer_end(&said, &words, report(diff, &said.json));
}

/* ---- The question ---- */

static enum loupe_status find_growth(struct diff *diff) {
    const struct heap_query *query = diff->query;
    const struct verb_values *options = &query->options;
    struct loupe_class_growth_asked asked = {.snapshots = query->snapshots,
                                             .count = query->file_count,
                                             .of_runs = options->runs,
                                             .pattern = options->class_pattern,
                                             .most = heap_query_most(query, SHOWN_UNLESS_TOLD)};
    return loupe_class_growth_find(&diff->growth, &asked, &diff->arena);
}

static enum loupe_status explain(struct diff *diff, struct heap_question *newer) {
    struct loupe_patterns patterns;
    const struct loupe_growth_explained asked = {.newer = &newer->heap,
                                                 .older = diff->query->older,
                                                 .patterns = &patterns,
                                                 .names = &words_names,
                                                 .of_runs = diff->query->options.runs};
    enum loupe_status status = patterns_read_shipped(&diff->arena, &patterns);
    return status ? status : loupe_class_growth_explain(&diff->growth, &asked);
}

static int find_native_news(struct diff *diff) {
    const struct heap_query *query = diff->query;
    struct heap_gates gates;
    int failed = heap_gates_init(&gates, query);
    if (failed)
        return failed;
    struct loupe_heap_cycles_asked asked = heap_cycles_asked(query, &gates);
    failed =
        loupe_native_news_find(&diff->news, &asked, query->older, query->snapshot, &diff->arena)
            ? heap_ended(query)
            : CLI_OK;
    heap_gates_deinit(&gates);
    return failed;
}

static int find_java_news(struct diff *diff, struct heap_question *newer) {
    struct heap_query query = *diff->query;
    struct heap_question older;
    query.snapshot = query.older;
    int failed = heap_question_init(&older, &query);
    if (failed)
        return failed;
    failed = loupe_java_news_find(&diff->news, &older.heap, &newer->heap) ? heap_ended(diff->query)
                                                                          : CLI_OK;
    heap_question_deinit(&older);
    return failed;
}

static int answer(struct diff *diff, struct heap_question *newer) {
    int failed = is_native(diff->query) ? find_native_news(diff) : find_java_news(diff, newer);
    if (failed)
        return failed;
    return explain(diff, newer) ? heap_ended(diff->query) : say(diff);
}

static int ask(struct diff *diff) {
    struct heap_question newer;
    if (find_growth(diff))
        return heap_ended(diff->query);
    int status = heap_question_init(&newer, diff->query);
    if (status)
        return status;
    status = answer(diff, &newer);
    heap_question_deinit(&newer);
    return status;
}

static bool are_of_one_kind(const struct heap_query *query) {
    for (unsigned i = 1; i < query->file_count; i++) {
        if (!query->snapshots[i]->native != !query->snapshots[0]->native)
            return false;
    }
    return true;
}

int heap_verb_diff(struct heap_query *query) {
    struct diff diff = {.query = query};
    if (!are_of_one_kind(query))
        return heap_fail(query, LOUPE_EUSAGE,
                         "only heaps of the same kind can be compared: one of these is a Java "
                         "heap, another is none");
    loupe_arena_init(&diff.arena, &heap_chunks);
    int status = ask(&diff);
    loupe_arena_deinit(&diff.arena);
    return status;
}
