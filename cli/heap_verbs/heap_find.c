/* loupe find: the instances of classes by name. */
#include "heap_questions/heap_question.h"
#include "analysis/dominators/dominators.h"
#include "line/did_you_mean.h"
#include "heaps/heap_answer.h"
#include "leaks/heap_graph.h"
#include "report/class_words.h"
#include "report/heaps/report_dangling.h"
#include "report/heaps/report_trace.h"
#include "snapshot/native.h"

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
        /* Cap: the note of too many fields. */
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
           loupe_class_name_matches(loupe_snapshot_string(snapshot, dangling->was),
                                    asked->query->operands[0]);
}

/* ---- Output ---- */

struct instances {
    const struct heap_query *query;
    const struct loupe_dominators *dominators;
    const struct found *found;
    uint64_t count, shown;
    struct loupe_dangling_groups dangling;
    struct loupe_tracer tracer;
};

static bool is_reachable(const struct loupe_dominators *dominators, uint32_t node) {
    return dominators->immediate[node] != LOUPE_NO_NODE;
}

/* A heap that is collected has none. */
static void put_retain_count(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                             uint32_t node) {
    uint64_t count;
    enum loupe_retain_count kind =
        snapshot->native ? loupe_native_retain_count(snapshot, node, &count) : LOUPE_COUNT_UNKNOWN;
    loupe_json_key(json, "retain_count");
    if (kind == LOUPE_COUNT_KNOWN)
        loupe_json_uint(json, count);
    else
        loupe_json_null(json);
    if (kind == LOUPE_COUNT_IMMORTAL)
        loupe_json_put_bool(json, "immortal", true);
}

static void report_object(struct loupe_json *json, const struct instances *instances,
                          const struct found *found, struct loupe_shown_stacks *stacks) {
    const struct loupe_snapshot *snapshot = instances->query->snapshot;
    uint32_t node = found->node;
    char value[VALUE_SIZE];
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", found->address);
    loupe_json_key(json, "class");
    loupe_json_span(json, loupe_snapshot_class_name(snapshot, snapshot->classes[node]));
    loupe_json_put_uint(json, "size", loupe_columns_size(&snapshot->columns, node));
    loupe_json_put_uint(json, "retained", found->retained);
    put_retain_count(json, snapshot, node);
    loupe_json_put_bool(json, "reachable", is_reachable(instances->dominators, node));
    size_t length = loupe_snapshot_show_value(snapshot, node, value, sizeof(value));
    loupe_json_put_text(json, "value", (struct loupe_span){value, length});
    loupe_report_about_node(json, snapshot, node);
    loupe_report_part_of(json, &instances->tracer, node);
    loupe_report_node_stack(json, stacks, node);
    loupe_json_end_object(json);
}

/* A class that has no instances, or the name of one that may be meant. */
static void report_near(struct loupe_json *json, const struct heap_query *query) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    struct guess guess = guess_of(query->operands[0]);
    char name[GUESS_LONGEST];
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        struct loupe_span text = loupe_public_class_name(loupe_snapshot_class_name(snapshot, i));
        if (loupe_span_equals(text, query->operands[0])) {
            loupe_json_put_text(json, "known_class", text);
            return;
        }
        if (text.length >= sizeof(name))
            continue;
        loupe_format(name, sizeof(name), "%.*s", (int)text.length, text.bytes);
        guess_offer(&guess, name);
    }
    if (guess.best[0])
        loupe_json_put_string(json, "near_class", guess.best);
}

static void report(struct loupe_json *json, const struct instances *instances,
                   struct loupe_shown_stacks *stacks) {
    loupe_json_put_uint(json, "found", instances->count);
    if (!instances->count && !strchr(instances->query->operands[0], '*'))
        report_near(json, instances->query);
    loupe_json_key(json, "objects");
    loupe_json_begin_array(json);
    for (uint64_t i = 0; i < instances->shown; i++)
        report_object(json, instances, &instances->found[i], stacks);
    loupe_json_end_array(json);
    loupe_report_shown_stacks(json, stacks);
    loupe_report_dangling(json, instances->tracer.owners, &instances->dangling, 0);
}

static int say(const struct instances *instances) {
    const struct heap_query *query = instances->query;
    struct answer_report words = {.asked = loupe_span_of(query->operands[0])};
    struct loupe_shown_stacks stacks;
    struct heap_answer said;
    if (loupe_shown_stacks_init(&stacks, query->snapshot, &heap_chunks))
        return heap_ended(query);
    int status = heap_answer_begin(&said, query, false);
    if (!status) {
        report(&said.json, instances, &stacks);
        status = heap_answer_end(&said, &words, LOUPE_OK);
    }
    loupe_shown_stacks_deinit(&stacks);
    return status;
}

static int find_and_say(const struct heap_query *query, const bool *matches,
                        struct instances *instances) {
    struct asked asked = {query, matches};
    struct loupe_dangling_choice choice = {&asked, is_asked_for};
    struct loupe_arena arena;
    loupe_arena_init(&arena, &heap_chunks);
    int status = loupe_dangling_find(query->snapshot, &choice, &arena, &instances->dangling)
                     ? heap_ended(query)
                     : say(instances);
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
                                  .shown = limit && limit < count ? limit : count,
                                  .tracer = loupe_plain_tracer(query->snapshot, query->policy)};
    struct loupe_memory_owners owners;
    loupe_memory_owners_init(&owners, query->snapshot, &heap_chunks);
    instances.tracer.owners = &owners;
    int status = find_and_say(query, matches, &instances);
    loupe_memory_owners_deinit(&owners);
    free(found);
    return status;
}

int heap_verb_find(struct heap_query *query) {
    struct loupe_dominators dominators;
    bool *matches = match_classes(query);
    if (!matches ||
        loupe_dominators_of_heap(query->snapshot, query->policy, &heap_chunks, &dominators)) {
        free(matches);
        return heap_ended(query);
    }
    int status = show(query, matches, &dominators);
    loupe_dominators_deinit(&dominators);
    free(matches);
    return status;
}
