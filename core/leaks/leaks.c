#include "leaks/leaks.h"

#include "leaks/lost_knots.h"
#include "snapshot/without_stacks.h"

#include <string.h>

bool loupe_leak_is_guessed(const struct loupe_leaks *leaks, const struct loupe_leak *leak) {
    return leaks->snapshot->native->marks[leak->node] & LOUPE_NODE_GUESSED;
}

const struct loupe_knot_facts *loupe_leak_knot(const struct loupe_leaks *leaks,
                                               const struct loupe_leak *leak) {
    return leak->knot == LOUPE_NONE ? NULL
                                    : &leaks->cycles.knots[leaks->cycles.knots[leak->knot].alike];
}

void loupe_amount_add(struct loupe_amount *sum, struct loupe_amount one) {
    sum->objects += one.objects;
    sum->bytes += one.bytes;
    sum->others += one.others;
}

void loupe_leaks_count(const struct loupe_leaks *leaks, uint32_t node, struct loupe_amount *sum) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    sum->objects++;
    sum->bytes += loupe_columns_size(&snapshot->columns, node);
    sum->others += loupe_native_is_memory(snapshot, node);
}

/* ---- What is alive ---- */

static enum loupe_status find_alive(struct loupe_leaks *leaks) {
    const struct loupe_columns *columns = &leaks->snapshot->columns;
    loupe_link_kinds kinds = loupe_link_policies[0].alive;
    enum loupe_status status = loupe_mark_reached_without_stacks(
        leaks->snapshot, columns, kinds, leaks->chunks, &leaks->reached_without_stacks);
    if (!status)
        status = loupe_marks_init(&leaks->alive, leaks->chunks, columns->nodes);
    if (status)
        return status;
    for (uint32_t i = 0; i < (columns->nodes + 63) / 64; i++)
        leaks->alive.words[i] = leaks->reached_without_stacks.words[i];
    struct loupe_amount reached;
    status = loupe_reach(columns, kinds, &leaks->alive, &reached);
    for (uint32_t node = 0; !status && node < columns->nodes; node++) {
        if (loupe_is_marked(&leaks->alive, node) &&
            !loupe_is_marked(&leaks->reached_without_stacks, node))
            loupe_leaks_count(leaks, node, &leaks->on_stacks);
    }
    return status;
}

/* ---- Knots of the whole heap ---- */

static enum loupe_status find_knots(struct loupe_leaks *leaks,
                                    const struct loupe_leaks_options *options,
                                    struct loupe_arena *arena) {
    struct loupe_heap_knots knots;
    struct loupe_cycles_options asked = {.seed = LOUPE_NO_NODE,
                                         .max_rings = options->max_rings,
                                         .max_rings_left = options->max_rings_left,
                                         .alike_once = true,
                                         .max_knots = LOUPE_MAX_LEAKED_KNOTS,
                                         .filters = options->filters,
                                         .filter_count = options->filter_count,
                                         .clock = options->clock};
    enum loupe_status status = loupe_heap_knots_find(&leaks->snapshot->columns, LOUPE_LINKS_OWNED,
                                                     NULL, leaks->chunks, &knots);
    if (status)
        return status;
    status =
        loupe_heap_graph_of_knots(leaks->snapshot, &knots, leaks->chunks, arena, &leaks->graph);
    loupe_heap_knots_deinit(&knots);
    if (status)
        return status;
    leaks->describer = loupe_describe_heap(&leaks->graph);
    status =
        loupe_cycles_find(&leaks->graph.graph, &leaks->describer, &asked, arena, &leaks->cycles);
    if (!status)
        loupe_judge_lost_knots(&leaks->graph, &leaks->alive, &leaks->cycles);
    return status;
}

/* ---- Which of all that are leaks ---- */

static bool is_lost(const struct loupe_leaks *leaks, uint32_t node) {
    return !loupe_is_marked(&leaks->alive, node);
}

/* Of assumed references that are as many as is counted. */
static bool may_explain_itself(const struct loupe_verdict *verdict) {
    return verdict->reason == LOUPE_VERDICT_ASSUMED && !verdict->outside && !verdict->unexplained;
}

/* Whether all that is counted comes from the knot itself. A knot of assumed references could be
 * held by anything that lasts and may own. */
static bool explains_itself(const struct loupe_leaks *leaks, const struct loupe_verdict *verdict,
                            uint32_t node) {
    const struct loupe_marks *held = leaks->reached_by_owners.chunks
                                         ? &leaks->reached_by_owners
                                         : &leaks->reached_without_stacks;
    return verdict->kind == LOUPE_LEAKED ||
           (may_explain_itself(verdict) && !loupe_is_marked(held, node));
}

static bool depends_on_owners(const struct loupe_leaks *leaks) {
    for (uint32_t i = 0; i < leaks->cycles.knot_count; i++) {
        const struct loupe_knot_facts *knot = &leaks->cycles.knots[i];
        if (may_explain_itself(&knot->verdict) &&
            loupe_is_marked(&leaks->reached_without_stacks,
                            loupe_heap_graph_node(&leaks->graph, knot->lowest)))
            return true;
    }
    return false;
}

/* As an observer of notifications, which its center does not retain. */
static enum loupe_status find_reached_by_owners(struct loupe_leaks *leaks) {
    loupe_link_kinds kinds = loupe_link_policies[0].alive & ~LOUPE_LINKS_UNOWNED;
    if (!depends_on_owners(leaks))
        return LOUPE_OK;
    return loupe_mark_reached_without_stacks(leaks->snapshot, &leaks->columns, kinds, leaks->chunks,
                                             &leaks->reached_by_owners);
}

static struct loupe_leak *add_leak(struct loupe_leaks *leaks, struct loupe_arena *arena,
                                   uint32_t *capacity, uint32_t node) {
    leaks->items =
        loupe_arena_grow(arena, leaks->items, leaks->count, capacity, sizeof(*leaks->items));
    if (!leaks->items)
        return NULL;
    struct loupe_leak *leak = &leaks->items[leaks->count++];
    *leak = (struct loupe_leak){.node = node, .knot = LOUPE_NONE, .ring = LOUPE_NONE};
    return leak;
}

/* What the steps below share: marks of nodes, those of knots of lost nodes on their first ones. */
struct listing {
    struct loupe_leaks *leaks;
    struct loupe_arena *arena;
    uint32_t capacity;
    struct loupe_marks leak_roots,
        has_leak;      /* what is a leak root; what a knot of references stands for */
    uint8_t *is_timed; /* by knot of the cycles */
};

static uint32_t stands_for(const struct loupe_leak_roots *leak_roots, uint32_t node) {
    uint32_t knot = leak_roots->knots.of[node];
    return knot == LOUPE_NO_KNOT ? node : leak_roots->knots.first[knot];
}

static enum loupe_status list_knots(struct listing *l) {
    struct loupe_leaks *leaks = l->leaks;
    for (uint32_t i = 0; i < leaks->cycles.knot_count; i++) {
        const struct loupe_knot_facts *knot = &leaks->cycles.knots[i];
        uint32_t node = loupe_heap_graph_node(&leaks->graph, knot->lowest);
        bool lost = is_lost(leaks, node), unowned = explains_itself(leaks, &knot->verdict, node);
        if (!lost && !unowned && !l->is_timed[i])
            continue;
        struct loupe_leak *leak = add_leak(leaks, l->arena, &l->capacity, node);
        if (!leak)
            return LOUPE_ENOMEM;
        leak->knot = i;
        leak->is_cycle = true;
        leak->degree = lost      ? LOUPE_DEGREE_LOST
                       : unowned ? LOUPE_DEGREE_NO_OWNER
                                 : LOUPE_DEGREE_TIMER;
        if (leak->degree == LOUPE_DEGREE_TIMER)
            loupe_knot_set_timed(&leaks->cycles.knots[i]);
        else if (unowned)
            loupe_verdict_set_leaked(&leaks->cycles.knots[i].verdict);
        if (lost) {
            uint32_t first = stands_for(&leaks->leak_roots, node);
            leak->is_leak_root = loupe_is_marked(&l->leak_roots, first);
            loupe_mark(&l->has_leak, first);
        }
    }
    return LOUPE_OK;
}

/* Those that are no knots of references: single ones, and circles of words. */
static enum loupe_status list_leak_roots(struct listing *l) {
    struct loupe_leaks *leaks = l->leaks;
    for (uint32_t i = 0; i < leaks->leak_roots.count; i++) {
        uint32_t node = leaks->leak_roots.nodes[i];
        if (loupe_is_marked(&l->has_leak, node))
            continue;
        struct loupe_leak *leak = add_leak(leaks, l->arena, &l->capacity, node);
        if (!leak)
            return LOUPE_ENOMEM;
        uint32_t knot = leaks->leak_roots.knots.of[node];
        leak->is_cycle = knot != LOUPE_NO_KNOT;
        leak->ring = leak->is_cycle ? knot : LOUPE_NONE;
        leak->is_leak_root = true;
        leak->missing = (uint32_t)loupe_retains_missing_of_lost(&leaks->retains, node);
        loupe_mark(&l->has_leak, node);
    }
    return LOUPE_OK;
}

/* What would stay although its leak root went. */
static enum loupe_status list_unreleased(struct listing *l) {
    struct loupe_leaks *leaks = l->leaks;
    for (uint32_t node = 0; node < leaks->snapshot->columns.nodes; node++) {
        if (!is_lost(leaks, node) ||
            loupe_is_marked(&l->has_leak, stands_for(&leaks->leak_roots, node)))
            continue;
        uint64_t missing = loupe_retains_missing_of_lost(&leaks->retains, node);
        if (!missing)
            continue;
        struct loupe_leak *leak = add_leak(leaks, l->arena, &l->capacity, node);
        if (!leak)
            return LOUPE_ENOMEM;
        leak->missing = (uint32_t)missing;
    }
    return LOUPE_OK;
}

bool loupe_leaks_is_owned_by_none(const struct loupe_leaks *leaks, uint32_t node) {
    struct loupe_node_owners owners = loupe_retains_owners(&leaks->retains, node);
    return !owners.possible && !owners.words && !owners.ruled_out;
}

/* What is alive by references alone that lead back to it. */
static enum loupe_status list_unowned(struct listing *l) {
    struct loupe_leaks *leaks = l->leaks;
    for (uint32_t node = 0; node < leaks->snapshot->columns.nodes; node++) {
        if (is_lost(leaks, node) || !loupe_leaks_is_owned_by_none(leaks, node))
            continue;
        uint64_t missing = loupe_retains_missing(&leaks->retains, node);
        if (!missing)
            continue;
        struct loupe_leak *leak = add_leak(leaks, l->arena, &l->capacity, node);
        if (!leak)
            return LOUPE_ENOMEM;
        leak->degree = LOUPE_DEGREE_NO_OWNER;
        leak->is_leak_root = true;
        leak->missing = (uint32_t)missing;
    }
    return LOUPE_OK;
}

static enum loupe_status list_all(struct loupe_leaks *leaks, struct loupe_arena *arena) {
    struct listing l = {.leaks = leaks, .arena = arena};
    uint32_t nodes = leaks->snapshot->columns.nodes;
    enum loupe_status status = loupe_marks_init(&l.leak_roots, leaks->chunks, nodes);
    if (status)
        return status;
    status = loupe_marks_init(&l.has_leak, leaks->chunks, nodes);
    if (status) {
        loupe_marks_deinit(&l.leak_roots);
        return status;
    }
    for (uint32_t i = 0; i < leaks->leak_roots.count; i++)
        loupe_mark(&l.leak_roots, leaks->leak_roots.nodes[i]);
    status = loupe_leaks_find_timed(leaks, arena, &l.is_timed);
    if (!status)
        status = find_reached_by_owners(leaks);
    if (!status)
        status = list_knots(&l);
    if (!status)
        status = list_leak_roots(&l);
    if (!status)
        status = list_unreleased(&l);
    if (!status)
        status = list_unowned(&l);
    loupe_marks_deinit(&l.has_leak);
    loupe_marks_deinit(&l.leak_roots);
    return status;
}

/* ---- What each keeps ---- */

/* Marks single objects, and the members of knots, that are leaks although they are reached. */
static enum loupe_status mark_unowned(const struct loupe_leaks *leaks,
                                      struct loupe_marks *unowned) {
    struct loupe_columns columns = leaks->snapshot->columns;
    struct loupe_heap_knots knots;
    enum loupe_status status =
        loupe_heap_knots_find(&columns, LOUPE_LINKS_OWNED, NULL, leaks->chunks, &knots);
    if (status)
        return status;
    struct loupe_marks chosen;
    status = loupe_marks_init(&chosen, leaks->chunks, knots.count);
    for (uint32_t i = 0; !status && i < leaks->count; i++) {
        const struct loupe_leak *leak = &leaks->items[i];
        if (leak->degree == LOUPE_DEGREE_LOST)
            continue;
        if (leak->is_cycle && knots.of[leak->node] != LOUPE_NO_KNOT)
            loupe_mark(&chosen, knots.of[leak->node]);
        else
            loupe_mark(unowned, leak->node);
    }
    for (uint32_t node = 0; !status && node < columns.nodes; node++) {
        if (knots.of[node] != LOUPE_NO_KNOT && loupe_is_marked(&chosen, knots.of[node]))
            loupe_mark(unowned, node);
    }
    if (!status)
        loupe_marks_deinit(&chosen);
    loupe_heap_knots_deinit(&knots);
    return status;
}

static bool has_unowned(const struct loupe_leaks *leaks) {
    uint32_t i = 0;
    while (i < leaks->count && leaks->items[i].degree == LOUPE_DEGREE_LOST)
        i++;
    return i < leaks->count;
}

/* What lives without unowned knots: all that is alive, where there are none. */
static enum loupe_status find_owned(struct loupe_leaks *leaks, struct loupe_marks *ret) {
    const struct loupe_columns *columns = &leaks->snapshot->columns;
    struct loupe_marks unowned;
    struct loupe_amount reached;
    uint32_t words = (columns->nodes + 63) / 64;
    if (!has_unowned(leaks)) {
        for (uint32_t i = 0; i < words; i++)
            ret->words[i] = leaks->alive.words[i];
        return LOUPE_OK;
    }
    enum loupe_status status = loupe_marks_init(&unowned, leaks->chunks, columns->nodes);
    if (status)
        return status;
    status = mark_unowned(leaks, &unowned);
    for (uint32_t i = 0; !status && i < words; i++)
        ret->words[i] = unowned.words[i];
    if (!status)
        status = loupe_reach(columns, loupe_link_policies[0].alive, ret, &reached);
    for (uint32_t i = 0; !status && i < words; i++)
        ret->words[i] &= ~unowned.words[i];
    loupe_marks_deinit(&unowned);
    return status;
}

static void take_amounts(struct loupe_leaks *leaks) {
    for (uint32_t i = 0; i < leaks->count; i++) {
        struct loupe_leak *leak = &leaks->items[i];
        if (!loupe_heap_part_has(&leaks->part, leak->node))
            continue;
        uint32_t node = loupe_heap_part_node(&leaks->part, leak->node);
        leak->kept = (struct loupe_amount){.objects = leaks->kept.counts[node],
                                           .bytes = leaks->kept.retained[node]};
    }
}

static void add_up_degrees(struct loupe_leaks *leaks) {
    for (uint32_t i = 0; i < leaks->count; i++) {
        const struct loupe_leak *leak = &leaks->items[i];
        if (leak->degree == LOUPE_DEGREE_TIMER)
            loupe_amount_add(&leaks->timed, leak->kept);
        else if (leak->degree == LOUPE_DEGREE_NO_OWNER)
            loupe_amount_add(&leaks->unowned, leak->kept);
    }
}

static enum loupe_status find_dominators(struct loupe_leaks *leaks) {
    struct loupe_columns columns = leaks->part.columns;
    struct loupe_dominator_options options = {.kinds = LOUPE_LINKS_MAYBE};
    uint32_t *roots = loupe_numbers_get(leaks->chunks, leaks->count);
    if (!roots)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < leaks->count; i++) {
        if (loupe_heap_part_has(&leaks->part, leaks->items[i].node))
            roots[columns.root_count++] = loupe_heap_part_node(&leaks->part, leaks->items[i].node);
    }
    columns.roots = roots;
    enum loupe_status status =
        loupe_dominators_find(&columns, &options, leaks->chunks, &leaks->kept);
    loupe_numbers_put(leaks->chunks, &roots, leaks->count);
    leaks->has_kept = !status;
    return status;
}

static void add_up_lost(struct loupe_leaks *leaks) {
    const struct loupe_columns *columns = &leaks->snapshot->columns;
    for (uint32_t node = 0; node < columns->nodes; node++) {
        if (is_lost(leaks, node))
            loupe_leaks_count(leaks, node, &leaks->lost);
    }
}

static enum loupe_status find_kept(struct loupe_leaks *leaks) {
    enum loupe_status status =
        loupe_marks_init(&leaks->owned, leaks->chunks, leaks->snapshot->columns.nodes);
    if (!status)
        status = find_owned(leaks, &leaks->owned);
    if (!status)
        status = loupe_heap_part_make(&leaks->columns, LOUPE_LINKS_MAYBE, &leaks->owned,
                                      leaks->chunks, &leaks->part);
    if (!status)
        status = find_dominators(leaks);
    if (!status) {
        take_amounts(leaks);
        add_up_lost(leaks);
    }
    return status;
}

/* ---- All of it ---- */

static enum loupe_status find(struct loupe_leaks *leaks, const struct loupe_leaks_options *options,
                              struct loupe_arena *arena) {
    const struct loupe_columns *columns = &leaks->columns;
    enum loupe_status status = find_alive(leaks);
    if (!status)
        status = find_knots(leaks, options, arena);
    if (!status)
        status = loupe_leaks_rule_out_owners(leaks);
    if (!status)
        status = loupe_leaks_rule_out_known(leaks, options, arena);
    if (!status)
        status = loupe_retains_find(leaks->snapshot, leaks->kinds, leaks->chunks, &leaks->retains);
    if (!status)
        status = loupe_leak_roots_find(columns, LOUPE_LINKS_MAYBE, &leaks->alive, leaks->chunks,
                                       &leaks->leak_roots);
    if (!status)
        status =
            loupe_heap_rings_find(columns, LOUPE_LINKS_MAYBE, &leaks->leak_roots.knots,
                                  loupe_leaks_likeness(leaks), leaks->chunks, &leaks->raw_rings);
    if (!status)
        status = list_all(leaks, arena);
    if (!status && leaks->count)
        status = find_kept(leaks);
    if (!status && leaks->count)
        status = loupe_leaks_find_keepers(leaks, arena);
    if (!status) {
        add_up_degrees(leaks);
        status = loupe_leaks_group(leaks, arena);
    }
    return status ? status : loupe_leaks_find_miscounts(leaks, arena);
}

enum loupe_status loupe_leaks_find(const struct loupe_snapshot *snapshot,
                                   const struct loupe_leaks_options *options,
                                   const struct loupe_chunk_ops *chunks, struct loupe_arena *arena,
                                   struct loupe_leaks *ret) {
    *ret = (struct loupe_leaks){.snapshot = snapshot, .chunks = chunks};
    enum loupe_status status = find(ret, options, arena);
    if (status)
        loupe_leaks_deinit(ret);
    return status;
}

void loupe_leaks_deinit(struct loupe_leaks *leaks) {
    if (leaks->alive.chunks)
        loupe_marks_deinit(&leaks->alive);
    if (leaks->reached_without_stacks.chunks)
        loupe_marks_deinit(&leaks->reached_without_stacks);
    if (leaks->reached_by_owners.chunks)
        loupe_marks_deinit(&leaks->reached_by_owners);
    if (leaks->graph.nodes.chunks)
        loupe_heap_graph_deinit(&leaks->graph);
    if (leaks->retains.chunks)
        loupe_retains_deinit(&leaks->retains);
    if (leaks->leak_roots.knots.chunks)
        loupe_leak_roots_deinit(&leaks->leak_roots);
    if (leaks->raw_rings.chunks)
        loupe_heap_rings_deinit(&leaks->raw_rings);
    if (leaks->has_kept)
        loupe_dominators_deinit(&leaks->kept);
    if (leaks->part.chunks)
        loupe_heap_part_deinit(&leaks->part);
    if (leaks->owned.chunks)
        loupe_marks_deinit(&leaks->owned);
    loupe_kinds_put(leaks->snapshot, leaks->chunks, &leaks->kinds);
}

/* ---- Totals ---- */

static struct loupe_amount *amount_of(struct loupe_leaks_totals *totals, uint8_t degree) {
    return degree == LOUPE_DEGREE_TIMER      ? &totals->timed
           : degree == LOUPE_DEGREE_NO_OWNER ? &totals->unowned
                                             : &totals->lost;
}

struct loupe_leaks_totals loupe_leaks_add_up(const struct loupe_leaks *leaks,
                                             const bool *is_hidden) {
    struct loupe_leaks_totals totals = {.count = 0};
    bool hides_any = false;
    for (uint32_t i = 0; i < leaks->group_count; i++) {
        const struct loupe_leak_group *group = &leaks->groups[i];
        bool hides = is_hidden && is_hidden[i];
        for (uint32_t k = group->first; k < group->first + group->count; k++) {
            const struct loupe_leak *leak = &leaks->items[k];
            struct loupe_amount *amount =
                hides ? &totals.not_shown : amount_of(&totals, leak->degree);
            loupe_amount_add(amount, leak->kept);
        }
        totals.count += hides ? 0 : group->count;
        hides_any = hides_any || hides;
    }
    if (!hides_any)
        totals.lost = leaks->lost;
    return totals;
}
