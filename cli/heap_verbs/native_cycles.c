#include "heap_verbs/native_cycles.h"

#include "heaps/handles.h"
#include "heaps/heap_answer.h"
#include "leaks/leaks.h"
#include "mistakes/known_mistakes.h"
#include "text/native_words.h"
#include "pictures/picture_patterns.h"
#include "report/heaps/report_leaks.h"

enum { DEFAULT_LIMIT = 20 };

/* ---- Finding ---- */

struct loupe_heap_cycles_asked heap_cycles_asked(const struct heap_query *query,
                                                 const struct heap_gates *gates) {
    const struct verb_values *options = &query->options;
    return (struct loupe_heap_cycles_asked){.snapshot = query->snapshot,
                                            .object = LOUPE_NO_NODE,
                                            .rings = options->max_rings,
                                            .compares =
                                                options->baseline || options->write_baseline,
                                            .filters = gates->filters,
                                            .filter_count = gates->filter_count};
}

int native_cycles_find(struct native_cycles *found, const struct heap_query *query,
                       uint32_t object) {
    *found = (struct native_cycles){.query = query};
    int failed = heap_gates_init(&found->gates, query);
    if (failed)
        return failed;
    struct loupe_heap_cycles_asked asked = heap_cycles_asked(query, &found->gates);
    asked.object = object;
    return loupe_heap_cycles_find(&found->heap, &asked, &heap_chunks) ? heap_ended(query) : CLI_OK;
}

void native_cycles_deinit(struct native_cycles *found) {
    if (!found->heap.arena.chunks)
        return;
    loupe_heap_cycles_deinit(&found->heap);
    heap_gates_deinit(&found->gates);
}

/* ---- Which are shown ---- */

struct shown {
    uint32_t *knots; /* one of each that are alike and not known, leaked ones first */
    uint32_t count, hidden;
    uint64_t found;              /* knots that are not hidden */
    uint64_t possible;           /* of these, not certain ones */
    uint64_t leaked_found, held; /* of the certain ones */
    uint64_t circles;            /* through non-objects: lost, and not hidden */
};

static bool is_known(struct native_cycles *found, const struct loupe_knot_facts *knot) {
    struct words name = words_say("%s", "cycle");
    if (knot->rings.count) {
        uint32_t first = loupe_ring_from(&found->heap.graph.graph, &knot->rings.items[0], 0);
        name = words_say("cycle of %s",
                         words_of_class(found->heap.graph.snapshot,
                                        loupe_heap_graph_node(&found->heap.graph, first))
                             .text);
    }
    return heap_gates_know_knot(&found->gates, knot, name.text);
}

/* By knot, of those that are alike at the first one. */
struct tally {
    uint32_t *all, *leaked, *unclear;
};

static void add_up(const struct loupe_cycles *cycles, struct tally *tally) {
    for (uint32_t i = 0; i < cycles->knot_count; i++) {
        const struct loupe_knot_facts *knot = &cycles->knots[i];
        tally->all[knot->alike]++;
        tally->leaked[knot->alike] += knot->verdict.kind == LOUPE_LEAKED;
        tally->unclear[knot->alike] += knot->verdict.kind == LOUPE_UNCLEAR;
    }
}

/* The gravest verdict of those that are alike. */
static enum loupe_verdict_kind gravest(const struct tally *tally, uint32_t knot) {
    return tally->leaked[knot] ? LOUPE_LEAKED : tally->unclear[knot] ? LOUPE_UNCLEAR : LOUPE_HELD;
}

static void add_kind(struct native_cycles *found, enum loupe_verdict_kind kind,
                     const struct tally *tally, struct shown *ret) {
    for (uint32_t i = 0; i < found->heap.cycles.knot_count; i++) {
        const struct loupe_knot_facts *knot = &found->heap.cycles.knots[i];
        if (knot->alike != i || gravest(tally, i) != kind)
            continue;
        if (is_known(found, knot)) {
            ret->hidden++;
            continue;
        }
        ret->knots[ret->count++] = i;
        ret->found += tally->all[i];
        ret->possible += knot->certain ? 0 : tally->all[i];
        if (!knot->certain)
            continue;
        ret->leaked_found += tally->leaked[i];
        ret->held += tally->all[i] - tally->leaked[i] - tally->unclear[i];
    }
}

static bool choose(struct native_cycles *found, struct shown *ret) {
    uint32_t knots = found->heap.cycles.knot_count;
    struct tally tally;
    uint32_t **const columns[] = {&ret->knots, &tally.all, &tally.leaked, &tally.unclear};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        *columns[i] = loupe_arena_alloc_array(&found->heap.arena, knots, sizeof(**columns[i]));
        if (!*columns[i])
            return false;
    }
    add_up(&found->heap.cycles, &tally);
    add_kind(found, LOUPE_LEAKED, &tally, ret);
    add_kind(found, LOUPE_UNCLEAR, &tally, ret);
    add_kind(found, LOUPE_HELD, &tally, ret);
    return true;
}

/* ---- Circles through memory: they are not in the graph, since nobody knows what owns there ----
 */

static void count_known(struct native_cycles *found, const struct loupe_leaks *leaks,
                        struct shown *ret) {
    for (uint32_t i = 0; i < leaks->group_count; i++) {
        const struct loupe_leak *leak = &leaks->items[leaks->groups[i].first];
        struct words name = words_of_class(leaks->snapshot, leak->node);
        if (!leak->is_cycle || leak->knot != LOUPE_NONE)
            continue;
        if (heap_gates_know(&found->gates, leak->fingerprint, name.text))
            ret->hidden++;
        else
            ret->circles += leaks->groups[i].count;
    }
}

/* Of the whole heap: those that `loupe leaks` tells. */
static bool count_circles(struct native_cycles *found, struct shown *ret) {
    const struct loupe_leaks_options options = {.filters = found->gates.filters,
                                                .filter_count = found->gates.filter_count};
    struct loupe_leaks leaks;
    if (found->heap.options.focus != LOUPE_NO_NODE)
        return true;
    if (loupe_leaks_find(found->query->snapshot, &options, &heap_chunks, &found->heap.arena,
                         &leaks))
        return false;
    count_known(found, &leaks, ret);
    loupe_leaks_deinit(&leaks);
    return true;
}

/* ---- The answer ---- */

static void report_counts(struct loupe_json *json, const struct native_cycles *found,
                          const struct shown *shown) {
    const struct loupe_cycles *cycles = &found->heap.cycles;
    loupe_json_key(json, "counts");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "cycles", shown->found);
    loupe_json_put_uint(json, "possible", shown->possible);
    loupe_json_put_uint(json, "leaked", shown->leaked_found);
    loupe_json_put_uint(json, "held", shown->held);
    loupe_json_put_uint(json, "entries", shown->count);
    loupe_json_put_uint(json, "not_searched", cycles->knots_found - cycles->knot_count);
    loupe_json_end_object(json);
}

struct mistakes {
    struct loupe_patterns patterns;
    const struct loupe_heap_graph *graph;
};

static struct loupe_span mistake_of(const void *ctx, const struct loupe_knot_facts *knot) {
    const struct mistakes *mistakes = ctx;
    const struct loupe_pattern *pattern =
        loupe_known_mistake_of_knot(&mistakes->patterns, mistakes->graph, knot);
    return pattern ? pattern->name : (struct loupe_span){"", 0};
}

static enum loupe_status report_knots(struct loupe_json *json, struct native_cycles *found,
                                      const struct shown *shown, uint32_t most) {
    struct loupe_cycles_answer answer = {.heap = &found->heap.graph,
                                         .graph = &found->heap.graph.graph,
                                         .describer = &found->heap.describer,
                                         .options = &found->heap.options,
                                         .cycles = &found->heap.cycles,
                                         .arena = &found->heap.arena};
    struct mistakes mistakes = {.patterns = patterns_shipped(&found->heap.arena),
                                .graph = &found->heap.graph};
    struct loupe_heap_shown written = {.most = most,
                                       .order = shown->knots,
                                       .order_count = shown->count,
                                       .mistake = mistake_of,
                                       .ctx = &mistakes};
    found->heap.graph.names = &words_names;
    enum loupe_status status = loupe_report_heap_knots(json, &found->heap.graph, &answer, &written);
    loupe_json_put_uint(json, "memory_circles", shown->circles);
    if (found->query->options.baseline)
        loupe_json_put_uint(json, "hidden_by_baseline", shown->hidden);
    loupe_report_hidden(json, &answer);
    return status;
}

/* A screen has room for some, JSON for all: 0. */
static uint32_t limit_of(const struct verb_values *options) {
    uint64_t limit = options->has_limit ? options->limit : options->json ? 0 : DEFAULT_LIMIT;
    return limit < UINT32_MAX ? (uint32_t)limit : 0;
}

/* Numbers for the entries, to be typed instead of addresses. */
static void number_entries(const struct native_cycles *found, const struct shown *shown,
                           uint32_t most) {
    const struct loupe_graph *graph = &found->heap.graph.graph;
    for (uint32_t i = 0; i < shown->count && (!most || i < most); i++) {
        const struct loupe_knot_facts *knot = &found->heap.cycles.knots[shown->knots[i]];
        if (knot->rings.count)
            handles_show(
                i + 1, loupe_graph_address(graph, loupe_ring_from(graph, &knot->rings.items[0], 0)),
                knot->fingerprint);
    }
}

static int say(struct native_cycles *found, const struct shown *shown) {
    const struct heap_query *query = found->query;
    uint32_t most = limit_of(&query->options);
    struct heap_answer said;
    int status = heap_answer_begin(&said, query,
                                   found->heap.cycles.knots_found > found->heap.cycles.knot_count);
    if (status)
        return status;
    loupe_json_key(&said.json, "seed");
    if (found->heap.options.focus == LOUPE_NO_NODE)
        loupe_json_null(&said.json);
    else
        loupe_json_address(&said.json, loupe_graph_address(&found->heap.graph.graph, 0));
    report_counts(&said.json, found, shown);
    enum loupe_status made = report_knots(&said.json, found, shown, most);
    heap_gates_report(&found->gates, query, &said.json);
    if (!query->options.json)
        number_entries(found, shown, most);
    return heap_answer_end(&said, NULL, made);
}

static int answer_with(struct native_cycles *found) {
    const struct verb_values *options = &found->query->options;
    struct shown shown = {0};
    if (!choose(found, &shown) || !count_circles(found, &shown))
        return heap_ended(found->query);
    int status = heap_gates_finish(&found->gates, found->query);
    if (!status)
        status = say(found, &shown);
    if (status)
        return status;
    bool incomplete = found->heap.cycles.knots_found > found->heap.cycles.knot_count ||
                      loupe_snapshot_is_incomplete(found->query->snapshot);
    if (incomplete && !options->allow_incomplete)
        return CLI_INCOMPLETE;
    return options->fail_if_found && (shown.found || shown.circles) ? CLI_FOUND : CLI_OK;
}

int native_cycles_answer(const struct heap_query *query, uint32_t object) {
    struct native_cycles found;
    int status = native_cycles_find(&found, query, object);
    if (!status)
        status = answer_with(&found);
    native_cycles_deinit(&found);
    return status;
}
