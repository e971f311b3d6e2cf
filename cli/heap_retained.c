/* loupe retained: what would go with an object, and which objects keep the most. */
#include "amounts.h"
#include "answers/texts.h"
#include "capture.h"
#include "analysis/histogram.h"
#include "heap_question.h"
#include "leaks/heap_graph.h"
#include "memory_words.h"
#include "report/report_snapshot.h"
#include "report/report_trace.h"
#include "show_trace.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 20, ROUNDED = 1000 /* cli_bytes() has fewer bytes exactly */ };

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

struct answer {
    struct heap_question *question;
    const struct loupe_snapshot *snapshot;
    const struct loupe_dominators *dominators;
    bool has_object;
    uint32_t object;
    struct ranking below; /* the object, or all roots */
    struct classes classes;
};

static uint32_t shown_of(const struct answer *answer, uint32_t count) {
    const struct verb_values *options = &answer->question->query->options;
    uint64_t limit = options->has_limit ? options->limit : DEFAULT_LIMIT;
    return limit && limit < count ? (uint32_t)limit : count;
}

/* ---- JSON ---- */

static void report_node(struct loupe_json *json, const struct answer *answer, uint32_t node) {
    loupe_json_begin_object(json);
    loupe_report_heap_object(json, answer->snapshot, node);
    loupe_json_put_uint(json, "retained", answer->dominators->retained[node]);
    loupe_json_put_uint(json, "retained_objects", answer->dominators->counts[node]);
    loupe_json_end_object(json);
}

static void report_below(struct loupe_json *json, const struct answer *answer, const char *key) {
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < shown_of(answer, answer->below.count); i++)
        report_node(json, answer, answer->below.items[i].node);
    loupe_json_end_array(json);
}

static void report_owners(struct loupe_json *json, const struct answer *answer) {
    uint32_t node = answer->dominators->immediate[answer->object];
    loupe_json_key(json, "dominators");
    loupe_json_begin_array(json);
    for (; node < answer->dominators->nodes; node = answer->dominators->immediate[node])
        report_node(json, answer, node);
    loupe_json_end_array(json);
}

static void report_classes(struct loupe_json *json, const struct answer *answer) {
    loupe_json_key(json, "classes");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < shown_of(answer, answer->classes.count); i++) {
        const struct class_row *row = &answer->classes.rows[i];
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "class",
                            loupe_snapshot_class_name(answer->snapshot, row->class_number));
        loupe_json_put_uint(json, "count", row->count);
        loupe_json_put_uint(json, "size", row->bytes);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void report(const struct answer *answer) {
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "retained", answer->snapshot, false);
    loupe_json_put_string(&json, "counted_as", answer->question->tracer.policy->name);
    if (answer->has_object) {
        loupe_json_key(&json, "object");
        report_node(&json, answer, answer->object);
        report_owners(&json, answer);
        report_below(&json, answer, "dominated");
        report_classes(&json, answer);
    } else {
        report_below(&json, answer, "dominators");
    }
    loupe_report_snapshot_end(&json, answer->snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
}

/* ---- Text ---- */

static void show_amounts(const struct answer *answer, uint32_t node) {
    printf("%12s  %12s  ", cli_bytes(answer->dominators->retained[node]),
           cli_count(answer->dominators->counts[node]));
}

/* Memory without a class says whose it is. */
static void show_owner(const struct answer *answer, uint32_t node) {
    const struct loupe_snapshot *snapshot = answer->snapshot;
    bool is_memory = snapshot->native && loupe_native_is_memory(snapshot, node);
    const struct loupe_shortest *shortest =
        is_memory ? heap_question_path(answer->question, node) : NULL;
    struct words name;
    if (!shortest || !memory_words(&answer->question->tracer, shortest, node, &name)) {
        show_object(snapshot, node);
        return;
    }
    printf("%s (%s) 0x%" PRIx64, name.text, cli_bytes(loupe_columns_size(&snapshot->columns, node)),
           loupe_snapshot_address(snapshot, node));
}

static void show_below(const struct answer *answer) {
    uint32_t shown = shown_of(answer, answer->below.count);
    printf("  %12s  %12s\n", "retained", "objects");
    for (uint32_t i = 0; i < shown; i++) {
        printf("  ");
        show_amounts(answer, answer->below.items[i].node);
        show_owner(answer, answer->below.items[i].node);
        printf("\n");
    }
    if (shown < answer->below.count)
        printf("  … and %s smaller (--limit 0 shows all)\n",
               cli_count(answer->below.count - shown));
}

static void show_owners(const struct answer *answer) {
    uint32_t node = answer->dominators->immediate[answer->object];
    if (node == answer->dominators->nodes) {
        printf(ANSWER_NO_DOMINATOR "\n");
        return;
    }
    printf("Its dominators, nearest first:\n");
    uint32_t shown = 0, most = shown_of(answer, UINT32_MAX), more = 0;
    for (; node < answer->dominators->nodes; node = answer->dominators->immediate[node]) {
        if (shown == most) {
            more++;
            continue;
        }
        shown++;
        printf("  ");
        show_amounts(answer, node);
        show_object(answer->snapshot, node);
        printf("\n");
    }
    if (more)
        printf("  … and %s more on the way to a root (--limit 0 shows all)\n", cli_count(more));
}

static void show_classes(const struct answer *answer) {
    uint32_t shown = shown_of(answer, answer->classes.count);
    printf("\nWhat it retains, by class:\n  %12s  %12s\n", "bytes", "objects");
    for (uint32_t i = 0; i < shown; i++) {
        const struct class_row *row = &answer->classes.rows[i];
        printf("  %12s  %12s  %s\n", cli_bytes(row->bytes), cli_count(row->count),
               cli_printable(loupe_snapshot_class_name(answer->snapshot, row->class_number)));
    }
    if (shown < answer->classes.count)
        printf("  … and %s more classes (--limit 0 shows all)\n",
               cli_count(answer->classes.count - shown));
}

static void show_one(const struct answer *answer) {
    uint32_t node = answer->object;
    show_object(answer->snapshot, node);
    if (answer->dominators->immediate[node] == LOUPE_NO_NODE) {
        printf(" is %s, or held by weak references only\n",
               answer->snapshot->native ? "unreachable (see loupe leaks)" : "garbage");
        return;
    }
    uint64_t retained = answer->dominators->retained[node];
    printf(" retains %s", cli_bytes(retained));
    if (retained >= ROUNDED)
        printf(" (%" PRIu64 " bytes)", retained);
    printf(" in %s object%s\n", cli_count(answer->dominators->counts[node]),
           answer->dominators->counts[node] == 1 ? "" : "s");
    show_owners(answer);
    if (answer->below.count) {
        printf("\nIt directly dominates:\n");
        show_below(answer);
    }
    show_classes(answer);
}

static void show(const struct answer *answer) {
    if (answer->has_object) {
        show_one(answer);
    } else if (answer->question->query->options.class_pattern) {
        printf("%s reachable object%s of such a class, by what each alone keeps alive:\n",
               cli_count(answer->below.count), answer->below.count == 1 ? "" : "s");
        show_below(answer);
    } else {
        printf("Top-level dominators (%s reachable object%s):\n",
               cli_count(answer->dominators->reached), answer->dominators->reached == 1 ? "" : "s");
        show_below(answer);
    }
    heap_print_notes(answer->question->query,
                     answer->has_object &&
                         answer->dominators->immediate[answer->object] == LOUPE_NO_NODE);
}

static bool find(struct answer *answer) {
    const char *pattern = answer->question->query->options.class_pattern;
    if (pattern)
        return rank_class(answer->snapshot, answer->dominators, pattern, &answer->below);
    uint32_t by = answer->has_object ? answer->object : answer->snapshot->columns.nodes;
    if (!rank_dominated(answer->dominators, by, &answer->below))
        return false;
    bool is_reached =
        answer->has_object && answer->dominators->immediate[answer->object] != LOUPE_NO_NODE;
    return !is_reached ||
           count_classes(answer->snapshot, answer->dominators, answer->object, &answer->classes);
}

static int answer_with(struct heap_question *question, struct answer *answer) {
    answer->dominators = heap_question_dominators(question);
    if (!answer->dominators || !find(answer))
        return heap_ended(question->query);
    int status = heap_begin_output(question->query);
    if (status)
        return status;
    if (question->query->options.json)
        report(answer);
    else
        show(answer);
    return CLI_OK;
}

int heap_verb_retained(struct heap_query *query) {
    struct heap_question question;
    struct answer answer = {
        .question = &question, .snapshot = query->snapshot, .has_object = query->operand_count > 0};
    int status = CLI_OK;
    if (answer.has_object && query->options.class_pattern)
        return heap_fail(query, LOUPE_EUSAGE, "say which object, or --class PATTERN");
    if (answer.has_object && !heap_query_object(query, query->operands[0], &answer.object, &status))
        return status;
    status = heap_question_init(&question, query);
    if (status)
        return status;
    status = answer_with(&question, &answer);
    free(answer.below.items);
    free(answer.classes.rows);
    heap_question_deinit(&question);
    return status;
}
