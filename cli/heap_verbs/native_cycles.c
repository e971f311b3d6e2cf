#include "heap_verbs/native_cycles.h"

#include "heaps/handles.h"
#include "heaps/heap_answer.h"
#include "heap_questions/cycles/chosen_cycles.h"
#include "text/native_text.h"
#include "pictures/picture_patterns.h"

enum { SHOWN_UNLESS_TOLD = 20 };

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

/* ---- What is known ---- */

static bool is_known(void *ctx, const struct loupe_heap_cycles *found,
                     const struct loupe_knot_facts *knot) {
    struct text name = text_say("%s", "cycle");
    if (knot->rings.count) {
        uint32_t first = loupe_ring_from(&found->graph.graph, &knot->rings.items[0], 0);
        name = text_say(
            "cycle of %s",
            text_of_class(found->graph.snapshot, loupe_heap_graph_node(&found->graph, first)).text);
    }
    struct native_cycles *cycles = ctx;
    return heap_gates_know_knot(&cycles->gates, knot, name.text);
}

static bool is_known_circle(void *ctx, const struct loupe_leak *leak) {
    struct native_cycles *cycles = ctx;
    struct text name = text_of_class(cycles->query->snapshot, leak->node);
    return heap_gates_know(&cycles->gates, leak->fingerprint, name.text);
}

/* ---- The answer ---- */

/* Numbers for the entries, to be typed instead of addresses. */
static void number_entries(const struct native_cycles *found,
                           const struct loupe_chosen_cycles *chosen, uint32_t most) {
    const struct loupe_graph *graph = &found->heap.graph.graph;
    for (uint32_t i = 0; i < chosen->count && (!most || i < most); i++) {
        const struct loupe_knot_facts *knot = &found->heap.cycles.knots[chosen->knots[i]];
        if (knot->rings.count)
            handles_show(
                i + 1, loupe_graph_address(graph, loupe_ring_from(graph, &knot->rings.items[0], 0)),
                knot->fingerprint);
    }
}

static int say(struct native_cycles *found, const struct loupe_chosen_cycles *chosen) {
    const struct heap_query *query = found->query;
    struct loupe_patterns patterns = patterns_shipped(&found->heap.arena);
    struct loupe_cycles_shown shown = {.most = heap_query_shown(query, SHOWN_UNLESS_TOLD),
                                       .patterns = &patterns,
                                       .has_baseline = query->options.baseline};
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, !chosen->is_complete);
    if (status)
        return status;
    found->heap.graph.names = &words_names;
    enum loupe_status made = loupe_report_heap_cycles(&said.json, &found->heap, chosen, &shown);
    heap_gates_report(&found->gates, query, &said.json);
    if (!query->options.json)
        number_entries(found, chosen, shown.most);
    return heap_answer_end(&said, NULL, made);
}

static int answer_with(struct native_cycles *found) {
    const struct verb_values *options = &found->query->options;
    const struct loupe_known_cycles known = {
        .knot = is_known, .circle = is_known_circle, .ctx = found};
    struct loupe_chosen_cycles chosen;
    if (loupe_heap_cycles_choose(&found->heap, &known, &heap_chunks, &chosen))
        return heap_ended(found->query);
    int status = heap_gates_finish(&found->gates, found->query);
    if (!status)
        status = say(found, &chosen);
    if (status)
        return status;
    bool incomplete = !chosen.is_complete || loupe_snapshot_is_incomplete(found->query->snapshot);
    if (incomplete && !options->allow_incomplete)
        return CLI_INCOMPLETE;
    return options->fail_if_found && (chosen.found || chosen.circles) ? CLI_FOUND : CLI_OK;
}

int native_cycles_answer(const struct heap_query *query, uint32_t object) {
    struct native_cycles found;
    int status = native_cycles_find(&found, query, object);
    if (!status)
        status = answer_with(&found);
    native_cycles_deinit(&found);
    return status;
}
