/* loupe diff: what grew between snapshots, and which leaks and knots are new. */
#include "shared/amounts.h"
#include "answers/texts.h"
#include "shared/capture.h"
#include "cycles/knots/fingerprint.h"
#include "heap_questions/class_growth.h"
#include "heap_verbs/native_cycles.h"
#include "text/native_news.h"
#include "pictures/picture_patterns.h"
#include "heaps/heap_question.h"
#include "report/heaps/report_snapshot.h"
#include "text/show_reuse.h"

#include <inttypes.h>

enum { DEFAULT_LIMIT = 20, SHOWN_NEWS = 10 };

struct diff {
    const struct heap_query *query;
    struct loupe_arena arena;
    struct loupe_class_growth growth;
    struct loupe_heap_news news;
};

static bool is_native(const struct heap_query *query) {
    return query->older->native && query->snapshot->native;
}

/* ---- JSON ---- */

static void report(const struct diff *diff) {
    const struct heap_query *query = diff->query;
    const struct loupe_difference *difference = &diff->growth.difference;
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "diff", query->snapshot,
                                loupe_snapshot_is_incomplete(query->older));
    loupe_report_class_growth(&json, &diff->growth);
    if (is_native(query))
        loupe_json_put_bool(&json, "same_process", difference->tells_reuse);
    if (is_native(query) && difference->tells_reuse)
        loupe_report_reuse(&json, &difference->total);
    loupe_report_heap_news(&json, &diff->news, is_native(query));
    loupe_report_snapshot_end(&json, query->snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
}

/* ---- Text ---- */

static void show_steps(const struct diff *diff, struct loupe_span name) {
    bool always = diff->growth.step_count > 1;
    printf(":");
    for (uint32_t i = 0; i < diff->growth.step_count; i++) {
        int64_t grown = loupe_class_step(&diff->growth, i, name);
        printf(" %+lld", (long long)grown);
        always &= grown > 0;
    }
    printf("%s", always ? "  ◀── each time" : "");
}

static const char *signed_bytes(int64_t bytes) {
    static char text[40];
    snprintf(text, sizeof(text), "%s%s", bytes < 0 ? "-" : "+",
             cli_bytes(bytes < 0 ? (uint64_t)-bytes : (uint64_t)bytes));
    return text;
}

/* As many as before: they are other objects, which tells nobody that anything grew. */
static bool is_exchanged(const struct diff *diff, const struct loupe_class_difference *row) {
    const struct verb_values *options = &diff->query->options;
    return row->added == row->gone && !loupe_class_delta(row) && !options->has_limit &&
           !options->class_pattern;
}

/* Returns how many rows it left out. */
static uint32_t show_rows(const struct diff *diff) {
    const struct loupe_difference *difference = &diff->growth.difference;
    uint32_t left_out = 0;
    bool runs = diff->query->options.runs;
    printf("  %14s  %12s  %12s  %12s\n", "size", runs ? "more" : "new", runs ? "fewer" : "gone",
           runs ? "in both" : "still");
    for (uint32_t i = 0; i < diff->growth.shown; i++) {
        const struct loupe_class_difference *row = &difference->classes[i];
        if (is_exchanged(diff, row)) {
            left_out++;
            continue;
        }
        printf("  %14s  %12s  %12s  %12s  %s", signed_bytes(loupe_class_delta(row)),
               cli_count(row->added), cli_count(row->gone), cli_count(row->still),
               cli_printable(row->name));
        if (diff->growth.step_count)
            show_steps(diff, row->name);
        printf("\n");
    }
    return left_out;
}

static void show_growth(const struct diff *diff) {
    for (uint32_t i = 0; i < diff->growth.shown; i++) {
        const struct loupe_pattern *pattern = loupe_why_class_grows(&diff->growth, i);
        if (pattern)
            printf(ANSWER_KNOWN_MISTAKE "%.*s (%s)\n", (int)pattern->name.length,
                   pattern->name.bytes, cli_printable(diff->growth.difference.classes[i].name));
    }
}

static void show_leaks(const struct loupe_heap_news *news) {
    char text[LOUPE_FINGERPRINT_TEXT];
    if (news->leak_count)
        printf("%s new cause%s of suspects (loupe suspects shows the paths):\n",
               cli_count(news->leak_count), news->leak_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < news->leak_count && i < SHOWN_NEWS; i++) {
        loupe_fingerprint_text(news->leaks[i].fingerprint, text);
        printf("  %s  %s  %s\n", text, cli_bytes(news->leaks[i].bytes),
               cli_printable(news->leaks[i].what));
    }
    if (news->leak_count > SHOWN_NEWS)
        printf("  … and %s more\n", cli_count(news->leak_count - SHOWN_NEWS));
}

static void show_knots(const struct loupe_heap_news *news) {
    char text[LOUPE_FINGERPRINT_TEXT];
    if (news->knot_count)
        printf("%s new distinct cycle%s (loupe cycles shows %s):\n", cli_count(news->knot_count),
               news->knot_count == 1 ? "" : "s", news->knot_count == 1 ? "it" : "them");
    for (uint32_t i = 0; i < news->knot_count && i < SHOWN_NEWS; i++) {
        loupe_fingerprint_text(news->knots[i].fingerprint, text);
        printf("  %s  %s × %s\n", text, cli_count(news->knots[i].now),
               cli_printable(news->knots[i].what));
    }
    if (news->knot_count > SHOWN_NEWS)
        printf("  … and %s more\n", cli_count(news->knot_count - SHOWN_NEWS));
}

static int show(const struct diff *diff) {
    int status = CLI_OK;
    const struct loupe_class_difference *total = &diff->growth.difference.total;
    if (diff->query->options.runs)
        printf("%s from run to run: %s more, %s fewer, by class\n",
               signed_bytes(loupe_class_delta(total)), cli_count(total->added),
               cli_count(total->gone));
    else
        printf("%s: %s new, %s gone, %s still there\n", signed_bytes(loupe_class_delta(total)),
               cli_count(total->added), cli_count(total->gone), cli_count(total->still));
    uint32_t exchanged = diff->growth.shown ? show_rows(diff) : 0;
    if (exchanged)
        printf("  … and %s %s as many new as gone, of the same size (--limit 0 shows all)\n",
               cli_count(exchanged), exchanged == 1 ? "class with" : "classes with");
    if (diff->growth.shown < diff->growth.changed)
        printf("  … and %s more classes that changed (--limit 0 shows all)\n",
               cli_count(diff->growth.changed - diff->growth.shown));
    if (!is_native(diff->query) && !diff->query->options.runs && total->gone &&
        total->gone >= total->still)
        printf("note: most objects have other addresses now, such as after a collector moved them: "
               "they count as new and as gone;\nsizes and differences are right\n");
    if (is_native(diff->query) && !diff->query->options.runs)
        show_reuse(diff->query, &diff->growth.difference, diff->growth.changed);
    show_growth(diff);
    if (is_native(diff->query)) {
        status = native_news_show(diff->query, &diff->news);
    } else {
        show_leaks(&diff->news);
        show_knots(&diff->news);
    }
    heap_print_notes(diff->query, is_native(diff->query));
    return status;
}

/* ---- The question ---- */

static int print(const struct diff *diff) {
    int status = heap_begin_output(diff->query);
    if (status)
        return status;
    if (!diff->query->options.json)
        return show(diff);
    report(diff);
    return CLI_OK;
}

static enum loupe_status find_growth(struct diff *diff) {
    const struct heap_query *query = diff->query;
    const struct verb_values *options = &query->options;
    uint64_t limit = options->has_limit ? options->limit : DEFAULT_LIMIT;
    struct loupe_class_growth_asked asked = {.snapshots = query->snapshots,
                                             .count = query->file_count,
                                             .of_runs = options->runs,
                                             .pattern = options->class_pattern,
                                             .most = limit < UINT32_MAX ? (uint32_t)limit : 0};
    return loupe_class_growth_find(&diff->growth, &asked, &diff->arena);
}

static enum loupe_status explain(struct diff *diff, struct heap_question *newer) {
    struct loupe_patterns patterns;
    enum loupe_status status = patterns_read_shipped(&diff->arena, &patterns);
    return status ? status
                  : loupe_class_growth_explain(&diff->growth, &newer->heap, diff->query->older,
                                               &patterns);
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
    return explain(diff, newer) ? heap_ended(diff->query) : print(diff);
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
