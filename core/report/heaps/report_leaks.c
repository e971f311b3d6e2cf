#include "report/heaps/report_leaks.h"

#include "base/sort.h"
#include "report/heaps/report_dangling.h"
#include "report/report_graph.h"
#include "report/heaps/report_trace.h"
#include "snapshot/values/native_names.h"

/* ---- Knots ---- */

static bool is_shown_for_all(const struct loupe_cycles *cycles, uint32_t knot) {
    return cycles->knots[knot].alike == knot;
}

/* How many are alike, and how many of these are leaked. */
static void write_alike(struct loupe_json *json, const struct loupe_cycles *cycles, uint32_t knot) {
    uint32_t count = 0, leaked = 0;
    for (uint32_t i = knot; i < cycles->knot_count; i++) {
        count += cycles->knots[i].alike == knot;
        leaked += cycles->knots[i].alike == knot && cycles->knots[i].verdict.kind == LOUPE_LEAKED;
    }
    loupe_json_put_uint(json, "count", count);
    loupe_json_put_uint(json, "leaked", leaked);
}

/* The describer names stacks, and these are listed behind. LOUPE_ENOMEM: there is nothing to end.
 */
static enum loupe_status begin_stacks(struct loupe_heap_graph *graph, struct loupe_arena *arena,
                                      struct loupe_shown_stacks *ret) {
    enum loupe_status status = loupe_shown_stacks_init(ret, graph->snapshot, arena->chunks);
    graph->shown_stacks = status ? NULL : &ret->calls;
    return status;
}

static void end_stacks(struct loupe_json *json, struct loupe_heap_graph *graph,
                       struct loupe_shown_stacks *stacks) {
    loupe_report_shown_stacks(json, stacks);
    graph->shown_stacks = NULL;
    loupe_shown_stacks_deinit(stacks);
}

/* As in answers about one object: only where the runtime has none. */
static void write_weak_references(struct loupe_json *json, const struct loupe_snapshot *snapshot) {
    if (!loupe_heap_has_weak_references(snapshot))
        loupe_json_put_bool(json, "weak_references", false);
}

/* Those that are written, in their order. */
struct written_knots {
    struct loupe_cycles cycles; /* with these alone */
    uint32_t *numbers;          /* in all cycles */
};

static void add_written(const struct loupe_cycles *all, uint32_t number,
                        struct written_knots *ret) {
    ret->numbers[ret->cycles.knot_count] = number;
    ret->cycles.knots[ret->cycles.knot_count++] = all->knots[number];
}

static enum loupe_status choose_knots(const struct loupe_cycles *all,
                                      const struct loupe_heap_shown *shown,
                                      struct loupe_arena *arena, struct written_knots *ret) {
    uint32_t most = shown->most ? shown->most : UINT32_MAX;
    *ret = (struct written_knots){.cycles = *all};
    ret->numbers = loupe_arena_alloc_array(arena, all->knot_count, sizeof(*ret->numbers));
    ret->cycles.knots = loupe_arena_alloc_array(arena, all->knot_count, sizeof(*all->knots));
    ret->cycles.knot_count = 0;
    if (!ret->numbers || !ret->cycles.knots)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < shown->order_count && ret->cycles.knot_count < most; i++)
        add_written(all, shown->order[i], ret);
    for (uint32_t i = 0; !shown->order && i < all->knot_count && ret->cycles.knot_count < most;
         i++) {
        if (is_shown_for_all(all, i) && !(shown->is_hidden && shown->is_hidden[i]))
            add_written(all, i, ret);
    }
    return LOUPE_OK;
}

static void write_mistake(struct loupe_json *json, const struct loupe_heap_shown *shown,
                          const struct loupe_knot_facts *knot) {
    struct loupe_span mistake = {"", 0};
    if (knot && shown->mistake)
        mistake = shown->mistake(shown->ctx, knot);
    if (mistake.length)
        loupe_json_put_text(json, "mistake", mistake);
}

static void write_knots(struct loupe_json *json, const struct loupe_cycles *all,
                        const struct loupe_cycles_answer *answer,
                        const struct loupe_heap_shown *shown, const struct written_knots *written) {
    uint32_t edges = loupe_report_edges_shown(&written->cycles);
    loupe_json_put_uint(json, "knots_found", all->knots_found);
    loupe_json_put_uint(json, "possible_found", all->possible_found);
    loupe_json_key(json, "knots");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < written->cycles.knot_count; i++) {
        loupe_json_begin_object(json);
        write_alike(json, all, written->numbers[i]);
        loupe_report_knot(json, answer, &written->cycles.knots[i], edges);
        write_mistake(json, shown, &written->cycles.knots[i]);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

enum loupe_status loupe_report_heap_knots(struct loupe_json *json, struct loupe_heap_graph *graph,
                                          const struct loupe_cycles_answer *answer,
                                          const struct loupe_heap_shown *shown) {
    struct loupe_named_nodes named;
    struct loupe_shown_stacks stacks;
    struct written_knots written;
    struct loupe_cycles_answer of_written = *answer;
    enum loupe_status status = choose_knots(answer->cycles, shown, answer->arena, &written);
    of_written.cycles = &written.cycles;
    if (!status)
        status = loupe_report_list_named(&of_written, &named);
    if (!status)
        status = begin_stacks(graph, answer->arena, &stacks);
    if (status)
        return status;
    write_weak_references(json, graph->snapshot);
    loupe_report_objects(json, answer->graph, answer->describer, named.nodes, named.count);
    write_knots(json, answer->cycles, &of_written, shown, &written);
    end_stacks(json, graph, &stacks);
    return LOUPE_OK;
}

/* ---- One leak ---- */

enum { SHOWN_EXAMPLES = 10, SHOWN_KEPT = 10, SHOWN_CLASSES = 10, LONGEST_VALUE = 96 };

static void write_class(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                        uint32_t class_number) {
    loupe_json_put_text(json, "class", loupe_snapshot_class_name(snapshot, class_number));
}

/* Members of the open object. */
static void put_amount(struct loupe_json *json, struct loupe_amount amount) {
    loupe_json_put_uint(json, "objects", amount.objects);
    loupe_json_put_uint(json, "others", amount.others);
    loupe_json_put_uint(json, "bytes", amount.bytes);
}

static void write_amount(struct loupe_json *json, const char *key, struct loupe_amount amount) {
    loupe_json_key(json, key);
    loupe_json_begin_object(json);
    put_amount(json, amount);
    loupe_json_end_object(json);
}

/* What the examples say of themselves. */
static void write_values(struct loupe_json *json, const struct loupe_leaks *leaks,
                         const struct loupe_leak_group *group) {
    char value[LONGEST_VALUE];
    loupe_json_key(json, "values");
    loupe_json_begin_array(json);
    /* Cap: the field count has all of them. */
    for (uint32_t i = 0; i < group->count && i < SHOWN_EXAMPLES; i++) {
        size_t length = loupe_snapshot_say_value(
            leaks->snapshot, leaks->items[group->first + i].node, value, sizeof(value));
        if (length)
            loupe_json_span(json, (struct loupe_span){value, length});
        else
            loupe_json_null(json);
    }
    loupe_json_end_array(json);
}

static void write_examples(struct loupe_json *json, const struct loupe_leaks *leaks,
                           const struct loupe_leak_group *group) {
    loupe_json_key(json, "examples");
    loupe_json_begin_array(json);
    /* Cap: the field count has all of them. */
    for (uint32_t i = 0; i < group->count && i < SHOWN_EXAMPLES; i++)
        loupe_json_address(
            json, loupe_snapshot_address(leaks->snapshot, leaks->items[group->first + i].node));
    loupe_json_end_array(json);
    if (group->count > 1 && !leaks->items[group->first].is_cycle)
        write_values(json, leaks, group);
}

static enum loupe_status write_kept(struct loupe_json *json, const char *key,
                                    const struct loupe_leaks *leaks,
                                    const struct loupe_leak_group *group,
                                    struct loupe_arena *arena) {
    struct loupe_kept_classes kept;
    enum loupe_status status = loupe_leaks_keep(leaks, group, arena, &kept);
    uint64_t others = 0;
    if (status)
        return status;
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < kept.count; i++) {
        if (i >= SHOWN_KEPT) {
            others += kept.items[i].count;
            continue;
        }
        loupe_json_begin_object(json);
        write_class(json, leaks->snapshot, kept.items[i].class_number);
        loupe_json_put_uint(json, "count", kept.items[i].count);
        loupe_json_end_object(json);
    }
    if (others) {
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "class", (struct loupe_span){.length = 0});
        loupe_json_put_uint(json, "count", others);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    return LOUPE_OK;
}

static void write_step(struct loupe_json *json, const struct loupe_leaks *leaks, uint32_t from,
                       uint32_t to) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    char path[LOUPE_MAX_PATH] = "";
    const char *capture = NULL;
    uint32_t link = loupe_path_link(&leaks->columns, LOUPE_LINKS_MAYBE,
                                    1u << LOUPE_LINK_CONSERVATIVE, from, to);
    const struct loupe_label *label = NULL;
    if (link != LOUPE_NO_EDGE) {
        loupe_native_path(snapshot, link, path);
        capture = loupe_native_capture_name(snapshot, from, link);
        label = loupe_native_label(snapshot, link);
    }
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "from", loupe_snapshot_address(snapshot, from));
    loupe_json_put_address(json, "to", loupe_snapshot_address(snapshot, to));
    loupe_json_put_string(json, "kind",
                          label ? loupe_edge_kind_name((enum loupe_edge_kind)label->kind) : "word");
    loupe_json_put_string(json, "path", capture ? capture : path);
    loupe_json_put_string(json, "ownership", "assumed");
    loupe_json_key(json, "holder");
    loupe_json_begin_object(json);
    loupe_report_heap_object(json, snapshot, from);
    leaks->graph.memory->put_owner(leaks->graph.memory->ctx, from, json);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
}

enum { SHOWN_STEPS = 64 };

/* A circle of words: some of them may own nothing. */
static enum loupe_status write_circle(struct loupe_json *json, const struct loupe_leaks *leaks,
                                      const struct loupe_leak *leak, struct loupe_arena *arena) {
    uint32_t length = leaks->raw_rings.of[leak->ring].length;
    uint32_t *nodes = loupe_arena_alloc_array(arena, length, sizeof(*nodes));
    if (!nodes)
        return LOUPE_ENOMEM;
    loupe_heap_ring_nodes(&leaks->raw_rings, leak->ring, nodes);
    loupe_json_key(json, "ring");
    loupe_json_begin_object(json);
    loupe_report_fingerprint(json, leak->fingerprint);
    loupe_json_put_uint(json, "length", length);
    loupe_json_put_bool(json, "certain", false);
    loupe_json_key(json, "edges");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < length; i++) {
        if (length <= SHOWN_STEPS || i < SHOWN_STEPS / 2 || i >= length - SHOWN_STEPS / 2)
            write_step(json, leaks, nodes[i], nodes[(i + 1) % length]);
    }
    loupe_json_end_array(json);
    if (length > SHOWN_STEPS)
        loupe_json_put_uint(json, "edges_left_out", length - SHOWN_STEPS);
    loupe_json_end_object(json);
    return LOUPE_OK;
}

static enum loupe_status write_shape(struct loupe_json *json, const struct loupe_leaks *leaks,
                                     const struct loupe_cycles_answer *answer,
                                     const struct loupe_leak *leak,
                                     const struct loupe_knot_facts *knot) {
    uint32_t edges = knot ? loupe_report_edges_shown(answer->cycles) : 0;
    if (!knot && leak->is_cycle)
        return write_circle(json, leaks, leak, answer->arena);
    loupe_json_key(json, "ring");
    if (knot && knot->rings.count)
        loupe_report_ring(json, answer, &knot->rings.items[0], edges);
    else
        loupe_json_null(json);
    loupe_json_key(json, "knot");
    if (knot) {
        loupe_json_begin_object(json);
        loupe_report_knot(json, answer, knot, edges);
        loupe_json_end_object(json);
    } else {
        loupe_json_null(json);
    }
    return LOUPE_OK;
}

/* Which knot it is that is shown for it, and what everybody calls it. */
static void write_about_knot(struct loupe_json *json, const struct loupe_leaks *leaks,
                             const struct loupe_leak *leak, const struct loupe_heap_shown *shown) {
    const struct loupe_knot_facts *knot = loupe_leak_knot(leaks, leak);
    write_mistake(json, shown, knot);
    if (knot && knot != &leaks->cycles.knots[leak->knot])
        loupe_json_put_bool(json, "equal_is_shown", true);
}

/* Of what leads to it: more than stack and register values; only what leaks itself. */
static void write_leads(struct loupe_json *json, const struct loupe_leaks *leaks,
                        const struct loupe_leak *leak) {
    if (leak->degree == LOUPE_DEGREE_NO_OWNER)
        loupe_json_put_bool(json, "pointed_to",
                            loupe_is_marked(&leaks->reached_without_stacks, leak->node));
    if (leak->degree == LOUPE_DEGREE_LOST)
        loupe_json_put_bool(json, "only_by_leaks", !leak->is_leak_root);
}

static bool all_are_below(const struct loupe_leaks *leaks, const struct loupe_leak_group *group) {
    bool all = true;
    for (uint32_t i = 0; all && i < group->count; i++) {
        const struct loupe_leak *leak = &leaks->items[group->first + i];
        all = !leak->is_leak_root && leak->degree == LOUPE_DEGREE_LOST;
    }
    return all;
}

static void write_function(struct loupe_json *json, const struct loupe_leaks *leaks,
                           uint32_t node) {
    struct loupe_written written;
    if (leaks->graph.names && loupe_native_written(leaks->snapshot, node, &written))
        loupe_report_written(json, &written);
}

static void write_unowned(struct loupe_json *json, const struct loupe_leak_group *group) {
    loupe_json_key(json, "unowned");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "count", group->unowned);
    put_amount(json, group->kept_by_unowned);
    loupe_json_end_object(json);
}

/* Nothing describes the words of a circle without a knot. */
static bool is_certain(const struct loupe_leaks *leaks, const struct loupe_leak *leak) {
    const struct loupe_knot_facts *knot = loupe_leak_knot(leaks, leak);
    bool is_shape_certain = knot ? knot->certain : !leak->is_cycle;
    return is_shape_certain && !loupe_leak_is_guessed(leaks, leak);
}

/* A group of the answer, and the knot that is shown of it: of what is lost with its own verdict,
 * where the knot is an equal one. */
struct written_leak {
    const struct loupe_leak_group *group;
    const struct loupe_knot_facts *knot; /* or NULL */
};

struct written_leaks {
    struct written_leak *items;
    uint32_t count;
    struct loupe_cycles cycles; /* with the knots of these */
};

static void choose_knot(const struct loupe_leaks *leaks, struct written_leaks *written,
                        struct written_leak *item) {
    const struct loupe_leak *leak = &leaks->items[item->group->first];
    const struct loupe_knot_facts *knot = loupe_leak_knot(leaks, leak);
    if (!knot)
        return;
    struct loupe_knot_facts *copy = &written->cycles.knots[written->cycles.knot_count++];
    *copy = *knot;
    if (leak->degree == LOUPE_DEGREE_LOST)
        copy->verdict = leaks->cycles.knots[leak->knot].verdict;
    item->knot = copy;
}

static enum loupe_status choose_written(const struct loupe_leaks *leaks,
                                        const struct loupe_heap_shown *shown,
                                        struct loupe_arena *arena, struct written_leaks *ret) {
    uint32_t most = shown->most ? shown->most : UINT32_MAX;
    *ret = (struct written_leaks){.cycles = leaks->cycles};
    ret->items = loupe_arena_alloc_array(arena, leaks->group_count, sizeof(*ret->items));
    ret->cycles.knots =
        loupe_arena_alloc_array(arena, leaks->group_count, sizeof(*ret->cycles.knots));
    ret->cycles.knot_count = 0;
    if (!ret->items || !ret->cycles.knots)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < leaks->group_count && ret->count < most; i++) {
        if (shown->is_hidden && shown->is_hidden[i])
            continue;
        struct written_leak *item = &ret->items[ret->count++];
        item->group = &leaks->groups[i];
        choose_knot(leaks, ret, item);
    }
    return LOUPE_OK;
}

static enum loupe_status write_group(struct loupe_json *json, const struct loupe_leaks *leaks,
                                     const struct loupe_cycles_answer *answer,
                                     const struct loupe_heap_shown *shown,
                                     const struct written_leak *written,
                                     struct loupe_shown_stacks *stacks) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    const struct loupe_leak_group *group = written->group;
    const struct loupe_leak *leak = &leaks->items[group->first];
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "kind", leak->is_cycle ? "cycle" : "leak");
    loupe_report_degree(json, (enum loupe_degree)leak->degree, is_certain(leaks, leak));
    loupe_report_fingerprint(json, leak->fingerprint);
    loupe_json_put_uint(json, "count", group->count);
    write_unowned(json, group);
    write_class(json, snapshot, snapshot->classes[leak->node]);
    write_function(json, leaks, leak->node);
    loupe_json_put_address(json, "head", loupe_snapshot_address(snapshot, leak->node));
    loupe_json_key(json, "object");
    loupe_json_begin_object(json);
    loupe_report_counted_object(json, snapshot, leak->node);
    if (leak->is_cycle)
        leaks->graph.memory->put_owner(leaks->graph.memory->ctx, leak->node, json);
    else
        loupe_report_allocator(json, snapshot, leak->node);
    loupe_json_end_object(json);
    write_leads(json, leaks, leak);
    loupe_json_put_bool(json, "below_another", all_are_below(leaks, group));
    loupe_json_put_bool(json, "guessed", loupe_leak_is_guessed(leaks, leak));
    put_amount(json, group->kept);
    loupe_json_put_uint(json, "missing_releases", leak->missing);
    write_examples(json, leaks, group);
    enum loupe_status status = write_kept(json, "keeps", leaks, group, answer->arena);
    if (!status)
        status = write_shape(json, leaks, answer, leak, written->knot);
    write_about_knot(json, leaks, leak, shown);
    loupe_report_stack(json, stacks, loupe_snapshot_stack(snapshot, leak->node));
    loupe_json_end_object(json);
    return status;
}

static void write_miscounts(struct loupe_json *json, const struct loupe_leaks *leaks) {
    loupe_json_key(json, "miscounted");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < leaks->miscount_count; i++) {
        const struct loupe_miscount *miscount = &leaks->miscounts[i];
        if (loupe_miscount_known(leaks, miscount))
            continue;
        struct loupe_object_verdict verdict;
        loupe_retains_verdict(&leaks->retains, miscount->node, &verdict);
        loupe_json_begin_object(json);
        write_class(json, leaks->snapshot, miscount->class_number);
        loupe_json_put_string(json, "verdict", loupe_object_verdict_name(verdict.kind));
        loupe_json_put_string(json, "verdict_reason", verdict.reason);
        loupe_json_put_uint(json, "count", miscount->count);
        loupe_json_put_uint(json, "releases", miscount->releases);
        loupe_json_put_bool(json, "lost", miscount->is_lost);
        loupe_json_put_address(json, "example",
                               loupe_snapshot_address(leaks->snapshot, miscount->node));
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static enum loupe_status write_groups(struct loupe_json *json, const struct loupe_leaks *leaks,
                                      const struct loupe_cycles_answer *answer,
                                      const struct loupe_heap_shown *shown,
                                      const struct written_leaks *written,
                                      struct loupe_shown_stacks *stacks) {
    enum loupe_status status = LOUPE_OK;
    loupe_json_key(json, "leaks");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; !status && i < written->count; i++)
        status = write_group(json, leaks, answer, shown, &written->items[i], stacks);
    loupe_json_end_array(json);
    return status;
}

/* ---- What is lost, by class ---- */

struct lost_class {
    uint32_t class_number, count;
    uint64_t bytes;
};

static bool is_larger(const void *ctx, const void *a, const void *b) {
    const struct lost_class *x = a, *y = b;
    (void)ctx;
    return x->bytes > y->bytes || (x->bytes == y->bytes && x->class_number < y->class_number);
}

/* Every node that is lost, once, but for what libraries are known to leave behind. */
static enum loupe_status add_up_classes(const struct loupe_leaks *leaks, struct loupe_arena *arena,
                                        struct lost_class **ret, uint32_t *count_ret) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    struct lost_class *rows =
        loupe_arena_alloc_array(arena, (size_t)snapshot->class_count + 1, sizeof(*rows));
    uint32_t count = 0;
    if (!rows)
        return LOUPE_ENOMEM;
    for (uint32_t node = 0; leaks->lost.objects && node < snapshot->columns.nodes; node++) {
        struct lost_class *row = &rows[snapshot->classes[node]];
        if (loupe_is_marked(&leaks->alive, node) ||
            snapshot->native->marks[node] & LOUPE_NODE_LEFT_BEHIND)
            continue;
        row->count++;
        row->bytes += loupe_columns_size(&snapshot->columns, node);
    }
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        struct lost_class row = rows[i];
        row.class_number = i;
        if (row.count)
            rows[count++] = row;
    }
    loupe_sort(rows, count, sizeof(*rows), is_larger, NULL);
    *ret = rows;
    *count_ret = count;
    return LOUPE_OK;
}

static void write_lost_classes(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                               const struct lost_class *rows, uint32_t count) {
    loupe_json_put_uint(json, "lost_classes_found", count);
    loupe_json_key(json, "lost_classes");
    loupe_json_begin_array(json);
    /* Cap: the field lost_classes_found. */
    for (uint32_t i = 0; i < count && i < SHOWN_CLASSES; i++) {
        struct loupe_written written;
        loupe_json_begin_object(json);
        write_class(json, snapshot, rows[i].class_number);
        if (loupe_native_class_written(snapshot, rows[i].class_number, &written))
            loupe_report_written(json, &written);
        loupe_json_put_uint(json, "count", rows[i].count);
        loupe_json_put_uint(json, "size", rows[i].bytes);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void write_by_stack(struct loupe_json *json, const struct loupe_leaks_by_stack *by_stack,
                           struct loupe_shown_stacks *stacks) {
    loupe_json_key(json, "by_stack");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < by_stack->count; i++) {
        const struct loupe_stack_leaks *item = &by_stack->items[i];
        loupe_json_begin_object(json);
        loupe_report_stack(json, stacks, item->stack);
        loupe_json_put_uint(json, "count", item->count);
        put_amount(json, item->kept);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void write_known_total(struct loupe_json *json, const struct loupe_known_total *total) {
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "library", total->known->library);
    loupe_json_put_string(json, "class", total->known->name);
    loupe_json_put_string(json, "versions", total->known->versions);
    loupe_json_put_string(json, "proof", total->known->proof);
    loupe_json_put_uint(json, "count", total->count);
    put_amount(json, total->kept);
    loupe_json_end_object(json);
}

static void write_known(struct loupe_json *json, const struct loupe_known_totals *totals) {
    static const struct loupe_known_totals none;
    totals = totals ? totals : &none;
    loupe_json_key(json, "known");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "leaks", totals->leaks);
    put_amount(json, totals->kept);
    loupe_json_key(json, "by");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < totals->count; i++)
        write_known_total(json, &totals->items[i]);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

/* Of the entries that are not hidden; suspects, which only their timers hold, are no leaks. */
static void write_counts(struct loupe_json *json, const struct loupe_leaks *leaks,
                         const bool *is_hidden) {
    uint64_t found = 0, cycles = 0, timers = 0;
    uint32_t entries = 0, distinct = 0;
    for (uint32_t i = 0; i < leaks->group_count; i++) {
        const struct loupe_leak_group *group = &leaks->groups[i];
        const struct loupe_leak *leak = &leaks->items[group->first];
        bool is_timer = leak->degree == LOUPE_DEGREE_TIMER;
        if (is_hidden && is_hidden[i])
            continue;
        entries++;
        distinct += !is_timer;
        timers += is_timer ? group->count : 0;
        found += is_timer ? 0 : group->count;
        cycles += !is_timer && leak->is_cycle ? group->count : 0;
    }
    loupe_json_key(json, "counts");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "leaks", found);
    loupe_json_put_uint(json, "cycles", cycles);
    loupe_json_put_uint(json, "distinct", distinct);
    loupe_json_put_uint(json, "timers", timers);
    loupe_json_put_uint(json, "entries", entries);
    loupe_json_put_uint(json, "not_searched", leaks->cycles.knots_found - leaks->cycles.knot_count);
    loupe_json_end_object(json);
}

static void write_totals(struct loupe_json *json, const struct loupe_leaks *leaks,
                         const bool *is_hidden) {
    struct loupe_leaks_totals totals = loupe_leaks_add_up(leaks, is_hidden);
    struct loupe_amount leaked = totals.lost;
    loupe_amount_add(&leaked, totals.unowned);
    write_amount(json, "leaked", leaked);
    write_amount(json, "lost", totals.lost);
    write_amount(json, "unowned", totals.unowned);
    write_amount(json, "timer", totals.timed);
    write_amount(json, "not_shown", totals.not_shown);
    write_amount(json, "shared", leaks->shared);
    write_amount(json, "on_stacks_only", leaks->on_stacks);
    loupe_json_put_uint(json, "found", totals.count);
}

static enum loupe_status report_leaks(struct loupe_json *json, struct loupe_leaks *leaks,
                                      struct loupe_memory_owners *owners,
                                      const struct loupe_leaks_options *options,
                                      const struct loupe_heap_shown *shown,
                                      struct loupe_arena *arena) {
    struct loupe_cycles_options asked = {
        .seed = LOUPE_NO_NODE, .filters = options->filters, .filter_count = options->filter_count};
    struct written_leaks written;
    struct loupe_cycles_answer answer = {.heap = &leaks->graph,
                                         .graph = &leaks->graph.graph,
                                         .describer = &leaks->describer,
                                         .options = &asked,
                                         .cycles = &written.cycles,
                                         .arena = arena};
    struct loupe_named_nodes named;
    struct loupe_shown_stacks stacks;
    struct loupe_leaks_by_stack by_stack = {.count = 0};
    struct loupe_dangling_groups dangling;
    struct lost_class *classes;
    uint32_t class_count;
    enum loupe_status status = choose_written(leaks, shown, arena, &written);
    if (!status)
        status = loupe_report_list_named(&answer, &named);
    if (!status)
        status = add_up_classes(leaks, arena, &classes, &class_count);
    if (!status)
        status = loupe_dangling_find(leaks->snapshot, NULL, arena, &dangling);
    if (!status && shown->by_stack)
        status = loupe_leaks_by_stack(leaks, shown->is_hidden, arena, &by_stack);
    if (!status)
        status = begin_stacks(&leaks->graph, arena, &stacks);
    if (status)
        return status;
    write_weak_references(json, leaks->snapshot);
    write_totals(json, leaks, shown->is_hidden);
    write_counts(json, leaks, shown->is_hidden);
    write_known(json, shown->known);
    loupe_report_objects(json, answer.graph, answer.describer, named.nodes, named.count);
    status = write_groups(json, leaks, &answer, shown, &written, &stacks);
    if (!status)
        status = write_kept(json, "shared_classes", leaks, NULL, arena);
    if (shown->by_stack)
        write_by_stack(json, &by_stack, &stacks);
    end_stacks(json, &leaks->graph, &stacks);
    write_lost_classes(json, leaks->snapshot, classes, class_count);
    write_miscounts(json, leaks);
    loupe_report_dangling(json, owners, &dangling, 0);
    loupe_report_hidden(json, &answer);
    return status;
}

enum loupe_status loupe_report_leaks(struct loupe_json *json, struct loupe_leaks *leaks,
                                     const struct loupe_leaks_options *options,
                                     const struct loupe_heap_shown *shown,
                                     struct loupe_arena *arena) {
    struct loupe_memory_owners owners;
    struct loupe_heap_memory memory = loupe_report_owners_of(&owners);
    loupe_memory_owners_init(&owners, leaks->snapshot, arena->chunks);
    leaks->graph.memory = &memory;
    enum loupe_status status = report_leaks(json, leaks, &owners, options, shown, arena);
    leaks->graph.memory = NULL;
    loupe_memory_owners_deinit(&owners);
    return status;
}
