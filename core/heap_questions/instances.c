#include "heap_questions/instances.h"

#include "base/near_name.h"
#include "base/sort.h"
#include "leaks/heap_graph.h"
#include "report/class_words.h"
#include "report/heaps/report_dangling.h"
#include "report/heaps/report_trace.h"
#include "snapshot/native.h"

enum { VALUE_SIZE = 96 };

static const struct loupe_snapshot *snapshot_of(const struct loupe_instances *instances) {
    return instances->question->tracer.snapshot;
}

/* ---- Classes ---- */

bool loupe_class_is_asked_for(const struct loupe_snapshot *snapshot, uint32_t class_number,
                              const char *pattern) {
    struct loupe_span name = loupe_snapshot_class_name(snapshot, class_number);
    bool is_memory = snapshot->native && loupe_span_equals(name, "(raw memory)");
    return loupe_class_name_matches(name, pattern) ||
           (is_memory && loupe_text_fits(loupe_span_of("non-object"), pattern)) ||
           (snapshot->class_table[class_number].kind == LOUPE_CLASS_BLOCKS &&
            loupe_text_fits(loupe_span_of("block"), pattern));
}

/* By class: whether its instances are asked for. NULL: no memory. */
static bool *match_classes(struct loupe_instances *instances) {
    const struct loupe_snapshot *snapshot = snapshot_of(instances);
    bool *matches = loupe_arena_alloc_array(&instances->question->arena,
                                            (size_t)snapshot->class_count + 1, sizeof(*matches));
    for (uint32_t i = 0; matches && i < snapshot->class_count; i++) {
        uint32_t above = i;
        /* Cap: the note of too many fields. */
        for (unsigned steps = 0; above != LOUPE_NONE && steps < LOUPE_MOST_SUPERCLASSES; steps++) {
            if (loupe_class_is_asked_for(snapshot, above, instances->asked.pattern))
                matches[i] = true;
            if (matches[i] || !instances->asked.subclasses)
                break;
            above = snapshot->class_table[above].superclass;
        }
    }
    return matches;
}

/* ---- Instances ---- */

static bool comes_before(const void *ctx, const void *left, const void *right) {
    const struct loupe_instance *a = left, *b = right;
    (void)ctx;
    return a->retained != b->retained ? a->retained > b->retained : a->address < b->address;
}

static uint32_t count_instances(const struct loupe_snapshot *snapshot, const bool *matches) {
    uint32_t count = 0;
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++)
        count += matches[snapshot->classes[node]];
    return count;
}

static enum loupe_status list_instances(struct loupe_instances *instances, const bool *matches) {
    const struct loupe_snapshot *snapshot = snapshot_of(instances);
    uint32_t count = count_instances(snapshot, matches), most = instances->asked.most;
    instances->items =
        loupe_arena_alloc_array(&instances->question->arena, count, sizeof(*instances->items));
    if (!instances->items)
        return LOUPE_ENOMEM;
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++) {
        if (!matches[snapshot->classes[node]])
            continue;
        instances->items[instances->count++] =
            (struct loupe_instance){.retained = instances->dominators->retained[node],
                                    .address = loupe_snapshot_address(snapshot, node),
                                    .node = node};
        instances->others += snapshot->native && loupe_native_is_memory(snapshot, node);
    }
    instances->told = most && most < count ? most : count;
    loupe_sort_top(instances->items, count, instances->told, sizeof(*instances->items),
                   comes_before, NULL);
    return LOUPE_OK;
}

/* ---- Those that were freed, or lead to what was ---- */

struct dangling_asked {
    const char *pattern;
    const bool *matches;
};

static bool is_asked_for(const void *ctx, const struct loupe_snapshot *snapshot,
                         const struct loupe_dangling *dangling) {
    const struct dangling_asked *asked = ctx;
    return asked->matches[snapshot->classes[dangling->from]] ||
           loupe_class_name_matches(loupe_snapshot_string(snapshot, dangling->was), asked->pattern);
}

static enum loupe_status find(struct loupe_instances *instances) {
    const bool *matches = match_classes(instances);
    struct dangling_asked asked = {instances->asked.pattern, matches};
    struct loupe_dangling_choice choice = {&asked, is_asked_for};
    enum loupe_status status = matches ? list_instances(instances, matches) : LOUPE_ENOMEM;
    return status ? status
                  : loupe_dangling_find(snapshot_of(instances), &choice,
                                        &instances->question->arena, &instances->dangling);
}

enum loupe_status loupe_instances_find(struct loupe_instances *instances,
                                       struct loupe_heap_question *question,
                                       const struct loupe_instances_asked *asked) {
    *instances = (struct loupe_instances){.question = question,
                                          .asked = *asked,
                                          .dominators = loupe_heap_question_dominators(question)};
    return instances->dominators ? find(instances) : LOUPE_ENOMEM;
}

/* ---- The answer ---- */

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

static void report_instance(struct loupe_json *json, const struct loupe_instances *instances,
                            const struct loupe_instance *instance,
                            struct loupe_shown_stacks *stacks) {
    const struct loupe_snapshot *snapshot = snapshot_of(instances);
    uint32_t node = instance->node;
    char value[VALUE_SIZE];
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", instance->address);
    loupe_json_key(json, "class");
    loupe_json_span(json, loupe_snapshot_class_name(snapshot, snapshot->classes[node]));
    loupe_json_put_uint(json, "size", loupe_columns_size(&snapshot->columns, node));
    loupe_json_put_uint(json, "retained", instance->retained);
    put_retain_count(json, snapshot, node);
    loupe_json_put_bool(json, "reachable", instances->dominators->immediate[node] != LOUPE_NO_NODE);
    size_t length = loupe_snapshot_show_value(snapshot, node, value, sizeof(value));
    loupe_json_put_text(json, "value", (struct loupe_span){value, length});
    loupe_report_about_node(json, snapshot, node);
    loupe_report_part_of(json, &instances->question->tracer, node);
    loupe_report_node_stack(json, stacks, node);
    loupe_json_end_object(json);
}

/* Whether what was freed, and is still referred to, was of the class. */
static bool was_freed(const struct loupe_instances *instances) {
    const struct loupe_dangling_groups *dangling = &instances->dangling;
    for (uint32_t i = 0; i < dangling->count; i++) {
        struct loupe_span was =
            loupe_snapshot_string(snapshot_of(instances), dangling->items[i].example->was);
        if (loupe_span_equals(was, instances->asked.pattern))
            return true;
    }
    return false;
}

/* A class that has no instances, or the name of one that may be meant. */
static void report_near(struct loupe_json *json, const struct loupe_instances *instances) {
    const struct loupe_snapshot *snapshot = snapshot_of(instances);
    struct loupe_near_name near = loupe_near_name_of(loupe_span_of(instances->asked.pattern));
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        struct loupe_span name = loupe_public_class_name(loupe_snapshot_class_name(snapshot, i));
        if (loupe_span_equals(name, instances->asked.pattern)) {
            loupe_json_put_text(json, "known_class", name);
            return;
        }
        loupe_near_name_offer(&near, name);
    }
    if (was_freed(instances))
        loupe_json_put_string(json, "freed_class", instances->asked.pattern);
    else if (near.best[0])
        loupe_json_put_string(json, "near_class", near.best);
}

enum loupe_status loupe_report_instances(struct loupe_json *json,
                                         const struct loupe_instances *instances) {
    struct loupe_shown_stacks stacks;
    enum loupe_status status =
        loupe_shown_stacks_init(&stacks, snapshot_of(instances), instances->question->chunks);
    if (status)
        return status;
    loupe_json_put_uint(json, "found", instances->count);
    if (instances->others)
        loupe_json_put_uint(json, "found_others", instances->others);
    if (!instances->count && !loupe_span_contains(loupe_span_of(instances->asked.pattern), "*"))
        report_near(json, instances);
    loupe_json_key(json, "objects");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < instances->told; i++)
        report_instance(json, instances, &instances->items[i], &stacks);
    loupe_json_end_array(json);
    loupe_report_shown_stacks(json, &stacks);
    loupe_report_dangling(json, &instances->question->owners, &instances->dangling, 0);
    loupe_shown_stacks_deinit(&stacks);
    return LOUPE_OK;
}
