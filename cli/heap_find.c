/* loupe find: the instances of classes by name. */
#include "amounts.h"
#include "capture.h"
#include "analysis/dominators.h"
#include "did_you_mean.h"
#include "heap_verb.h"
#include "native_words.h"
#include "leaks/heap_graph.h"
#include "report/class_words.h"
#include "report/report_dangling.h"
#include "report/report_snapshot.h"
#include "report/report_trace.h"
#include "show_dangling.h"
#include "show_stack.h"
#include "snapshot/native.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_UNLESS_TOLD = 30, VALUE_SIZE = 96 };

/* ---- Classes and instances ---- */

/* By class: whether its instances are asked for. NULL: no memory. */
static bool *match_classes(const struct heap_query *query) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    bool *matches = calloc((size_t)snapshot->class_count + 1, sizeof(*matches));
    for (uint32_t i = 0; matches && i < snapshot->class_count; i++) {
        uint32_t above = i;
        for (unsigned steps = 0; above != LOUPE_NONE && steps < LOUPE_MOST_SUPERCLASSES; steps++) {
            if (heap_class_matches(snapshot, above, query->operands[0]))
                matches[i] = true;
            if (matches[i] || !query->options.subclasses)
                break;
            above = snapshot->class_table[above].superclass;
        }
    }
    return matches;
}

struct found {
    uint64_t retained, address;
    uint32_t node;
};

static int compare_found(const void *left, const void *right) {
    const struct found *a = left, *b = right;
    if (a->retained != b->retained)
        return a->retained < b->retained ? 1 : -1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static uint64_t find_instances(const struct heap_query *query, const bool *matches,
                               const struct loupe_dominators *dominators, struct found *found) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    uint64_t count = 0;
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++) {
        if (!matches[snapshot->classes[node]])
            continue;
        if (found)
            found[count] = (struct found){.retained = dominators->retained[node],
                                          .address = loupe_snapshot_address(snapshot, node),
                                          .node = node};
        count++;
    }
    if (found)
        qsort(found, count, sizeof(*found), compare_found);
    return count;
}

/* ---- Those that were freed, or lead to what was ---- */

struct asked {
    const struct heap_query *query;
    const bool *matches;
};

static bool is_asked_for(const void *ctx, const struct loupe_snapshot *snapshot,
                         const struct loupe_dangling *dangling) {
    const struct asked *asked = ctx;
    return asked->matches[snapshot->classes[dangling->from]] ||
           heap_name_matches(loupe_snapshot_string(snapshot, dangling->was),
                             asked->query->operands[0]);
}

/* ---- Output ---- */

struct instances {
    const struct heap_query *query;
    const struct loupe_dominators *dominators;
    const struct found *found;
    uint64_t count, shown;
    struct loupe_dangling_groups dangling;
};

static bool is_reachable(const struct loupe_dominators *dominators, uint32_t node) {
    return dominators->immediate[node] != LOUPE_NO_NODE;
}

/* A heap that is collected has none. */
static void put_retain_count(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                             uint32_t node) {
    uint64_t count;
    loupe_json_key(json, "retain_count");
    if (snapshot->native && loupe_native_retain_count(snapshot, node, &count) == LOUPE_COUNT_KNOWN)
        loupe_json_uint(json, count);
    else
        loupe_json_null(json);
}

static struct loupe_span show_retains(const struct loupe_snapshot *snapshot, uint32_t node) {
    uint64_t count;
    enum loupe_retain_count kind = loupe_native_retain_count(snapshot, node, &count);
    if (kind == LOUPE_COUNT_KNOWN)
        return loupe_span_of(cli_count(count));
    return loupe_span_of(kind == LOUPE_COUNT_IMMORTAL ? "never freed" : "");
}

static const char *word_of_unreached(const struct loupe_snapshot *snapshot) {
    return snapshot->native ? "unreachable" : "garbage";
}

static int print_json(const struct instances *instances) {
    const struct loupe_snapshot *snapshot = instances->query->snapshot;
    const struct found *found = instances->found;
    struct loupe_shown_stacks stacks;
    struct loupe_json json;
    char value[VALUE_SIZE];
    if (loupe_shown_stacks_init(&stacks, snapshot, &heap_chunks))
        return heap_ended(instances->query);
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "find", snapshot, false);
    loupe_json_put_uint(&json, "found", instances->count);
    loupe_json_key(&json, "objects");
    loupe_json_begin_array(&json);
    for (uint64_t i = 0; i < instances->shown; i++) {
        uint32_t node = found[i].node;
        loupe_json_begin_object(&json);
        loupe_json_put_address(&json, "address", found[i].address);
        loupe_json_key(&json, "class");
        loupe_json_span(&json, loupe_snapshot_class_name(snapshot, snapshot->classes[node]));
        loupe_json_put_uint(&json, "size", loupe_columns_size(&snapshot->columns, node));
        loupe_json_put_uint(&json, "retained", found[i].retained);
        put_retain_count(&json, snapshot, node);
        loupe_json_put_bool(&json, "reachable", is_reachable(instances->dominators, node));
        size_t length = loupe_snapshot_show_value(snapshot, node, value, sizeof(value));
        loupe_json_put_text(&json, "value", (struct loupe_span){value, length});
        loupe_report_heap_name(&json, snapshot, node);
        loupe_report_node_stack(&json, &stacks, node);
        loupe_json_end_object(&json);
    }
    loupe_json_end_array(&json);
    loupe_report_shown_stacks(&json, &stacks);
    loupe_shown_stacks_deinit(&stacks);
    loupe_report_dangling(&json, snapshot, &instances->dangling, 0);
    loupe_report_snapshot_end(&json, snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
    return CLI_OK;
}

/* What stands behind the class. */
static void add_remarks(struct table *table, const struct loupe_snapshot *snapshot, uint32_t node) {
    char value[VALUE_SIZE];
    size_t length = loupe_snapshot_show_value(snapshot, node, value, sizeof(value));
    if (snapshot->heap_count)
        table_add(table, loupe_snapshot_heap_name(snapshot, node));
    if (loupe_snapshot_has_recorder(snapshot))
        table_add(table, loupe_span_of(
                             words_of_stack(snapshot, loupe_snapshot_stack(snapshot, node)).text));
    table_add(table, (struct loupe_span){value, length});
}

struct columns {
    bool retains, heaps, stacks;
};

static void begin_table(struct table *table, struct columns columns) {
    const char *headings[TABLE_MAX_COLUMNS] = {"address", "bytes", "retained"};
    unsigned count = 3;
    if (columns.retains)
        headings[count++] = "retain count";
    headings[count++] = "class";
    if (columns.heaps || columns.stacks)
        headings[count++] = columns.heaps ? "heap" : "allocated";
    headings[count++] = "value";
    table_init(table, count, headings);
    table->numbers = 1 << 1 | 1 << 2 | (columns.retains ? 1 << 3 : 0);
}

static void add_row(struct table *table, struct columns columns,
                    const struct loupe_snapshot *snapshot,
                    const struct loupe_dominators *dominators, const struct found *found) {
    uint32_t node = found->node;
    table_add_format(table, "0x%llx", (unsigned long long)found->address);
    table_add(table, loupe_span_of(cli_count(loupe_columns_size(&snapshot->columns, node))));
    table_add(table, loupe_span_of(is_reachable(dominators, node) ? cli_count(found->retained)
                                                                  : word_of_unreached(snapshot)));
    if (columns.retains)
        table_add(table, show_retains(snapshot, node));
    words_add_class(table, snapshot, snapshot->classes[node]);
    add_remarks(table, snapshot, node);
}

/* A class that has no instances, or the name of one that may be meant. */
static void show_near(const struct heap_query *query) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    const char *pattern = query->operands[0];
    struct guess guess = guess_of(pattern);
    char name[GUESS_LONGEST];
    if (strchr(pattern, '*'))
        return;
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        struct loupe_span text = loupe_public_class_name(loupe_snapshot_class_name(snapshot, i));
        if (loupe_span_equals(text, pattern)) {
            printf("%s is a known class; it has no instances, but those of subclasses "
                   "(--subclasses).\n",
                   cli_printable(text));
            return;
        }
        if (text.length >= sizeof(name))
            continue;
        loupe_format(name, sizeof(name), "%.*s", (int)text.length, text.bytes);
        guess_offer(&guess, name);
    }
    if (guess.best[0])
        printf("Did you mean %s?\n", cli_printable(loupe_span_of(guess.best)));
    else
        printf("A name is the whole name: '*%s*' finds it in longer ones.\n",
               cli_printable(loupe_span_of(pattern)));
}

static int print_text(const struct instances *instances) {
    const struct heap_query *query = instances->query;
    const struct loupe_snapshot *snapshot = query->snapshot;
    uint64_t count = instances->count, shown = instances->shown;
    struct columns columns = {.retains = snapshot->native,
                              .heaps = snapshot->heap_count,
                              .stacks = loupe_snapshot_has_recorder(snapshot)};
    struct table table;
    begin_table(&table, columns);
    for (uint64_t i = 0; i < shown; i++)
        add_row(&table, columns, snapshot, instances->dominators, &instances->found[i]);
    printf("%s instance%s found\n", cli_count(count), count == 1 ? "" : "s");
    if (shown)
        putchar('\n');
    bool printed = !shown || table_print(&table);
    table_deinit(&table);
    if (!printed)
        return heap_ended(query);
    if (shown < count)
        printf("\n%s more (--limit 0 shows all)\n", cli_count(count - shown));
    if (!count)
        show_near(query);
    show_dangling(snapshot, &instances->dangling);
    show_recorder(snapshot);
    bool says_lost = false;
    for (uint64_t i = 0; i < shown; i++)
        says_lost |= !is_reachable(instances->dominators, instances->found[i].node);
    heap_print_notes(query, says_lost);
    return CLI_OK;
}

static int print(const struct heap_query *query, const bool *matches, struct instances *instances) {
    struct asked asked = {query, matches};
    struct loupe_dangling_choice choice = {&asked, is_asked_for};
    struct loupe_arena arena;
    loupe_arena_init(&arena, &heap_chunks);
    int status = loupe_dangling_find(query->snapshot, &choice, &arena, &instances->dangling)
                     ? heap_ended(query)
                     : heap_begin_output(query);
    if (!status)
        status = query->options.json ? print_json(instances) : print_text(instances);
    loupe_arena_deinit(&arena);
    return status;
}

static int show(const struct heap_query *query, const bool *matches,
                const struct loupe_dominators *dominators) {
    uint64_t count = find_instances(query, matches, dominators, NULL);
    struct found *found = calloc(count + 1, sizeof(*found));
    if (!found)
        return heap_ended(query);
    find_instances(query, matches, dominators, found);
    uint64_t limit = query->options.has_limit ? query->options.limit : SHOWN_UNLESS_TOLD;
    struct instances instances = {.query = query,
                                  .dominators = dominators,
                                  .found = found,
                                  .count = count,
                                  .shown = limit && limit < count ? limit : count};
    int status = print(query, matches, &instances);
    free(found);
    return status;
}

int heap_verb_find(struct heap_query *query) {
    struct loupe_dominators dominators;
    bool *matches = match_classes(query);
    if (!matches || heap_dominators(query, query->policy, &dominators)) {
        free(matches);
        return heap_ended(query);
    }
    int status = show(query, matches, &dominators);
    loupe_dominators_deinit(&dominators);
    free(matches);
    return status;
}
