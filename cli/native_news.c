#include "native_news.h"

#include "answers/gathered_text.h"
#include "answers/reports/news.h"
#include "cycles/fingerprint.h"
#include "look.h"
#include "native_cycles.h"
#include "native_words.h"
#include "leaks/leaks.h"

#include <stdlib.h>
#include <string.h>

struct list {
    struct native_new *items;
    uint32_t count;
};

/* One more; false: no memory. */
static bool add(struct list *list, uint32_t most, struct native_new item) {
    if (!list->items)
        list->items = calloc((size_t)most + 1, sizeof(*list->items));
    if (list->items)
        list->items[list->count++] = item;
    return list->items;
}

static void name(const struct loupe_snapshot *snapshot, uint32_t node, struct native_new *ret) {
    struct words words = words_of_class(snapshot, node);
    snprintf(ret->what, sizeof(ret->what), "%.*s", (int)sizeof(ret->what) - 1, words.text);
}

/* ---- One side ---- */

static int list_leaks(const struct heap_query *query, const struct loupe_snapshot *snapshot,
                      struct list *ret) {
    struct heap_query asked = *query;
    struct heap_gates gates;
    struct loupe_arena arena;
    struct loupe_leaks leaks;
    asked.snapshot = snapshot;
    int failed = heap_gates_init(&gates, &asked);
    if (failed)
        return failed;
    struct loupe_leaks_options options = {.filters = gates.filters,
                                          .filter_count = gates.filter_count};
    loupe_arena_init(&arena, &heap_chunks);
    bool found = !loupe_leaks_find(snapshot, &options, &heap_chunks, &arena, &leaks), added = found;
    for (uint32_t i = 0; added && i < leaks.group_count; i++) {
        const struct loupe_leak_group *group = &leaks.groups[i];
        const struct loupe_leak *leak = &leaks.items[group->first];
        if (loupe_leaks_known(&leaks, group))
            continue;
        struct native_new item = {.fingerprint = leak->fingerprint,
                                  .bytes = group->kept.bytes,
                                  .now = group->count,
                                  .is_cycle = leak->is_cycle};
        name(snapshot, leak->node, &item);
        added = add(ret, leaks.group_count, item);
    }
    if (found)
        loupe_leaks_deinit(&leaks);
    loupe_arena_deinit(&arena);
    heap_gates_deinit(&gates);
    return added ? CLI_OK : heap_ended(query);
}

static int list_knots(const struct heap_query *query, const struct loupe_snapshot *snapshot,
                      struct list *ret) {
    struct heap_query asked = *query;
    struct native_cycles found;
    asked.snapshot = snapshot;
    int status = native_cycles_find(&found, &asked, LOUPE_NO_NODE);
    for (uint32_t i = 0; !status && i < found.cycles.knot_count; i++) {
        const struct loupe_knot_facts *knot = &found.cycles.knots[i];
        struct native_new item = {
            .fingerprint = knot->fingerprint, .bytes = knot->objects, .now = 1, .is_cycle = true};
        name(snapshot, loupe_heap_graph_node(&found.graph, knot->lowest), &item);
        if (!add(ret, found.cycles.knot_count, item))
            status = heap_ended(query);
    }
    native_cycles_deinit(&found);
    return status;
}

/* ---- Both ---- */

static int by_fingerprint(const void *a, const void *b) {
    const struct native_new *x = a, *y = b;
    return (x->fingerprint > y->fingerprint) - (x->fingerprint < y->fingerprint);
}

static int by_bytes(const void *a, const void *b) {
    const struct native_new *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes)
                                : by_fingerprint(a, b);
}

static void merge(struct list *list) {
    uint32_t kept = 0;
    if (!list->count)
        return;
    qsort(list->items, list->count, sizeof(*list->items), by_fingerprint);
    for (uint32_t i = 1; i < list->count; i++) {
        struct native_new *last = &list->items[kept];
        if (last->fingerprint == list->items[i].fingerprint) {
            last->now += list->items[i].now;
            last->bytes += list->items[i].bytes;
        } else {
            list->items[++kept] = list->items[i];
        }
    }
    list->count = kept + 1;
}

/* Keeps in `now` those of which there were fewer. */
static void keep_more(struct list *before, struct list *now) {
    uint32_t kept = 0;
    merge(before);
    merge(now);
    for (uint32_t i = 0; i < now->count; i++) {
        struct native_new item = now->items[i];
        const struct native_new *known =
            before->count
                ? bsearch(&item, before->items, before->count, sizeof(item), by_fingerprint)
                : NULL;
        item.before = known ? known->now : 0;
        if (item.now > item.before)
            now->items[kept++] = item;
    }
    now->count = kept;
    if (kept)
        qsort(now->items, kept, sizeof(*now->items), by_bytes);
}

int native_news_find(const struct heap_query *query, struct native_news *ret) {
    struct list old_leaks = {0}, leaks = {0}, old_knots = {0}, knots = {0};
    int status = list_leaks(query, query->older, &old_leaks);
    status = status ? status : list_leaks(query, query->snapshot, &leaks);
    status = status ? status : list_knots(query, query->older, &old_knots);
    status = status ? status : list_knots(query, query->snapshot, &knots);
    if (!status) {
        keep_more(&old_leaks, &leaks);
        keep_more(&old_knots, &knots);
    }
    free(old_leaks.items);
    free(old_knots.items);
    *ret = (struct native_news){.leaks = leaks.items,
                                .knots = knots.items,
                                .leak_count = leaks.count,
                                .knot_count = knots.count};
    return status;
}

void native_news_deinit(struct native_news *news) {
    free(news->leaks);
    free(news->knots);
}

/* ---- The answer ---- */

static void report_items(struct loupe_json *json, const char *key, const struct native_new *items,
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

static void report_growth(struct loupe_json *json, const char *key, const struct native_new *items,
                          uint32_t count, bool are_leaks) {
    char text[LOUPE_FINGERPRINT_TEXT];
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < count; i++) {
        loupe_fingerprint_text(items[i].fingerprint, text);
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "fingerprint", text);
        loupe_json_put_string(json, "class", items[i].what);
        loupe_json_put_string(json, "kind", items[i].is_cycle ? "cycle" : "leak");
        loupe_json_put_uint(json, "before", items[i].before);
        loupe_json_put_uint(json, "now", items[i].now);
        if (are_leaks)
            loupe_json_put_uint(json, "bytes", items[i].bytes);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

void native_news_report(struct loupe_json *json, const struct native_news *news) {
    report_items(json, "new_leaks", news->leaks, news->leak_count);
    report_items(json, "new_knots", news->knots, news->knot_count);
    report_growth(json, "more_leaks", news->leaks, news->leak_count, true);
    report_growth(json, "more_knots", news->knots, news->knot_count, false);
}

/* ---- The same for people, read from the answer ---- */

static enum loupe_status say(const struct native_news *news, struct loupe_arena *arena) {
    struct gathered_text text = {.arena = arena};
    struct answer_look look = look_of_tool();
    struct loupe_error err = {0};
    struct loupe_json json;
    struct answer answer;
    struct answer_lines lines;
    const struct json_value *root;
    loupe_json_init(&json, gathered_text_sink(&text));
    loupe_json_begin_object(&json);
    native_news_report(&json, news);
    loupe_json_end_object(&json);
    enum loupe_status status = loupe_json_finish(&json);
    if (!status)
        status = json_read(gathered_text_get(&text), arena, &root, &err);
    if (!status)
        status = answer_open(&answer, root, arena);
    if (status)
        return status;
    answer_lines_init(&lines, &answer, &look, cli_stdout_sink());
    answer_say_news(&lines);
    answer_close(&answer);
    return lines.status;
}

int native_news_show(const struct heap_query *query, const struct native_news *news) {
    struct loupe_arena arena;
    loupe_arena_init(&arena, &heap_chunks);
    enum loupe_status status = say(news, &arena);
    loupe_arena_deinit(&arena);
    return status ? heap_ended(query) : CLI_OK;
}
