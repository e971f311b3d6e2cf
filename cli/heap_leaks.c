/* loupe leaks: what nothing keeps alive. */
#include "amounts.h"
#include "answers/texts.h"
#include "capture.h"
#include "analysis/histogram.h"
#include "heap_gates.h"
#include "report/class_words.h"
#include "report/report_leaks.h"
#include "report/report_snapshot.h"
#include "show_dangling.h"
#include "show_leak.h"
#include "show_stack.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 20, SHOWN_CLASSES = 10, SHOWN_MISCOUNTS = 10 };

struct leaks_answer {
    const struct heap_query *query;
    struct heap_gates gates;
    struct loupe_arena arena;
    struct loupe_leaks_options options;
    struct loupe_leaks leaks;
    bool *is_hidden; /* by group: the baseline knows it, another class was asked for, */
    struct loupe_known_totals known;  /* or a library leaked it */
    uint32_t hidden;                  /* by the baseline: groups */
    uint32_t of_other_classes;        /* groups that the baseline does not know */
    struct loupe_leaks_totals totals; /* of those that are shown */
    uint64_t found;                   /* leaks that are not hidden, without suspects */
    uint32_t singles;                 /* of these: no cycles */
    uint32_t suspects;
    uint32_t groups, kinds; /* that are shown; of these without suspects */
};

static bool groups_by_stack(const struct leaks_answer *answer) {
    return answer->query->options.group != NULL;
}

/* ---- Which are shown ---- */

static bool is_known(struct leaks_answer *answer, const struct loupe_leak *leak) {
    const struct loupe_snapshot *snapshot = answer->query->snapshot;
    const struct loupe_knot_facts *knot = loupe_leak_knot(&answer->leaks, leak);
    struct words comment = words_say("%s of %s", leak->is_cycle ? "cycle" : "leak",
                                     words_of_all(snapshot, snapshot->classes[leak->node]).text);
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
           heap_class_matches(snapshot, snapshot->classes[node], pattern);
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
        answer->groups++;
        if (leak->degree == LOUPE_DEGREE_TIMER) {
            answer->suspects += group->count;
            continue;
        }
        answer->kinds++;
        answer->found += group->count;
        answer->singles += leak->is_cycle ? 0 : group->count;
    }
    loupe_leaks_add_known_miscounts(&answer->known, leaks);
    if (answer->is_hidden)
        answer->totals = loupe_leaks_add_up(leaks, answer->is_hidden);
    return answer->is_hidden;
}

static bool hides_any(const struct leaks_answer *answer) {
    return answer->hidden || answer->of_other_classes;
}

/* ---- Text ---- */

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static void show_timed(const struct leaks_answer *answer) {
    if (!answer->suspects)
        return;
    printf("%s retain cycle%s held only by %s timer (not counted): ", cli_count(answer->suspects),
           plural(answer->suspects), answer->suspects == 1 ? "its" : "their");
    show_amount(answer->totals.timed);
    printf("\n");
}

static void show_degree_total(const char *degree, struct loupe_amount amount) {
    if (!amount.objects)
        return;
    printf("  %s: ", degree);
    show_amount(amount);
    printf("\n");
}

/* After a timer's cycle, which is a finding and no leak. */
static void show_none(const struct leaks_answer *answer) {
    printf("No %s%sleaks%s found (searched %s from %s root%s)\n", answer->suspects ? "other " : "",
           answer->query->options.baseline ? "new " : "",
           answer->query->options.class_pattern ? " of such a class" : "",
           words_of_contents(answer->query->snapshot).text,
           cli_count(answer->query->snapshot->columns.root_count),
           plural(answer->query->snapshot->columns.root_count));
}

/* Else it is a leak among the others, or a library's. */
static bool is_listed(const struct loupe_leaks *leaks, const struct loupe_miscount *miscount) {
    return !miscount->is_lost && !loupe_miscount_known(leaks, miscount);
}

/* A missing release of what is reachable fails no gate, but is no footnote. */
static void show_miscounted(const struct leaks_answer *answer) {
    const struct loupe_leaks *leaks = &answer->leaks;
    uint64_t count = 0;
    for (uint32_t i = 0; i < leaks->miscount_count; i++)
        count += is_listed(leaks, &leaks->miscounts[i]) ? leaks->miscounts[i].count : 0;
    if (count)
        printf(
            "%s reachable object%s whose retain counts do not add up (not counted, listed below)\n",
            cli_count(count), plural(count));
}

/* "16 leaks (6 cycles), 11 distinct", and what is lost by them. */
static void show_totals(const struct leaks_answer *answer) {
    uint64_t cycles = answer->found - answer->singles;
    printf("%s %sleak%s", cli_count(answer->found), answer->query->options.baseline ? "new " : "",
           plural(answer->found));
    if (cycles)
        printf(" (%s cycle%s)", cli_count(cycles), plural(cycles));
    if (answer->kinds < answer->found)
        printf(", %s distinct", cli_count(answer->kinds));
    printf("\n");
    show_degree_total("unreachable", answer->totals.lost);
    show_degree_total(ANSWER_NOT_OWNED, answer->totals.unowned);
}

/* What was found comes first, be it no leak. */
static void show_heading(const struct leaks_answer *answer) {
    if (answer->found)
        show_totals(answer);
    else if (!answer->suspects)
        show_none(answer);
    show_timed(answer);
    show_miscounted(answer);
}

/* Whether all that is lost is what libraries are known to lose. */
static bool only_known(const struct leaks_answer *answer) {
    return answer->known.leaks && !answer->groups && !hides_any(answer);
}

static void show_shared(const struct leaks_answer *answer, const struct leak_scene *scene) {
    struct loupe_amount shared = answer->leaks.shared;
    if (!shared.objects || only_known(answer))
        return;
    printf("\nShared by several leaks%s, counted to none: ",
           hides_any(answer) || answer->known.leaks ? ", shown or not" : "");
    show_amount(shared);
    show_kept_classes(scene, NULL);
    printf("\n");
}

/* ---- By who allocated them ---- */

/* All, whatever --limit says of kinds: --limit is of these rows then. False: no memory. */
static bool show_by_stack(struct leaks_answer *answer, uint32_t most) {
    static const char *const headings[] = {"leaks", "allocations", "bytes", "allocated"};
    struct loupe_leaks_by_stack by_stack;
    struct table table;
    if (loupe_leaks_by_stack(&answer->leaks, answer->is_hidden, &answer->arena, &by_stack))
        return false;
    uint32_t shown = by_stack.count < most ? by_stack.count : most;
    table_init(&table, 4, headings);
    table.numbers = 1 << 0 | 1 << 1 | 1 << 2;
    for (uint32_t i = 0; i < shown; i++) {
        const struct loupe_stack_leaks *item = &by_stack.items[i];
        table_add(&table, loupe_span_of(cli_count(item->count)));
        table_add(&table, loupe_span_of(cli_count(item->kept.objects)));
        table_add(&table, loupe_span_of(cli_count(item->kept.bytes)));
        table_add(&table, loupe_span_of(words_of_stack(answer->query->snapshot, item->stack).text));
    }
    printf("\nBy the stacks that allocated them:\n");
    bool printed = table_print(&table);
    table_deinit(&table);
    if (shown < by_stack.count)
        printf("  and %s more stacks (--limit 0 shows all)\n", cli_count(by_stack.count - shown));
    return printed;
}

/* ---- What is lost, by class ---- */

struct class_row {
    struct loupe_class_total total;
    uint32_t class_number;
};

static int compare_rows(const void *a, const void *b) {
    const struct class_row *x = a, *y = b;
    if (x->total.bytes != y->total.bytes)
        return x->total.bytes < y->total.bytes ? 1 : -1;
    return (x->class_number > y->class_number) - (x->class_number < y->class_number);
}

static void show_rows(const struct leaks_answer *answer, const struct class_row *rows) {
    static const char *const headings[] = {"instances", "bytes", "class"};
    const struct loupe_snapshot *snapshot = answer->query->snapshot;
    struct table table;
    uint32_t count = 0;
    while (count < snapshot->class_count && rows[count].total.count)
        count++;
    table_init(&table, 3, headings);
    table.numbers = 1 << 0 | 1 << 1;
    for (uint32_t i = 0; i < count && i < SHOWN_CLASSES; i++) {
        table_add(&table, loupe_span_of(cli_count(rows[i].total.count)));
        table_add(&table, loupe_span_of(cli_count(rows[i].total.bytes)));
        words_add_class(&table, snapshot, rows[i].class_number);
    }
    printf("\nUnreachable, %sby class:\n",
           hides_any(answer) || answer->known.leaks ? "shown or not, " : "");
    table_print(&table);
    table_deinit(&table);
    if (count > SHOWN_CLASSES)
        printf("  and %s more class%s\n", cli_count(count - SHOWN_CLASSES),
               count - SHOWN_CLASSES == 1 ? "" : "es");
}

/* Every node that is lost, once. False: no memory. */
static bool show_classes(const struct leaks_answer *answer) {
    const struct loupe_leaks *leaks = &answer->leaks;
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    struct class_row *rows = calloc((size_t)snapshot->class_count + 1, sizeof(*rows));
    if (!rows)
        return false;
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++) {
        struct loupe_class_total *total = &rows[snapshot->classes[node]].total;
        if (loupe_is_marked(&leaks->alive, node))
            continue;
        total->count++;
        total->bytes += loupe_columns_size(&snapshot->columns, node);
    }
    for (uint32_t i = 0; i < snapshot->class_count; i++)
        rows[i].class_number = i;
    qsort(rows, snapshot->class_count, sizeof(*rows), compare_rows);
    show_rows(answer, rows);
    free(rows);
    return true;
}

/* ---- Below the leaks ---- */

static void show_miscounts(const struct leaks_answer *answer) {
    const struct loupe_leaks *leaks = &answer->leaks;
    uint32_t shown = 0, left = 0;
    for (uint32_t i = 0; i < leaks->miscount_count; i++) {
        const struct loupe_miscount *miscount = &leaks->miscounts[i];
        if (!is_listed(leaks, miscount))
            continue;
        if (shown == SHOWN_MISCOUNTS) {
            left++;
            continue;
        }
        struct loupe_object_verdict verdict;
        loupe_retains_verdict(&leaks->retains, miscount->node, &verdict);
        if (!shown++)
            printf("\nReachable, but the retain counts do not add up:\n");
        printf("  %s × %s, %s: %s (%s)\n", cli_count(miscount->count),
               words_of_class(leaks->snapshot, miscount->node).text,
               loupe_object_verdict_name(verdict.kind), verdict.reason,
               words_of_object(leaks->snapshot, miscount->node).text);
    }
    if (left)
        printf("  and %s more class%s (--json has all)\n", cli_count(left), left == 1 ? "" : "es");
}

/* Also where nothing leaks. */
static void show_all_dangling(const struct leak_scene *scene) {
    struct loupe_dangling_groups dangling;
    const struct loupe_snapshot *snapshot = scene->leaks->snapshot;
    if (loupe_dangling_find(snapshot, NULL, scene->arena, &dangling))
        printf("\n(dangling references not shown: out of memory)\n");
    else
        show_dangling(snapshot, &dangling);
}

static bool is_named_before(const struct loupe_known_totals *known, uint32_t number) {
    for (uint32_t i = 0; i < number; i++) {
        if (strcmp(known->items[i].known->library, known->items[number].known->library) == 0)
            return true;
    }
    return false;
}

/* "libobjc and gnustep-base": each once, those with most leaks before others. */
static void show_libraries(const struct loupe_known_totals *known) {
    const char *before = "";
    for (uint32_t i = 0; i < known->count; i++) {
        if (is_named_before(known, i))
            continue;
        printf("%s%s", before, known->items[i].known->library);
        before = " and ";
    }
}

static void show_known_items(const struct leaks_answer *answer) {
    for (uint32_t i = 0; i < answer->known.count; i++) {
        const struct loupe_known_total *total = &answer->known.items[i];
        printf("  %s × %s, ", cli_count(total->count), total->known->name);
        show_amount(total->kept);
        printf(", of %s %s:\n    %s\n", total->known->library, total->known->versions,
               total->known->proof);
    }
}

static void show_known(const struct leaks_answer *answer) {
    const struct loupe_known_totals *known = &answer->known;
    bool shows = answer->query->options.known;
    if (!known->leaks)
        return;
    printf("%s known leak%s of ", cli_count(known->leaks), plural(known->leaks));
    show_libraries(known);
    printf(": %s%s\n", cli_bytes(known->kept.bytes), shows ? "" : " (--known shows them)");
    if (shows)
        show_known_items(answer);
}

static void show_hidden(const struct leaks_answer *answer) {
    show_known(answer);
    if (answer->hidden)
        printf("Hidden by the baseline: %s distinct leak%s\n", cli_count(answer->hidden),
               plural(answer->hidden));
    if (answer->of_other_classes)
        printf("Hidden by --class: %s distinct leak%s\n", cli_count(answer->of_other_classes),
               plural(answer->of_other_classes));
    if (!hides_any(answer))
        return;
    struct loupe_amount hidden = answer->totals.not_shown;
    hidden.objects -= answer->known.kept.objects;
    hidden.others -= answer->known.kept.others;
    hidden.bytes -= answer->known.kept.bytes;
    printf("Hidden in all: ");
    show_amount(hidden);
    printf("\n");
}

static void show_rest(const struct leaks_answer *answer, const struct leak_scene *scene,
                      uint32_t left) {
    const struct loupe_leaks *leaks = &answer->leaks;
    uint64_t by_filters = leaks->cycles.ruled_out.by_counts + leaks->cycles.ruled_out.by_dealloc;
    for (uint32_t i = 0; i < answer->gates.filter_count; i++)
        by_filters += leaks->cycles.hidden[i];
    if (left)
        printf("\n… and %s more (--limit 0 shows all)\n", cli_count(left));
    show_shared(answer, scene);
    if (leaks->lost.objects && !only_known(answer) && !show_classes(answer))
        printf("\n(classes not shown: out of memory)\n");
    show_miscounts(answer);
    show_all_dangling(scene);
    printf("\n");
    if (leaks->on_stacks.objects) {
        printf("Reachable only from stacks and registers, where values may be stale: ");
        show_amount(leaks->on_stacks);
        printf("%s\n", answer->totals.unowned.objects ? " (may include leaks above)" : "");
    }
    show_hidden(answer);
    if (by_filters)
        printf("Hidden by filters: %s reference%s (--json says which)\n", cli_count(by_filters),
               plural(by_filters));
    uint32_t beyond = leaks->cycles.knots_found - leaks->cycles.knot_count;
    if (beyond)
        printf("incomplete: %s more cycle%s not searched\n", cli_count(beyond),
               beyond == 1 ? " was" : "s were");
    show_recorder(answer->query->snapshot);
    heap_gates_show(&answer->gates, answer->query);
    heap_print_notes(answer->query, answer->leaks.lost.objects);
}

static uint32_t limit_of(const struct heap_query *query) {
    uint64_t limit = query->options.has_limit ? query->options.limit : DEFAULT_LIMIT;
    return limit && limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

enum { WITHOUT_TABLE = 3 }; /* so few are seen at once */

/* Of one leak what to change, of many a table. */
static void show_fixes(const struct leaks_answer *answer, const struct leak_scene *scene,
                       uint32_t most) {
    static const char *const headings[] = {"#", "count", "bytes", "what", "fix"};
    bool has_table = answer->groups > WITHOUT_TABLE && !groups_by_stack(answer);
    uint32_t shown = 0;
    struct table table;
    table_init(&table, 5, headings);
    table.numbers = 1 << 0 | 1 << 1 | 1 << 2;
    for (uint32_t i = 0; i < answer->leaks.group_count && shown < most; i++) {
        if (answer->is_hidden[i])
            continue;
        shown++;
        if (has_table)
            add_leaks_row(scene, shown, &answer->leaks.groups[i], &table);
        else if (answer->groups == 1)
            show_best_fix(scene, &answer->leaks.groups[i]);
    }
    if (has_table)
        printf("\n");
    if (has_table && !table_print(&table))
        printf("(table not shown: out of memory)\n");
    table_deinit(&table);
}

static bool shows_possible(const struct leaks_answer *answer) {
    const struct loupe_leaks *leaks = &answer->leaks;
    for (uint32_t i = 0; i < leaks->group_count; i++) {
        const struct loupe_knot_facts *knot =
            loupe_leak_knot(leaks, &leaks->items[leaks->groups[i].first]);
        if (!answer->is_hidden[i] && knot && !knot->certain)
            return true;
    }
    return false;
}

static void show(struct leaks_answer *answer) {
    const struct loupe_leaks *leaks = &answer->leaks;
    struct leak_scene scene = {.leaks = leaks,
                               .knots = knot_scene_of(&answer->leaks.graph, &leaks->describer,
                                                      &leaks->cycles, &answer->arena),
                               .arena = &answer->arena};
    uint32_t most = limit_of(answer->query), shown = 0;
    show_heading(answer);
    show_fixes(answer, &scene, most);
    if (!answer->found && answer->suspects)
        show_none(answer);
    if (groups_by_stack(answer)) {
        if (!show_by_stack(answer, most))
            printf("\n(stacks not shown: out of memory)\n");
        show_rest(answer, &scene, 0);
        return;
    }
    if (shows_possible(answer))
        show_doubt();
    for (uint32_t i = 0; i < leaks->group_count && shown < most; i++) {
        if (!answer->is_hidden[i])
            show_leaks_alike(&scene, ++shown, &leaks->groups[i]);
    }
    show_rest(answer, &scene, answer->groups - shown);
}

/* ---- JSON ---- */

static int report(struct leaks_answer *answer, bool incomplete) {
    const struct verb_values *options = &answer->query->options;
    struct loupe_heap_shown shown = {.is_hidden = answer->is_hidden,
                                     .by_stack = groups_by_stack(answer),
                                     .known = &answer->known,
                                     .most = options->has_limit ? (uint32_t)options->limit : 0};
    answer->leaks.graph.names = &words_names;
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "leaks", answer->query->snapshot, incomplete);
    if (loupe_report_leaks(&json, &answer->leaks, &answer->options, &shown, &answer->arena))
        return heap_ended(answer->query);
    if (options->baseline)
        loupe_json_put_uint(&json, "hidden_by_baseline", answer->hidden);
    if (options->class_pattern)
        loupe_json_put_uint(&json, "hidden_by_class", answer->of_other_classes);
    loupe_report_snapshot_end(&json, answer->query->snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
    return CLI_OK;
}

/* ---- The answer ---- */

static int answer_with(struct leaks_answer *answer) {
    const struct heap_query *query = answer->query;
    bool incomplete = answer->leaks.cycles.knots_found > answer->leaks.cycles.knot_count ||
                      answer->leaks.cycles.cut_short;
    if (!choose(answer))
        return heap_ended(query);
    int status = heap_gates_finish(&answer->gates, query);
    if (!status)
        status = heap_begin_output(query);
    if (status)
        return status;
    if (query->options.json)
        status = report(answer, incomplete);
    else
        show(answer);
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
