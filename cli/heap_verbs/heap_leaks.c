/* loupe leaks: what nothing keeps alive. */
#include "heap_questions/instances.h"
#include "heaps/handles.h"
#include "heaps/heap_answer.h"
#include "heaps/heap_gates.h"
#include "mistakes/known_mistakes.h"
#include "text/native_text.h"
#include "pictures/picture_patterns.h"
#include "report/class_words.h"
#include "report/heaps/report_leaks.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_UNLESS_TOLD = 20 };

struct leaks_answer {
    const struct heap_query *query;
    struct heap_gates gates;
    struct loupe_arena arena;
    struct loupe_leaks_options options;
    struct loupe_leaks leaks;
    bool *is_hidden; /* by group: the baseline knows it, another class was asked for, */
    struct loupe_known_totals known; /* or a library leaked it */
    uint32_t hidden;                 /* by the baseline: groups */
    uint32_t of_other_classes;       /* groups that the baseline does not know */
    uint64_t found;                  /* leaks that are not hidden, without suspects */
};

static bool groups_by_stack(const struct leaks_answer *answer) {
    return answer->query->options.group != NULL;
}

/* ---- Which are shown ---- */

static bool is_known(struct leaks_answer *answer, const struct loupe_leak *leak) {
    const struct loupe_snapshot *snapshot = answer->query->snapshot;
    const struct loupe_knot_facts *knot = loupe_leak_knot(&answer->leaks, leak);
    struct text comment = text_say("%s of %s", leak->is_cycle ? "cycle" : "leak",
                                   text_of_all(snapshot, snapshot->classes[leak->node]).text);
    if (knot)
        return heap_gates_know_knot(&answer->gates, knot, comment.text);
    bool known = heap_gates_know(&answer->gates, leak->fingerprint, comment.text);
    return known || heap_gates_knew(&answer->gates, leak->older_fingerprint);
}

/* By any of the names that answers have for it. */
static bool is_of_class(const struct loupe_snapshot *snapshot, uint32_t node, const char *pattern) {
    struct loupe_span name = loupe_native_class_name(snapshot, node);
    return loupe_class_name_matches(name, pattern) ||
           loupe_class_name_matches(loupe_public_class_name(name), pattern) ||
           loupe_class_is_asked_for(snapshot, snapshot->classes[node], pattern);
}

static bool passes_class(const struct loupe_leaks *leaks, const struct loupe_ring *ring,
                         const char *pattern) {
    bool found = false;
    for (uint32_t i = 0; i < ring->length && !found; i++) {
        uint32_t node = loupe_ring_from(&leaks->graph.graph, ring, i);
        found = is_of_class(leaks->snapshot, loupe_heap_graph_node(&leaks->graph, node), pattern);
    }
    return found;
}

/* A ring is of all the classes that it goes through: which of its objects comes first says nothing.
 */
static bool is_asked_for(const struct leaks_answer *answer, const struct loupe_leak *leak) {
    const struct loupe_leaks *leaks = &answer->leaks;
    const struct loupe_knot_facts *knot = loupe_leak_knot(leaks, leak);
    const char *pattern = answer->query->options.class_pattern;
    return !pattern || is_of_class(leaks->snapshot, leak->node, pattern) ||
           (knot && knot->rings.count && passes_class(leaks, &knot->rings.items[0], pattern));
}

static bool choose(struct leaks_answer *answer) {
    const struct loupe_leaks *leaks = &answer->leaks;
    answer->is_hidden = calloc((size_t)leaks->group_count + 1, sizeof(*answer->is_hidden));
    for (uint32_t i = 0; answer->is_hidden && i < leaks->group_count; i++) {
        const struct loupe_leak_group *group = &leaks->groups[i];
        const struct loupe_leak *leak = &leaks->items[group->first];
        const struct loupe_known_leak *of_library = loupe_leaks_known(leaks, group);
        bool known = !of_library && is_known(answer, leak);
        bool other = !of_library && !known && !is_asked_for(answer, leak);
        if (of_library)
            loupe_leaks_add_known(&answer->known, of_library, group);
        answer->hidden += known;
        answer->of_other_classes += other;
        answer->is_hidden[i] = of_library || known || other;
        if (answer->is_hidden[i])
            continue;
        answer->found += leak->degree == LOUPE_DEGREE_TIMER ? 0 : group->count;
    }
    loupe_leaks_add_known_miscounts(&answer->known, leaks);
    return answer->is_hidden;
}

/* ---- The answer ---- */

/* Numbers for the entries, to be typed instead of addresses. */
static void number_entries(const struct leaks_answer *answer, uint32_t most) {
    const struct loupe_leaks *leaks = &answer->leaks;
    uint32_t number = 0;
    for (uint32_t i = 0; i < leaks->group_count && (!most || number < most); i++) {
        const struct loupe_leak *leak = &leaks->items[leaks->groups[i].first];
        if (!answer->is_hidden[i])
            handles_show(++number, loupe_snapshot_address(leaks->snapshot, leak->node),
                         leak->fingerprint);
    }
}

static enum loupe_status report(struct leaks_answer *answer, struct loupe_json *json) {
    const struct verb_values *options = &answer->query->options;
    bool is_listed = options->json || !groups_by_stack(answer);
    struct loupe_patterns patterns = patterns_shipped(&answer->arena);
    struct loupe_mistakes_of_knots mistakes = {&patterns, &answer->leaks.graph};
    struct loupe_heap_shown shown = {
        .is_hidden = answer->is_hidden,
        .by_stack = groups_by_stack(answer),
        .known = &answer->known,
        .most = is_listed ? heap_query_shown(answer->query, SHOWN_UNLESS_TOLD) : 1,
        .mistake = loupe_name_mistake_of_knot,
        .ctx = &mistakes};
    answer->leaks.graph.names = &words_names;
    enum loupe_status status =
        loupe_report_leaks(json, &answer->leaks, &answer->options, &shown, &answer->arena);
    if (options->baseline)
        loupe_json_put_uint(json, "hidden_by_baseline", answer->hidden);
    if (options->class_pattern)
        loupe_json_put_uint(json, "hidden_by_class", answer->of_other_classes);
    heap_gates_report(&answer->gates, answer->query, json);
    return status;
}

static int say(struct leaks_answer *answer, bool incomplete) {
    const struct verb_values *options = &answer->query->options;
    struct answer_report words = {.most = heap_query_shown(answer->query, SHOWN_UNLESS_TOLD),
                                  .shows_known = options->known};
    struct heap_answer said;
    int status = heap_answer_begin(&said, answer->query, incomplete);
    if (status)
        return status;
    if (!options->json && !groups_by_stack(answer))
        number_entries(answer, heap_query_shown(answer->query, SHOWN_UNLESS_TOLD));
    return heap_answer_end(&said, &words, report(answer, &said.json));
}

static int answer_with(struct leaks_answer *answer) {
    const struct heap_query *query = answer->query;
    bool incomplete = answer->leaks.cycles.knots_found > answer->leaks.cycles.knot_count ||
                      answer->leaks.cycles.cut_short;
    if (!choose(answer))
        return heap_ended(query);
    int status = heap_gates_finish(&answer->gates, query);
    if (!status)
        status = say(answer, incomplete);
    if (status)
        return status;
    incomplete = incomplete || loupe_snapshot_is_incomplete(query->snapshot);
    if (incomplete && !query->options.allow_incomplete)
        return CLI_INCOMPLETE;
    return answer->found && !query->options.write_baseline ? CLI_FOUND : CLI_OK;
}

/* Rings that are asked for in each knot where all of them are compared. */
enum { RINGS_TO_COMPARE = 256, RINGS_LEFT = 5 };

static int check_group(const struct heap_query *query) {
    const char *group = query->options.group;
    if (group && strcmp(group, "stack") != 0)
        return heap_fail(query, LOUPE_EUSAGE, "--group takes stack, not '%s'",
                         cli_printable(loupe_span_of(group)));
    if (group && !loupe_snapshot_has_recorder(query->snapshot))
        return heap_fail(query, LOUPE_EUSAGE,
                         "the allocations were not recorded: start the program with "
                         "libloupe_record preloaded (docs/recording.md)");
    return CLI_OK;
}

int heap_verb_leaks(struct heap_query *query) {
    struct leaks_answer answer = {.query = query};
    if (!query->snapshot->native)
        return heap_fail(query, LOUPE_EUSAGE,
                         "not for Java heaps, where the collector frees unreachable objects; use "
                         "loupe suspects or loupe heap");
    int status = check_group(query);
    if (!status)
        status = heap_gates_init(&answer.gates, query);
    if (status)
        return status;
    bool compares = query->options.baseline || query->options.write_baseline;
    answer.options = (struct loupe_leaks_options){.filters = answer.gates.filters,
                                                  .filter_count = answer.gates.filter_count,
                                                  .max_rings = compares ? RINGS_TO_COMPARE : 0,
                                                  .max_rings_left = RINGS_LEFT};
    loupe_arena_init(&answer.arena, &heap_chunks);
    if (loupe_leaks_find(query->snapshot, &answer.options, &heap_chunks, &answer.arena,
                         &answer.leaks)) {
        status = heap_ended(query);
    } else {
        status = answer_with(&answer);
        loupe_leaks_deinit(&answer.leaks);
    }
    free(answer.is_hidden);
    loupe_arena_deinit(&answer.arena);
    heap_gates_deinit(&answer.gates);
    return status;
}
