#include "heap_questions/compared/heap_news.h"

#include "base/map.h"
#include "base/sort.h"
#include "cycles/knots/fingerprint.h"
#include "cycles/knots/knot_shapes.h"
#include "heap_questions/suspects/held_suspects.h"
#include "leaks/leaks.h"
#include "report/class_words.h"
#include "snapshot/values/native_names.h"

struct list {
    struct loupe_heap_new *items;
    uint32_t count;
};

static enum loupe_status make_list(struct list *list, struct loupe_arena *arena, uint32_t most) {
    *list = (struct list){.items = loupe_arena_alloc_array(arena, most, sizeof(*list->items))};
    return list->items ? LOUPE_OK : LOUPE_ENOMEM;
}

static void add(struct list *list, struct loupe_heap_new item) {
    item.number = list->count;
    list->items[list->count++] = item;
}

/* ---- One side of an Objective-C heap ---- */

static struct loupe_span name_of(const struct loupe_snapshot *snapshot, uint32_t node) {
    if (loupe_native_node_kind(snapshot, node) == LOUPE_NODE_BLOCK)
        return loupe_span_of("block");
    struct loupe_span name = loupe_native_class_name(snapshot, node);
    return loupe_public_class_name(
        loupe_span_equals(name, "(raw memory)") ? loupe_span_of("non-object") : name);
}

static enum loupe_status list_leaks(const struct loupe_heap_cycles_asked *asked,
                                    const struct loupe_snapshot *snapshot,
                                    struct loupe_arena *arena, struct list *ret) {
    struct loupe_leaks_options options = {.filters = asked->filters,
                                          .filter_count = asked->filter_count};
    struct loupe_arena scratch;
    struct loupe_leaks leaks;
    loupe_arena_init(&scratch, arena->chunks);
    enum loupe_status status =
        loupe_leaks_find(snapshot, &options, arena->chunks, &scratch, &leaks);
    if (!status) {
        status = make_list(ret, arena, leaks.group_count);
        for (uint32_t i = 0; !status && i < leaks.group_count; i++) {
            const struct loupe_leak_group *group = &leaks.groups[i];
            const struct loupe_leak *leak = &leaks.items[group->first];
            if (!loupe_leaks_known(&leaks, group))
                add(ret, (struct loupe_heap_new){.fingerprint = leak->fingerprint,
                                                 .bytes = group->kept.bytes,
                                                 .now = group->count,
                                                 .is_cycle = leak->is_cycle,
                                                 .what = name_of(snapshot, leak->node)});
        }
        loupe_leaks_deinit(&leaks);
    }
    loupe_arena_deinit(&scratch);
    return status;
}

static enum loupe_status list_knots(const struct loupe_heap_cycles_asked *asked,
                                    const struct loupe_snapshot *snapshot,
                                    struct loupe_arena *arena, struct list *ret) {
    struct loupe_heap_cycles_asked of_side = *asked;
    struct loupe_heap_cycles found;
    of_side.snapshot = snapshot;
    of_side.object = LOUPE_NO_NODE;
    enum loupe_status status = loupe_heap_cycles_find(&found, &of_side, arena->chunks);
    if (!status)
        status = make_list(ret, arena, found.cycles.knot_count);
    for (uint32_t i = 0; !status && i < found.cycles.knot_count; i++) {
        const struct loupe_knot_facts *knot = &found.cycles.knots[i];
        uint32_t node = loupe_heap_graph_node(&found.graph, knot->lowest);
        add(ret, (struct loupe_heap_new){.fingerprint = knot->fingerprint,
                                         .bytes = knot->objects,
                                         .now = 1,
                                         .is_cycle = true,
                                         .what = name_of(snapshot, node)});
    }
    loupe_heap_cycles_deinit(&found);
    return status;
}

/* ---- Both ---- */

static bool is_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_heap_new *x = a, *y = b;
    (void)ctx;
    return x->fingerprint != y->fingerprint ? x->fingerprint < y->fingerprint
                                            : x->number < y->number;
}

static bool is_larger(const void *ctx, const void *a, const void *b) {
    const struct loupe_heap_new *x = a, *y = b;
    return x->bytes != y->bytes ? x->bytes > y->bytes : is_before(ctx, a, b);
}

/* Those of one fingerprint become one, by the first of them. */
static void merge(struct list *list) {
    uint32_t kept = 0;
    if (!list->count)
        return;
    loupe_sort(list->items, list->count, sizeof(*list->items), is_before, NULL);
    for (uint32_t i = 1; i < list->count; i++) {
        struct loupe_heap_new *last = &list->items[kept];
        if (last->fingerprint == list->items[i].fingerprint) {
            last->now += list->items[i].now;
            last->bytes += list->items[i].bytes;
        } else {
            list->items[++kept] = list->items[i];
        }
    }
    list->count = kept + 1;
}

/* Keeps in `now` those of which there were fewer; they stand in the order of their fingerprints. */
static void keep_more(const struct list *before, struct list *now) {
    uint32_t kept = 0, at = 0;
    for (uint32_t i = 0; i < now->count; i++) {
        struct loupe_heap_new item = now->items[i];
        while (at < before->count && before->items[at].fingerprint < item.fingerprint)
            at++;
        bool is_known = at < before->count && before->items[at].fingerprint == item.fingerprint;
        item.before = is_known ? before->items[at].now : 0;
        if (item.now > item.before)
            now->items[kept++] = item;
    }
    now->count = kept;
}

typedef enum loupe_status list_side(const struct loupe_heap_cycles_asked *asked,
                                    const struct loupe_snapshot *snapshot,
                                    struct loupe_arena *arena, struct list *ret);

/* Two snapshots of one heap. */
struct sides {
    const struct loupe_snapshot *older, *newer;
};

static enum loupe_status compare(list_side *list, const struct loupe_heap_cycles_asked *asked,
                                 const struct sides *sides, struct loupe_arena *arena,
                                 struct list *ret) {
    struct list before = {0};
    enum loupe_status status = list(asked, sides->older, arena, &before);
    if (!status)
        status = list(asked, sides->newer, arena, ret);
    if (status)
        return status;
    merge(&before);
    merge(ret);
    keep_more(&before, ret);
    loupe_sort(ret->items, ret->count, sizeof(*ret->items), is_larger, NULL);
    return LOUPE_OK;
}

enum loupe_status loupe_native_news_find(struct loupe_heap_news *news,
                                         const struct loupe_heap_cycles_asked *asked,
                                         const struct loupe_snapshot *older,
                                         const struct loupe_snapshot *newer,
                                         struct loupe_arena *arena) {
    const struct sides sides = {older, newer};
    struct list leaks = {0}, knots = {0};
    enum loupe_status status = compare(list_leaks, asked, &sides, arena, &leaks);
    if (!status)
        status = compare(list_knots, asked, &sides, arena, &knots);
    *news = (struct loupe_heap_news){.leaks = leaks.items,
                                     .knots = knots.items,
                                     .leak_count = leaks.count,
                                     .knot_count = knots.count};
    return status;
}

/* ---- Java heaps ---- */

static struct loupe_span class_of(const struct loupe_heap_question *question, uint32_t node) {
    const struct loupe_snapshot *snapshot = question->tracer.snapshot;
    return loupe_snapshot_class_name(snapshot, snapshot->classes[node]);
}

static enum loupe_status list_held(struct loupe_heap_question *question, struct loupe_arena *arena,
                                   struct list *ret) {
    struct loupe_held_suspects held;
    enum loupe_status status = loupe_held_suspects_find(&held, question);
    if (!status)
        status = make_list(ret, arena, held.group_count);
    for (uint32_t i = 0; !status && i < held.group_count; i++) {
        const struct loupe_held_suspect *first = held.groups[i];
        add(ret, (struct loupe_heap_new){.fingerprint = first->trace.fingerprint,
                                         .bytes = first->group_retained,
                                         .now = loupe_held_suspects_size(&held, first),
                                         .what = class_of(question, first->node)});
    }
    return status;
}

static enum loupe_status list_shapes(struct loupe_heap_question *question,
                                     struct loupe_arena *arena, struct list *ret) {
    struct loupe_knot_shapes shapes;
    enum loupe_status status =
        loupe_knot_shapes_find(&shapes, &question->tracer, question->chunks, LOUPE_NO_NODE);
    if (!status)
        status = make_list(ret, arena, shapes.count);
    for (uint32_t i = 0; !status && i < shapes.count; i++) {
        const struct loupe_knot_shape *shape = &shapes.items[i];
        add(ret,
            (struct loupe_heap_new){.fingerprint = shape->fingerprint,
                                    .now = shape->count,
                                    .is_cycle = true,
                                    .what = class_of(question, shapes.knots.first[shape->knot])});
    }
    loupe_knot_shapes_deinit(&shapes);
    return status;
}

/* Keeps in `now` those whose fingerprints `before` has not, as they stand. */
static enum loupe_status keep_new(const struct list *before, struct list *now,
                                  const struct loupe_chunk_ops *chunks) {
    struct loupe_map known;
    uint32_t kept = 0, number;
    enum loupe_status status = LOUPE_OK;
    loupe_map_init(&known, chunks);
    for (uint32_t i = 0; !status && i < before->count; i++)
        status = loupe_map_put(&known, before->items[i].fingerprint, i);
    for (uint32_t i = 0; !status && i < now->count; i++) {
        if (!loupe_map_find(&known, now->items[i].fingerprint, &number))
            now->items[kept++] = now->items[i];
    }
    now->count = kept;
    loupe_map_deinit(&known);
    return status;
}

typedef enum loupe_status list_question(struct loupe_heap_question *question,
                                        struct loupe_arena *arena, struct list *ret);

static enum loupe_status compare_questions(list_question *list, struct loupe_heap_question *older,
                                           struct loupe_heap_question *newer, struct list *ret) {
    struct list before = {0};
    enum loupe_status status = list(older, &newer->arena, &before);
    if (!status)
        status = list(newer, &newer->arena, ret);
    return status ? status : keep_new(&before, ret, newer->chunks);
}

enum loupe_status loupe_java_news_find(struct loupe_heap_news *news,
                                       struct loupe_heap_question *older,
                                       struct loupe_heap_question *newer) {
    struct list leaks = {0}, knots = {0};
    enum loupe_status status = compare_questions(list_held, older, newer, &leaks);
    if (!status)
        status = compare_questions(list_shapes, older, newer, &knots);
    *news = (struct loupe_heap_news){.leaks = leaks.items,
                                     .knots = knots.items,
                                     .leak_count = leaks.count,
                                     .knot_count = knots.count};
    return status;
}

/* ---- JSON ---- */

static void report_new(struct loupe_json *json, const char *key, const struct loupe_heap_new *items,
                       uint32_t count) {
    char text[LOUPE_FINGERPRINT_TEXT];
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].before)
            continue;
        loupe_fingerprint_text(items[i].fingerprint, text);
        loupe_json_string(json, text);
    }
    loupe_json_end_array(json);
}

/* kind: of those that are no cycles; NULL: all are. */
static void report_more(struct loupe_json *json, const char *key,
                        const struct loupe_heap_new *items, uint32_t count, const char *kind) {
    char text[LOUPE_FINGERPRINT_TEXT];
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < count; i++) {
        loupe_fingerprint_text(items[i].fingerprint, text);
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "fingerprint", text);
        loupe_json_put_text(json, "class", items[i].what);
        loupe_json_put_string(json, "kind", items[i].is_cycle ? "cycle" : kind);
        loupe_json_put_uint(json, "before", items[i].before);
        loupe_json_put_uint(json, "now", items[i].now);
        if (kind)
            loupe_json_put_uint(json, "bytes", items[i].bytes);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

void loupe_report_heap_news(struct loupe_json *json, const struct loupe_heap_news *news,
                            bool is_native) {
    report_new(json, "new_leaks", news->leaks, news->leak_count);
    report_new(json, "new_knots", news->knots, news->knot_count);
    report_more(json, "more_leaks", news->leaks, news->leak_count, is_native ? "leak" : "suspect");
    report_more(json, "more_knots", news->knots, news->knot_count, NULL);
}
