/* loupe retained: what would go with an object, and which objects keep the most. */
#include "analysis/dominators/histogram.h"
#include "heaps/heap_answer.h"
#include "heaps/heap_question.h"
#include "leaks/heap_graph.h"
#include "report/heaps/report_trace.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 20 };

/* ---- Nodes, the biggest first ---- */

struct ranked {
    uint64_t retained;
    uint32_t node;
};

static int compare_ranked(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->retained != y->retained)
        return x->retained < y->retained ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* What is immediately dominated by a node, or by all roots together. False: no memory. */
struct ranking {
    struct ranked *items;
    uint32_t count;
};

static bool rank_dominated(const struct loupe_dominators *dominators, uint32_t by,
                           struct ranking *ret) {
    uint32_t count = 0;
    for (uint32_t node = 0; node < dominators->nodes; node++)
        count += dominators->immediate[node] == by;
    ret->items = malloc(((size_t)count + 1) * sizeof(*ret->items));
    ret->count = 0;
    for (uint32_t node = 0; ret->items && node < dominators->nodes; node++) {
        if (dominators->immediate[node] == by)
            ret->items[ret->count++] = (struct ranked){dominators->retained[node], node};
    }
    if (ret->items)
        qsort(ret->items, ret->count, sizeof(*ret->items), compare_ranked);
    return ret->items;
}

/* The same of all reachable objects of a class, whatever dominates them. */
static bool rank_class(const struct loupe_snapshot *snapshot,
                       const struct loupe_dominators *dominators, const char *pattern,
                       struct ranking *ret) {
    bool *matches = calloc((size_t)snapshot->class_count + 1, sizeof(*matches));
    ret->items = malloc(((size_t)dominators->nodes + 1) * sizeof(*ret->items));
    ret->count = 0;
    for (uint32_t i = 0; matches && i < snapshot->class_count; i++)
        matches[i] = heap_class_matches(snapshot, i, pattern);
    for (uint32_t node = 0; matches && ret->items && node < dominators->nodes; node++) {
        if (matches[snapshot->classes[node]] && dominators->immediate[node] != LOUPE_NO_NODE)
            ret->items[ret->count++] = (struct ranked){dominators->retained[node], node};
    }
    bool has_room = matches && ret->items;
    if (has_room)
        qsort(ret->items, ret->count, sizeof(*ret->items), compare_ranked);
    free(matches);
    return has_room;
}

/* ---- By class, of what a node retains ---- */

struct class_row {
    uint32_t class_number;
    uint64_t count, bytes;
};

static int compare_rows(const void *a, const void *b) {
    const struct class_row *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->class_number > y->class_number) - (x->class_number < y->class_number);
}

struct classes {
    struct class_row *rows;
    uint32_t count;
};

static void add_below(const struct loupe_snapshot *snapshot, const struct loupe_dominated *rows,
                      uint32_t top, uint32_t *stack, struct class_row *totals) {
    uint32_t depth = 0;
    stack[depth++] = top;
    while (depth) {
        uint32_t node = stack[--depth];
        struct class_row *total = &totals[snapshot->classes[node]];
        total->count++;
        total->bytes += loupe_columns_size(&snapshot->columns, node);
        for (uint32_t i = rows->first[node]; i < rows->first[node + 1]; i++)
            stack[depth++] = rows->of[i];
    }
}

static bool count_classes(const struct loupe_snapshot *snapshot,
                          const struct loupe_dominators *dominators, uint32_t node,
                          struct classes *ret) {
    struct loupe_dominated rows;
    if (loupe_dominated_find(dominators, &heap_chunks, &rows))
        return false;
    uint32_t *stack = malloc(((size_t)dominators->counts[node] + 1) * sizeof(*stack));
    struct class_row *totals = calloc((size_t)snapshot->class_count + 1, sizeof(*totals));
    if (stack && totals) {
        for (uint32_t i = 0; i < snapshot->class_count; i++)
            totals[i].class_number = i;
        add_below(snapshot, &rows, node, stack, totals);
        qsort(totals, snapshot->class_count, sizeof(*totals), compare_rows);
        ret->rows = totals;
        while (ret->count < snapshot->class_count && totals[ret->count].count)
            ret->count++;
    }
    bool has_room = stack && totals;
    if (!has_room)
        free(totals);
    free(stack);
    loupe_dominated_deinit(&rows);
    return has_room;
}

/* ---- The whole answer ---- */

struct retained {
    struct heap_question *question;
    const struct loupe_snapshot *snapshot;
    const struct loupe_dominators *dominators;
    bool has_object;
    uint32_t object;
    struct ranking below; /* the object, or all roots */
    struct classes classes;
};

static uint32_t shown_of(const struct retained *asked, uint32_t count) {
    const struct verb_values *options = &asked->question->query->options;
    uint64_t limit = options->has_limit ? options->limit : DEFAULT_LIMIT;
    return limit && limit < count ? (uint32_t)limit : count;
}

/* ---- JSON ---- */

/* Into an object that is open. */
static void put_node(struct loupe_json *json, const struct retained *asked, uint32_t node) {
    loupe_report_heap_object(json, asked->snapshot, node);
    loupe_report_part_of(json, &asked->question->heap.tracer, node);
    loupe_report_retained(json, asked->dominators, node);
}

static void report_below(struct loupe_json *json, const struct retained *asked, const char *key) {
    loupe_json_put_uint(json, "found", asked->below.count);
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < shown_of(asked, asked->below.count); i++) {
        loupe_json_begin_object(json);
        put_node(json, asked, asked->below.items[i].node);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void report_owners(struct loupe_json *json, const struct retained *asked) {
    uint32_t node = asked->dominators->immediate[asked->object];
    loupe_json_key(json, "dominators");
    loupe_json_begin_array(json);
    for (; node < asked->dominators->nodes; node = asked->dominators->immediate[node]) {
        loupe_json_begin_object(json);
        put_node(json, asked, node);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void report_classes(struct loupe_json *json, const struct retained *asked) {
    loupe_json_put_uint(json, "classes_found", asked->classes.count);
    loupe_json_key(json, "classes");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < shown_of(asked, asked->classes.count); i++) {
        const struct class_row *row = &asked->classes.rows[i];
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "class",
                            loupe_snapshot_class_name(asked->snapshot, row->class_number));
        loupe_json_put_uint(json, "count", row->count);
        loupe_json_put_uint(json, "size", row->bytes);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void report_object(struct loupe_json *json, const struct retained *asked) {
    loupe_json_key(json, "object");
    loupe_json_begin_object(json);
    put_node(json, asked, asked->object);
    loupe_json_put_bool(json, "reachable",
                        asked->dominators->immediate[asked->object] != LOUPE_NO_NODE);
    loupe_json_end_object(json);
    report_owners(json, asked);
    report_below(json, asked, "dominated");
    report_classes(json, asked);
}

/* Of what something keeps alive: memory without a class. */
static uint64_t count_reached_memory(const struct loupe_snapshot *snapshot,
                                     const struct loupe_dominators *dominators) {
    uint64_t count = 0;
    for (uint32_t node = 0; node < dominators->nodes; node++)
        count +=
            dominators->immediate[node] != LOUPE_NO_NODE && loupe_native_is_memory(snapshot, node);
    return count;
}

static int say(const struct retained *asked) {
    const struct heap_query *query = asked->question->query;
    struct answer_report report = {.most = shown_of(asked, UINT32_MAX)};
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, false);
    if (status)
        return status;
    loupe_json_put_string(&said.json, "counted_as", asked->question->heap.tracer.policy->name);
    if (asked->has_object) {
        report_object(&said.json, asked);
    } else {
        loupe_json_put_uint(&said.json, "reached", asked->dominators->reached);
        if (query->snapshot->native)
            loupe_json_put_uint(&said.json, "reached_others",
                                count_reached_memory(query->snapshot, asked->dominators));
        if (query->options.class_pattern)
            loupe_json_put_string(&said.json, "asked_class", query->options.class_pattern);
        report_below(&said.json, asked, "dominators");
    }
    return heap_answer_end(&said, &report, LOUPE_OK);
}

/* ---- Finding ---- */

static bool find(struct retained *asked) {
    const char *pattern = asked->question->query->options.class_pattern;
    if (pattern)
        return rank_class(asked->snapshot, asked->dominators, pattern, &asked->below);
    uint32_t by = asked->has_object ? asked->object : asked->snapshot->columns.nodes;
    if (!rank_dominated(asked->dominators, by, &asked->below))
        return false;
    bool is_reached =
        asked->has_object && asked->dominators->immediate[asked->object] != LOUPE_NO_NODE;
    return !is_reached ||
           count_classes(asked->snapshot, asked->dominators, asked->object, &asked->classes);
}

static int answer_with(struct heap_question *question, struct retained *asked) {
    asked->dominators = loupe_heap_question_dominators(&question->heap);
    if (!asked->dominators || !find(asked))
        return heap_ended(question->query);
    return say(asked);
}

int heap_verb_retained(struct heap_query *query) {
    struct heap_question question;
    struct retained asked = {
        .question = &question, .snapshot = query->snapshot, .has_object = query->operand_count > 0};
    int status = CLI_OK;
    if (asked.has_object && query->options.class_pattern)
        return heap_fail(query, LOUPE_EUSAGE, "missing OBJECT or --class PATTERN");
    if (asked.has_object && !heap_query_object(query, query->operands[0], &asked.object, &status))
        return status;
    status = heap_question_init(&question, query);
    if (status)
        return status;
    status = answer_with(&question, &asked);
    free(asked.below.items);
    free(asked.classes.rows);
    heap_question_deinit(&question);
    return status;
}
