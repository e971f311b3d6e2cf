#include "native_cycles.h"

#include "amounts.h"
#include "answers/reports/found.h"
#include "capture.h"
#include "cycles/fingerprint.h"
#include "leaks/leaks.h"
#include "handles.h"
#include "look.h"
#include "report/report_leaks.h"
#include "report/report_snapshot.h"
#include "show_knot.h"
#include "show_stack.h"

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
    uint32_t *knots;           /* one of each that are alike, leaked ones first */
    uint32_t *counts, *leaked; /* of those that are alike */
    bool *is_hidden;           /* by knot: the baseline knows it */
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
        ret->is_hidden[i] = is_known(found, knot);
        if (ret->is_hidden[i]) {
            ret->hidden++;
            continue;
        }
        ret->knots[ret->count] = i;
        ret->counts[ret->count] = tally->all[i];
        ret->leaked[ret->count++] = tally->leaked[i];
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
    uint32_t **const columns[] = {&ret->knots, &ret->counts, &ret->leaked};
    struct tally tally;
    uint32_t **const tallies[] = {&tally.all, &tally.leaked, &tally.unclear};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        *columns[i] = loupe_arena_alloc_array(&found->heap.arena, knots, sizeof(**columns[i]));
        *tallies[i] = loupe_arena_alloc_array(&found->heap.arena, knots, sizeof(**tallies[i]));
        if (!*columns[i] || !*tallies[i])
            return false;
    }
    ret->is_hidden = loupe_arena_alloc_array(&found->heap.arena, knots, sizeof(*ret->is_hidden));
    if (!ret->is_hidden)
        return false;
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

/* ---- Text ---- */

static void show_circles(const struct shown *shown) {
    if (shown->circles)
        printf("%s possible cycle%s through untyped memory %s unreachable: loupe leaks shows %s\n",
               cli_count(shown->circles), shown->circles == 1 ? "" : "s",
               shown->circles == 1 ? "is" : "are", shown->circles == 1 ? "it" : "them");
}

static void show_one(const struct native_cycles *found, const struct knot_scene *scene,
                     const struct shown *shown, uint32_t i) {
    const struct loupe_knot_facts *knot = &found->heap.cycles.knots[shown->knots[i]];
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    struct shown_knot said;
    shown_knot_open(scene, knot, &said);
    loupe_fingerprint_text(knot->fingerprint, fingerprint);
    printf("\n%s. ", cli_count(i + 1));
    if (knot->rings.count)
        handles_show(i + 1,
                     loupe_graph_address(
                         &found->heap.graph.graph,
                         loupe_ring_from(&found->heap.graph.graph, &knot->rings.items[0], 0)),
                     knot->fingerprint);
    if (shown->counts[i] > 1)
        printf("%s × ", cli_count(shown->counts[i]));
    show_knot_size(&said);
    printf(", ");
    show_verdict(&said);
    if (shown->leaked[i] && shown->leaked[i] < shown->counts[i])
        printf("; %s of them leaked", cli_count(shown->leaked[i]));
    printf("\n");
    show_knot(&said);
    printf("  fingerprint %s\n", fingerprint);
    shown_knot_close(&said);
}

/* "2 leaked retain cycles reachable from it, 1 distinct". */
static void show_heading(const struct native_cycles *found, const struct shown *shown) {
    struct answer_look look = look_of_tool();
    struct answer_lines lines;
    struct answer_found counts = {.certain = shown->found - shown->possible,
                                  .possible = shown->possible,
                                  .described = shown->found,
                                  .leaked = shown->leaked_found,
                                  .held = shown->held,
                                  .is_new = found->query->options.baseline};
    answer_lines_init(&lines, NULL, &look, cli_stdout_sink());
    answer_say_how_many_found(&lines, &counts);
    if (!shown->found && shown->circles)
        answer_say(&lines, " of objects alone");
    if (found->heap.options.focus == 0)
        answer_say(&lines, " reachable from it");
    if (shown->count < shown->found) {
        answer_say(&lines, ", ");
        answer_say_number(&lines, shown->count);
        answer_say(&lines, " distinct");
    }
    answer_end_line(&lines);
}

static void show_fix(const struct knot_scene *scene, const struct loupe_knot_facts *knot) {
    struct shown_knot shown;
    shown_knot_open(scene, knot, &shown);
    struct words fix = best_fix(&shown);
    shown_knot_close(&shown);
    if (*fix.text)
        printf("%s\n", fix.text);
}

static bool shows_possible(const struct native_cycles *found, const struct shown *shown,
                           uint32_t most) {
    for (uint32_t i = 0; i < most; i++) {
        if (!found->heap.cycles.knots[shown->knots[i]].certain)
            return true;
    }
    return false;
}

static void show(struct native_cycles *found, const struct shown *shown) {
    const struct loupe_snapshot *snapshot = found->query->snapshot;
    const struct verb_values *options = &found->query->options;
    struct knot_scene scene = knot_scene_of(&found->heap.graph, &found->heap.describer,
                                            &found->heap.cycles, &found->heap.arena);
    uint64_t limit = options->has_limit ? options->limit : DEFAULT_LIMIT;
    uint32_t most = limit && limit < shown->count ? (uint32_t)limit : shown->count;
    show_heading(found, shown);
    show_circles(shown);
    if (shown->count == 1 && most)
        show_fix(&scene, &found->heap.cycles.knots[shown->knots[0]]);
    if (shows_possible(found, shown, most))
        show_doubt();
    for (uint32_t i = 0; i < most; i++)
        show_one(found, &scene, shown, i);
    if (most < shown->count)
        printf("\n… and %s more (--limit 0 shows all)\n", cli_count(shown->count - most));
    if (shown->hidden)
        printf("Hidden by the baseline: %s distinct cycle%s\n", cli_count(shown->hidden),
               shown->hidden == 1 ? "" : "s");
    if (found->heap.cycles.knots_found > found->heap.cycles.knot_count)
        printf("incomplete: %s more cycle%s not searched\n",
               cli_count(found->heap.cycles.knots_found - found->heap.cycles.knot_count),
               found->heap.cycles.knots_found - found->heap.cycles.knot_count == 1 ? " was"
                                                                                   : "s were");
    show_recorder(snapshot);
    heap_gates_show(&found->gates, found->query);
    heap_print_notes(found->query, false);
}

/* ---- JSON ---- */

static int report(struct native_cycles *found, const struct shown *chosen) {
    const struct loupe_snapshot *snapshot = found->query->snapshot;
    const struct verb_values *options = &found->query->options;
    struct loupe_cycles_answer answer = {.heap = &found->heap.graph,
                                         .graph = &found->heap.graph.graph,
                                         .describer = &found->heap.describer,
                                         .options = &found->heap.options,
                                         .cycles = &found->heap.cycles,
                                         .arena = &found->heap.arena};
    found->heap.graph.names = &words_names;
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, found->query->verb->name, snapshot,
                                found->heap.cycles.knots_found > found->heap.cycles.knot_count);
    loupe_json_key(&json, "seed");
    if (found->heap.options.focus == LOUPE_NO_NODE)
        loupe_json_null(&json);
    else
        loupe_json_address(&json, loupe_graph_address(&found->heap.graph.graph, 0));
    struct loupe_heap_shown shown = {.is_hidden = chosen->is_hidden,
                                     .most = options->has_limit ? (uint32_t)options->limit : 0};
    if (loupe_report_heap_knots(&json, &found->heap.graph, &answer, &shown))
        return heap_ended(found->query);
    loupe_json_put_uint(&json, "memory_circles", chosen->circles);
    if (options->baseline)
        loupe_json_put_uint(&json, "hidden_by_baseline", chosen->hidden);
    loupe_report_hidden(&json, &answer);
    loupe_report_snapshot_end(&json, snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
    return CLI_OK;
}

/* ---- The answer ---- */

static int answer_with(struct native_cycles *found) {
    const struct verb_values *options = &found->query->options;
    struct shown shown = {0};
    if (!choose(found, &shown) || !count_circles(found, &shown))
        return heap_ended(found->query);
    int status = heap_gates_finish(&found->gates, found->query);
    if (!status)
        status = heap_begin_output(found->query);
    if (status)
        return status;
    if (options->json)
        status = report(found, &shown);
    else
        show(found, &shown);
    bool incomplete = found->heap.cycles.knots_found > found->heap.cycles.knot_count ||
                      loupe_snapshot_is_incomplete(found->query->snapshot);
    if (status || (incomplete && !options->allow_incomplete))
        return status ? status : CLI_INCOMPLETE;
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
