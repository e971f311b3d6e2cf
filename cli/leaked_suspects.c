#include "leaked_suspects.h"

#include "amounts.h"
#include "answers/texts.h"
#include "base/fnv.h"
#include "cycles/fingerprint.h"
#include "native_cycles.h"
#include "report/report_leaks.h"
#include "report/report_trace.h"
#include "show_knot.h"
#include "show_trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- Rings ---- */

/* The knot that the object is in, of what it leads to, or NULL. */
static const struct loupe_knot_facts *own_knot(const struct native_cycles *found) {
    for (uint32_t i = 0; i < found->cycles.knot_count; i++) {
        if (found->cycles.knots[i].contains_focus)
            return &found->cycles.knots[i];
    }
    return NULL;
}

/* Bytes of a name have to end somewhere, so that class and ring do not run together. */
static int find_fingerprint(const struct heap_query *query, uint32_t node, uint64_t *ret) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    struct native_cycles found;
    int status = native_cycles_find(&found, query, node);
    const struct loupe_knot_facts *knot = status ? NULL : own_knot(&found);
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS,
                                   loupe_snapshot_class_name(snapshot, snapshot->classes[node]));
    *ret = loupe_fnv_number(hash, knot ? knot->fingerprint : 0);
    native_cycles_deinit(&found);
    return status;
}

/* ---- Groups ---- */

static int compare_fingerprints(const void *a, const void *b) {
    const struct leaked_suspect *x = a, *y = b;
    if (x->fingerprint != y->fingerprint)
        return x->fingerprint < y->fingerprint ? -1 : 1;
    if (x->rule != y->rule) /* of one table; where objects lie comes last */
        return x->rule < y->rule ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static uint32_t size_of_group(const struct leaked_suspects *leaked,
                              const struct leaked_suspect *first) {
    uint32_t count = 1, left = leaked->count - (uint32_t)(first - leaked->items);
    while (count < left && first[count].fingerprint == first->fingerprint)
        count++;
    return count;
}

/* By how many there are, from behind: each group ends where the next one begins. */
static bool group(struct leaked_suspects *leaked) {
    qsort(leaked->items, leaked->count, sizeof(*leaked->items), compare_fingerprints);
    leaked->groups = calloc((size_t)leaked->count + 1, sizeof(*leaked->groups));
    for (uint32_t i = 0; leaked->groups && i < leaked->count;) {
        struct leaked_suspect *first = &leaked->items[i];
        uint32_t size = size_of_group(leaked, first), place = leaked->group_count++;
        for (; place && size_of_group(leaked, leaked->groups[place - 1]) < size; place--)
            leaked->groups[place] = leaked->groups[place - 1];
        leaked->groups[place] = first;
        i += size;
    }
    return leaked->groups;
}

int leaked_suspects_find(struct leaked_suspects *leaked, const struct held_suspects *held) {
    const struct heap_query *query = held->question->query;
    uint32_t count = query->snapshot->native ? held->not_held : 0;
    *leaked = (struct leaked_suspects){.held = held};
    if (count > LEAKED_SUSPECTS_MOST) {
        leaked->not_looked_at = count - LEAKED_SUSPECTS_MOST;
        count = LEAKED_SUSPECTS_MOST;
    }
    leaked->items = calloc((size_t)count + 1, sizeof(*leaked->items));
    if (!leaked->items)
        return heap_ended(query);
    for (; leaked->count < count; leaked->count++) {
        const struct loupe_suspect *suspect = &held->lost[leaked->count];
        struct leaked_suspect *item = &leaked->items[leaked->count];
        item->node = suspect->node;
        item->rule = &held->question->rules.items[suspect->rule];
        int status = find_fingerprint(query, suspect->node, &item->fingerprint);
        if (status)
            return status;
    }
    return group(leaked) ? CLI_OK : heap_ended(query);
}

static bool is_known(const struct leaked_suspects *leaked, struct heap_gates *gates,
                     const struct leaked_suspect *first) {
    const struct loupe_snapshot *snapshot = leaked->held->question->query->snapshot;
    return heap_gates_know_suspect(
        gates, first->fingerprint, "leaked suspect of",
        loupe_snapshot_class_name(snapshot, snapshot->classes[first->node]));
}

uint32_t leaked_suspects_hide(struct leaked_suspects *leaked, struct heap_gates *gates,
                              bool *ret_done) {
    uint32_t kept = 0, hidden = 0, size;
    for (uint32_t i = 0; i < leaked->count; i += size) {
        size = size_of_group(leaked, &leaked->items[i]);
        if (is_known(leaked, gates, &leaked->items[i])) {
            hidden++;
            continue;
        }
        memmove(&leaked->items[kept], &leaked->items[i], size * sizeof(*leaked->items));
        kept += size;
    }
    *ret_done = true;
    if (!hidden)
        return 0;
    free(leaked->groups);
    leaked->groups = NULL;
    leaked->count = kept;
    leaked->group_count = 0;
    *ret_done = group(leaked);
    return hidden;
}

void leaked_suspects_deinit(struct leaked_suspects *leaked) {
    free(leaked->groups);
    free(leaked->items);
}

/* ---- What an object in no ring hangs on ---- */

/* The first reference that may own it. */
static bool find_holder(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t *ret_holder,
                        uint32_t *ret_link) {
    const struct loupe_columns *columns = &snapshot->columns;
    for (uint32_t holder = 0; holder < columns->nodes; holder++) {
        for (uint32_t link = columns->first[holder]; link < columns->first[holder + 1]; link++) {
            if (columns->to[link] == node && holder != node &&
                loupe_link_counts(columns, link, LOUPE_LINKS_MAYBE)) {
                *ret_holder = holder;
                *ret_link = link;
                return true;
            }
        }
    }
    return false;
}

static void show_holder(const struct leaked_suspects *leaked, uint32_t node) {
    const struct loupe_tracer *tracer = &leaked->held->question->tracer;
    uint32_t holder, link;
    if (!find_holder(tracer->snapshot, node, &holder, &link)) {
        printf("  " ANSWER_RELEASE_IS_MISSING "\n");
        return;
    }
    printf("  Not in a retain cycle. Held by ");
    show_link(tracer, holder, link);
    printf(" of ");
    show_object(tracer->snapshot, holder);
    printf(", which is leaked itself\n");
}

/* ---- Text ---- */

static void show_ring(struct native_cycles *found, const struct loupe_knot_facts *knot) {
    struct knot_scene scene =
        knot_scene_of(&found->graph, &found->describer, &found->cycles, &found->arena);
    struct shown_knot shown;
    shown_knot_open(&scene, knot, &shown);
    printf("  ");
    show_knot_size(&shown);
    printf(", ");
    show_verdict(&shown);
    printf("\n");
    show_knot(&shown);
    shown_knot_close(&shown);
}

static int show_own_ring(const struct heap_query *query, uint32_t node, bool *ret_is_shown) {
    struct native_cycles found;
    int status = native_cycles_find(&found, query, node);
    const struct loupe_knot_facts *knot = status ? NULL : own_knot(&found);
    *ret_is_shown = knot;
    if (knot)
        show_ring(&found, knot);
    native_cycles_deinit(&found);
    return status;
}

int show_ring_of_suspect(const struct heap_query *query, uint32_t node) {
    bool is_shown;
    return show_own_ring(query, node, &is_shown);
}

static int show_group(const struct leaked_suspects *leaked, const struct leaked_suspect *first) {
    const struct heap_query *query = leaked->held->question->query;
    uint32_t count = size_of_group(leaked, first);
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    bool is_in_ring = false;
    loupe_fingerprint_text(first->fingerprint, fingerprint);
    printf("\n%s × ", cli_count(count));
    show_object(query->snapshot, first->node);
    printf("; fingerprint %s\n  leaking", fingerprint);
    show_reason(first->rule);
    printf("\n");
    int status = show_own_ring(query, first->node, &is_in_ring);
    if (!status && !is_in_ring)
        show_holder(leaked, first->node);
    show_equal_ones(query->snapshot, &first->node, sizeof(*first), count);
    return status;
}

int leaked_suspects_show(const struct leaked_suspects *leaked, uint32_t shown) {
    int status = CLI_OK;
    uint32_t all = leaked->count + leaked->not_looked_at;
    if (!all)
        return CLI_OK;
    printf("\n%s object%s that should be gone %s leaked: unreachable\n", cli_count(all),
           all == 1 ? "" : "s", all == 1 ? "is" : "are");
    for (uint32_t i = 0; !status && i < shown && i < leaked->group_count; i++)
        status = show_group(leaked, leaked->groups[i]);
    if (shown < leaked->group_count)
        printf("\n… and %s more causes (--limit 0 shows all)\n",
               cli_count(leaked->group_count - shown));
    if (leaked->not_looked_at)
        printf("incomplete: %s more were not searched\n", cli_count(leaked->not_looked_at));
    return status;
}

/* ---- JSON ---- */

/* The ring alone, of all knots that it leads to. */
static int report_ring(struct loupe_json *json, const struct heap_query *query, uint32_t node) {
    struct native_cycles found;
    int status = native_cycles_find(&found, query, node);
    uint32_t knots = status ? 0 : found.cycles.knot_count;
    bool *is_hidden = loupe_arena_alloc_array(&found.arena, knots, sizeof(*is_hidden));
    for (uint32_t i = 0; is_hidden && i < knots; i++)
        is_hidden[i] = !found.cycles.knots[i].contains_focus;
    struct loupe_cycles_answer answer = {.heap = &found.graph,
                                         .graph = &found.graph.graph,
                                         .describer = &found.describer,
                                         .options = &found.options,
                                         .cycles = &found.cycles,
                                         .arena = &found.arena};
    struct loupe_heap_shown shown = {.is_hidden = is_hidden};
    found.graph.names = &words_names;
    if (!status && (!is_hidden || loupe_report_heap_knots(json, &found.graph, &answer, &shown)))
        status = heap_ended(query);
    native_cycles_deinit(&found);
    return status;
}

static int report_group(struct loupe_json *json, const struct leaked_suspects *leaked,
                        const struct leaked_suspect *first) {
    const struct heap_query *query = leaked->held->question->query;
    const struct loupe_snapshot *snapshot = query->snapshot;
    uint32_t count = size_of_group(leaked, first), holder, link;
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(first->fingerprint, fingerprint);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_text(json, "class",
                        loupe_snapshot_class_name(snapshot, snapshot->classes[first->node]));
    report_rule(json, first->rule);
    loupe_json_put_uint(json, "count", count);
    loupe_json_key(json, "addresses");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        loupe_json_address(json, loupe_snapshot_address(snapshot, first[i].node));
    loupe_json_end_array(json);
    loupe_json_key(json, "holder");
    if (find_holder(snapshot, first->node, &holder, &link)) {
        loupe_json_begin_object(json);
        loupe_report_link(json, &leaked->held->question->tracer, holder, link);
        loupe_json_end_object(json);
    } else {
        loupe_json_null(json);
    }
    int status = report_ring(json, query, first->node);
    loupe_json_end_object(json);
    return status;
}

int leaked_suspects_report(struct loupe_json *json, const struct leaked_suspects *leaked,
                           uint32_t shown) {
    int status = CLI_OK;
    loupe_json_put_uint(json, "leaked_found", leaked->count + leaked->not_looked_at);
    loupe_json_put_uint(json, "leaked_groups", leaked->group_count);
    loupe_json_key(json, "leaked");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; !status && i < shown && i < leaked->group_count; i++)
        status = report_group(json, leaked, leaked->groups[i]);
    loupe_json_end_array(json);
    return status;
}
