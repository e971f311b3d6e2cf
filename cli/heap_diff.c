/* loupe diff: what grew between snapshots, and which leaks and knots are new. */
#include "amounts.h"
#include "answers/texts.h"
#include "capture.h"
#include "cycles/fingerprint.h"
#include "mistakes/growth.h"
#include "pictures/picture_patterns.h"
#include "held_suspects.h"
#include "cycles/knot_shapes.h"
#include "native_news.h"
#include "report/report_snapshot.h"
#include "show_reuse.h"
#include "snapshot/difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 20, SHOWN_NEWS = 10, CLASSES_EXPLAINED = 20 };

static int64_t delta(const struct loupe_class_difference *row) {
    return (int64_t)row->new_bytes - (int64_t)row->old_bytes;
}

/* What grew most comes first, what shrank last. */
static int compare_rows(const void *a, const void *b) {
    const struct loupe_class_difference *x = a, *y = b;
    if (delta(x) != delta(y))
        return delta(x) < delta(y) ? 1 : -1;
    if (x->added != y->added)
        return x->added < y->added ? 1 : -1;
    size_t length = x->name.length < y->name.length ? x->name.length : y->name.length;
    int order = memcmp(x->name.bytes, y->name.bytes, length);
    return order ? order : (x->name.length > y->name.length) - (x->name.length < y->name.length);
}

static bool has_changed(const struct loupe_class_difference *row) {
    return row->added || row->gone || delta(row) || row->maybe_reused;
}

/* Of two runs: which object is which nobody can tell, only how many there are. */
static void count_as_runs(struct loupe_difference *difference) {
    struct loupe_class_difference *total = &difference->total;
    total->added = total->gone = total->still = total->reused = total->maybe_reused = 0;
    difference->tells_reuse = false;
    for (uint32_t i = 0; i < difference->count; i++) {
        struct loupe_class_difference *row = &difference->classes[i];
        uint64_t before = row->gone + row->still, after = row->added + row->still;
        row->still = before < after ? before : after;
        row->added = after - row->still;
        row->gone = before - row->still;
        row->reused = row->maybe_reused = 0;
        total->added += row->added;
        total->gone += row->gone;
        total->still += row->still;
    }
}

static enum loupe_status compare(const struct heap_query *query, const struct loupe_snapshot *older,
                                 const struct loupe_snapshot *newer, struct loupe_arena *arena,
                                 struct loupe_difference *ret) {
    enum loupe_status status = loupe_difference_find(older, newer, arena, ret);
    if (!status && query->options.runs)
        count_as_runs(ret);
    return status;
}

/* Those that changed stand in front, in order. */
static uint32_t keep_changed(struct loupe_difference *difference, const char *pattern) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < difference->count; i++) {
        const struct loupe_class_difference *row = &difference->classes[i];
        if (has_changed(row) && (!pattern || heap_name_matches(row->name, pattern)))
            difference->classes[kept++] = *row;
    }
    qsort(difference->classes, kept, sizeof(*difference->classes), compare_rows);
    return kept;
}

/* ---- Leaks and knots that are new ---- */

/* Numbers of what is new among what a snapshot has. */
struct news {
    uint32_t *numbers;
    uint32_t count;
};

/* What is asked of both snapshots. A collector frees knots by itself, so what leaks is what rules
 * say should be gone and something holds. */
struct side {
    struct heap_query query;
    struct heap_question question;
    struct held_suspects leaks;
    struct loupe_knot_shapes knots;
    bool has_question;
};

/* What paths are asked with. */
static int open_question(struct side *side, const struct heap_query *query,
                         const struct loupe_snapshot *snapshot) {
    side->query = *query;
    side->query.snapshot = snapshot;
    int status = heap_question_init(&side->question, &side->query);
    side->has_question = !status;
    return status;
}

static int open_side(struct side *side, const struct heap_query *query,
                     const struct loupe_snapshot *snapshot) {
    int status = open_question(side, query, snapshot);
    if (status)
        return status;
    if (!held_suspects_find(&side->leaks, &side->question) ||
        loupe_knot_shapes_find(&side->knots, &side->question.tracer, &heap_chunks, LOUPE_NO_NODE))
        return heap_ended(query);
    return CLI_OK;
}

static void close_side(struct side *side) {
    if (!side->has_question)
        return;
    held_suspects_deinit(&side->leaks);
    loupe_knot_shapes_deinit(&side->knots);
    heap_question_deinit(&side->question);
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t leak_fingerprint(const struct side *side, uint32_t i) {
    return side->leaks.groups[i]->trace.fingerprint;
}

static uint64_t knot_fingerprint(const struct side *side, uint32_t i) {
    return side->knots.items[i].fingerprint;
}

/*
 * The numbers of those of the newer side whose fingerprints the older one has not, the largest
 * first, as they stand there. False: no memory.
 */
static bool find_new(const struct side *older, uint32_t old_count, const struct side *newer,
                     uint32_t new_count,
                     uint64_t (*fingerprint)(const struct side *side, uint32_t i),
                     struct news *ret) {
    uint64_t *known = malloc(((size_t)old_count + 1) * sizeof(*known));
    ret->numbers = malloc(((size_t)new_count + 1) * sizeof(*ret->numbers));
    bool has_room = known && ret->numbers;
    for (uint32_t i = 0; has_room && i < old_count; i++)
        known[i] = fingerprint(older, i);
    if (has_room)
        qsort(known, old_count, sizeof(*known), compare_numbers);
    for (uint32_t i = 0; has_room && i < new_count; i++) {
        uint64_t wanted = fingerprint(newer, i);
        if (!bsearch(&wanted, known, old_count, sizeof(*known), compare_numbers))
            ret->numbers[ret->count++] = i;
    }
    free(known);
    return has_room;
}

/* ---- Answers ---- */

struct answer {
    const struct heap_query *query;
    struct loupe_difference difference;
    uint32_t changed, shown; /* classes */
    struct side older, newer;
    struct news leaks, knots;       /* of the newer side */
    struct native_news native;      /* in their place, of Objective-C heaps */
    struct loupe_difference *steps; /* where there are more than two: from each to the next */
    uint32_t step_count;
    const struct loupe_pattern
        *growth[CLASSES_EXPLAINED]; /* of the first rows: why it grows, or NULL */
};

/* More objects of it came than went. */
static bool is_growing(const struct loupe_class_difference *row) {
    return row->added > row->gone && delta(row) > 0;
}

/* What lets classes grow. False: no memory, or no time. */
static bool find_growth(struct answer *answer, struct loupe_arena *arena) {
    struct loupe_patterns patterns;
    struct heap_question *question = &answer->newer.question;
    if (!answer->newer.has_question)
        return true;
    if (patterns_read_shipped(arena, &patterns))
        return false;
    for (uint32_t i = 0; i < answer->shown && i < CLASSES_EXPLAINED; i++) {
        const struct loupe_class_difference *row = &answer->difference.classes[i];
        if (!is_growing(row))
            continue;
        struct loupe_growth growth = {.tracer = &question->tracer,
                                      .shortest = heap_question_shortest(question, NULL),
                                      .older = answer->query->older,
                                      .patterns = &patterns};
        if (!growth.shortest || loupe_growth_pattern(&growth, row->name, &answer->growth[i]))
            return false;
    }
    return true;
}

static const struct loupe_pattern *growth_of(const struct answer *answer, uint32_t row) {
    return row < CLASSES_EXPLAINED ? answer->growth[row] : NULL;
}

static bool find_news(struct answer *answer) {
    const struct side *older = &answer->older, *newer = &answer->newer;
    return find_new(older, older->leaks.group_count, newer, newer->leaks.group_count,
                    leak_fingerprint, &answer->leaks) &&
           find_new(older, older->knots.count, newer, newer->knots.count, knot_fingerprint,
                    &answer->knots);
}

static void report_news(struct loupe_json *json, const char *name, const struct side *newer,
                        const struct news *news,
                        uint64_t (*fingerprint)(const struct side *side, uint32_t i)) {
    char text[LOUPE_FINGERPRINT_TEXT];
    loupe_json_key(json, name);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < news->count; i++) {
        loupe_fingerprint_text(fingerprint(newer, news->numbers[i]), text);
        loupe_json_string(json, text);
    }
    loupe_json_end_array(json);
}

static bool is_native(const struct heap_query *query) {
    return query->older->native && query->snapshot->native;
}

/* By how many objects a class grew in a step. */
static int64_t growth(const struct answer *answer, uint32_t step, struct loupe_span name) {
    const struct loupe_difference *difference = &answer->steps[step];
    for (uint32_t i = 0; i < difference->count; i++) {
        const struct loupe_class_difference *row = &difference->classes[i];
        if (row->name.length == name.length && !memcmp(row->name.bytes, name.bytes, name.length))
            return (int64_t)row->added - (int64_t)row->gone;
    }
    return 0;
}

static void report_steps(struct loupe_json *json, const struct answer *answer,
                         struct loupe_span name) {
    if (!answer->step_count)
        return;
    loupe_json_key(json, "steps");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < answer->step_count; i++)
        loupe_json_int(json, growth(answer, i, name));
    loupe_json_end_array(json);
}

static void show_steps(const struct answer *answer, struct loupe_span name) {
    bool always = answer->step_count > 1;
    printf(":");
    for (uint32_t i = 0; i < answer->step_count; i++) {
        int64_t grown = growth(answer, i, name);
        printf(" %+lld", (long long)grown);
        always &= grown > 0;
    }
    printf("%s", always ? "  ◀── each time" : "");
}

static void report(const struct answer *answer) {
    const struct heap_query *query = answer->query;
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "diff", query->snapshot,
                                loupe_snapshot_is_incomplete(query->older));
    loupe_json_put_uint(&json, "changed", answer->changed);
    loupe_json_key(&json, "classes");
    loupe_json_begin_array(&json);
    for (uint32_t i = 0; i < answer->shown; i++) {
        const struct loupe_class_difference *row = &answer->difference.classes[i];
        loupe_json_begin_object(&json);
        loupe_json_put_text(&json, "class", row->name);
        loupe_json_put_uint(&json, "new", row->added);
        loupe_json_put_uint(&json, "gone", row->gone);
        loupe_json_put_uint(&json, "still", row->still);
        if (answer->difference.tells_reuse)
            report_reuse(&json, row);
        loupe_json_key(&json, "size_delta");
        loupe_json_int(&json, delta(row));
        if (growth_of(answer, i))
            loupe_json_put_text(&json, "pattern", growth_of(answer, i)->id);
        report_steps(&json, answer, row->name);
        loupe_json_end_object(&json);
    }
    loupe_json_end_array(&json);
    if (is_native(query)) {
        loupe_json_put_bool(&json, "same_process", answer->difference.tells_reuse);
        if (answer->difference.tells_reuse)
            report_reuse(&json, &answer->difference.total);
        native_news_report(&json, &answer->native);
    } else {
        report_news(&json, "new_leaks", &answer->newer, &answer->leaks, leak_fingerprint);
        report_news(&json, "new_knots", &answer->newer, &answer->knots, knot_fingerprint);
    }
    loupe_report_snapshot_end(&json, query->snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
}

static const char *signed_bytes(int64_t bytes) {
    static char text[40];
    snprintf(text, sizeof(text), "%s%s", bytes < 0 ? "-" : "+",
             cli_bytes(bytes < 0 ? (uint64_t)-bytes : (uint64_t)bytes));
    return text;
}

/* As many as before: they are other objects, which tells nobody that anything grew. */
static bool is_exchanged(const struct answer *answer, const struct loupe_class_difference *row) {
    const struct verb_values *options = &answer->query->options;
    return row->added == row->gone && !delta(row) && !options->has_limit && !options->class_pattern;
}

/* Returns how many rows it left out. */
static uint32_t show_rows(const struct answer *answer) {
    const struct loupe_difference *difference = &answer->difference;
    uint32_t left_out = 0;
    bool runs = answer->query->options.runs;
    printf("  %14s  %12s  %12s  %12s\n", "size", runs ? "more" : "new", runs ? "fewer" : "gone",
           runs ? "in both" : "still");
    for (uint32_t i = 0; i < answer->shown; i++) {
        const struct loupe_class_difference *row = &difference->classes[i];
        if (is_exchanged(answer, row)) {
            left_out++;
            continue;
        }
        printf("  %14s  %12s  %12s  %12s  %s", signed_bytes(delta(row)), cli_count(row->added),
               cli_count(row->gone), cli_count(row->still), cli_printable(row->name));
        if (answer->step_count)
            show_steps(answer, row->name);
        printf("\n");
    }
    return left_out;
}

static void show_growth(const struct answer *answer) {
    for (uint32_t i = 0; i < answer->shown; i++) {
        const struct loupe_pattern *pattern = growth_of(answer, i);
        if (pattern)
            printf(ANSWER_KNOWN_MISTAKE "%.*s (%s)\n", (int)pattern->name.length,
                   pattern->name.bytes, cli_printable(answer->difference.classes[i].name));
    }
}

static void show_leaks(const struct answer *answer) {
    const struct loupe_snapshot *snapshot = answer->query->snapshot;
    char text[LOUPE_FINGERPRINT_TEXT];
    if (answer->leaks.count)
        printf("%s new cause%s of suspects (loupe suspects shows the paths):\n",
               cli_count(answer->leaks.count), answer->leaks.count == 1 ? "" : "s");
    for (uint32_t i = 0; i < answer->leaks.count && i < SHOWN_NEWS; i++) {
        const struct held_suspect *first = answer->newer.leaks.groups[answer->leaks.numbers[i]];
        loupe_fingerprint_text(first->trace.fingerprint, text);
        printf("  %s  %s  %s\n", text, cli_bytes(first->group_retained),
               cli_printable(loupe_snapshot_class_name(snapshot, snapshot->classes[first->node])));
    }
    if (answer->leaks.count > SHOWN_NEWS)
        printf("  … and %s more\n", cli_count(answer->leaks.count - SHOWN_NEWS));
}

static void show_knots(const struct answer *answer) {
    const struct loupe_snapshot *snapshot = answer->query->snapshot;
    const struct loupe_knot_shapes *shapes = &answer->newer.knots;
    char text[LOUPE_FINGERPRINT_TEXT];
    if (answer->knots.count)
        printf("%s new distinct cycle%s (loupe cycles shows %s):\n", cli_count(answer->knots.count),
               answer->knots.count == 1 ? "" : "s", answer->knots.count == 1 ? "it" : "them");
    for (uint32_t i = 0; i < answer->knots.count && i < SHOWN_NEWS; i++) {
        const struct loupe_knot_shape *shape = &shapes->items[answer->knots.numbers[i]];
        uint32_t first = shapes->knots.first[shape->knot];
        loupe_fingerprint_text(shape->fingerprint, text);
        printf("  %s  %s × %s\n", text, cli_count(shape->count),
               cli_printable(loupe_snapshot_class_name(snapshot, snapshot->classes[first])));
    }
    if (answer->knots.count > SHOWN_NEWS)
        printf("  … and %s more\n", cli_count(answer->knots.count - SHOWN_NEWS));
}

static int show(const struct answer *answer) {
    int status = CLI_OK;
    const struct loupe_class_difference *total = &answer->difference.total;
    if (answer->query->options.runs)
        printf("%s from run to run: %s more, %s fewer, by class\n", signed_bytes(delta(total)),
               cli_count(total->added), cli_count(total->gone));
    else
        printf("%s: %s new, %s gone, %s still there\n", signed_bytes(delta(total)),
               cli_count(total->added), cli_count(total->gone), cli_count(total->still));
    uint32_t exchanged = answer->shown ? show_rows(answer) : 0;
    if (exchanged)
        printf("  … and %s %s as many new as gone, of the same size (--limit 0 shows all)\n",
               cli_count(exchanged), exchanged == 1 ? "class with" : "classes with");
    if (answer->shown < answer->changed)
        printf("  … and %s more classes that changed (--limit 0 shows all)\n",
               cli_count(answer->changed - answer->shown));
    if (!is_native(answer->query) && !answer->query->options.runs && total->gone &&
        total->gone >= total->still)
        printf("note: most objects have other addresses now, such as after a collector moved them: "
               "they count as new and as gone;\nsizes and differences are right\n");
    if (is_native(answer->query) && !answer->query->options.runs)
        show_reuse(answer->query, &answer->difference, answer->changed);
    show_growth(answer);
    if (is_native(answer->query)) {
        status = native_news_show(answer->query, &answer->native);
    } else {
        show_leaks(answer);
        show_knots(answer);
    }
    heap_print_notes(answer->query, is_native(answer->query));
    return status;
}

static int print(struct answer *answer, struct loupe_arena *arena) {
    const struct verb_values *options = &answer->query->options;
    answer->changed = keep_changed(&answer->difference, options->class_pattern);
    uint64_t limit = options->has_limit ? options->limit : DEFAULT_LIMIT;
    answer->shown = limit && limit < answer->changed ? (uint32_t)limit : answer->changed;
    if (!find_growth(answer, arena))
        return heap_ended(answer->query);
    int status = heap_begin_output(answer->query);
    if (status)
        return status;
    if (!options->json)
        return show(answer);
    report(answer);
    return CLI_OK;
}

static bool find_steps(struct answer *answer, struct loupe_arena *arena) {
    const struct heap_query *query = answer->query;
    if (query->file_count < 3)
        return true;
    answer->step_count = query->file_count - 1;
    answer->steps = loupe_arena_alloc_array(arena, answer->step_count, sizeof(*answer->steps));
    for (uint32_t i = 0; answer->steps && i < answer->step_count; i++) {
        if (compare(query, query->snapshots[i], query->snapshots[i + 1], arena, &answer->steps[i]))
            return false;
    }
    return answer->steps;
}

static int answer_with(struct answer *answer, struct loupe_arena *arena) {
    const struct heap_query *query = answer->query;
    if (compare(query, query->older, query->snapshot, arena, &answer->difference))
        return heap_ended(query);
    if (!find_steps(answer, arena))
        return heap_ended(query);
    if (is_native(query)) {
        int failed = native_news_find(query, &answer->native);
        if (!failed)
            failed = open_question(&answer->newer, query, query->snapshot);
        return failed ? failed : print(answer, arena);
    }
    int status = open_side(&answer->older, query, query->older);
    if (!status)
        status = open_side(&answer->newer, query, query->snapshot);
    if (!status && !find_news(answer))
        status = heap_ended(query);
    return status ? status : print(answer, arena);
}

static bool are_of_one_kind(const struct heap_query *query) {
    for (unsigned i = 1; i < query->file_count; i++) {
        if (!query->snapshots[i]->native != !query->snapshots[0]->native)
            return false;
    }
    return true;
}

int heap_verb_diff(struct heap_query *query) {
    struct loupe_arena arena;
    struct answer answer = {.query = query};
    if (!are_of_one_kind(query))
        return heap_fail(query, LOUPE_EUSAGE,
                         "only heaps of the same kind can be compared: one of these is a Java "
                         "heap, another is none");
    loupe_arena_init(&arena, &heap_chunks);
    int status = answer_with(&answer, &arena);
    close_side(&answer.older);
    close_side(&answer.newer);
    native_news_deinit(&answer.native);
    free(answer.leaks.numbers);
    free(answer.knots.numbers);
    loupe_arena_deinit(&arena);
    return status;
}
