/* Equal leaks together, and classes whose retain counts are wrong. */
#include "base/fnv.h"
#include "base/sort.h"
#include "cycles/knots/fingerprint.h"
#include "leaks/leaks.h"
#include "snapshot/recorded_stacks.h"

#include <string.h>

/* ---- Fingerprints ---- */

static uint64_t hash_node(const struct loupe_snapshot *snapshot, uint64_t hash, uint32_t node) {
    hash = loupe_fnv_span(hash, loupe_native_class_name(snapshot, node));
    if (loupe_native_node_kind(snapshot, node) ==
        LOUPE_NODE_RAW) /* there is nothing else to know */
        hash = loupe_fnv_number(hash, loupe_columns_size(&snapshot->columns, node));
    return hash;
}

static uint64_t likeness_of(const void *ctx, uint32_t node) {
    return hash_node(ctx, LOUPE_FNV_BASIS, node);
}

struct loupe_heap_likeness loupe_leaks_likeness(const struct loupe_leaks *leaks) {
    return (struct loupe_heap_likeness){.of = likeness_of, .ctx = leaks->snapshot};
}

/* Blocks of one function capture the same variables; the function itself moves from run to run. */
static uint64_t hash_fields(const struct loupe_snapshot *snapshot, uint64_t hash, uint32_t node) {
    const struct loupe_snapshot_class *cls = &snapshot->class_table[snapshot->classes[node]];
    for (uint32_t i = 0; cls->kind == LOUPE_CLASS_BLOCKS && i < cls->instance_fields; i++) {
        const struct loupe_snapshot_field *field = &snapshot->fields[cls->first_field + i];
        hash = loupe_fnv_span(hash, loupe_snapshot_string(snapshot, field->name));
        hash = loupe_fnv_number(hash, field->type);
    }
    return hash;
}

/* Memory that keeps objects is known by their classes, however many they are; a size says little.
 */
static uint64_t hash_kept(const struct loupe_leaks *leaks, uint64_t hash,
                          const struct loupe_leak *leak) {
    struct loupe_kept_classes kept = loupe_leak_keeps(leaks, leak);
    uint64_t all = 0;
    for (uint32_t i = 0; i < kept.count; i++)
        all +=
            loupe_fnv_span(LOUPE_FNV_BASIS,
                           loupe_snapshot_class_name(leaks->snapshot, kept.items[i].class_number));
    return kept.count ? loupe_fnv_number(hash, all) : hash;
}

/* Where it leads to what is lost as well, whatever the order; what is alive may be a stale word. */
static uint64_t hash_held(const struct loupe_leaks *leaks, uint64_t hash, uint32_t node) {
    const struct loupe_columns *columns = &leaks->columns;
    uint64_t all = 0;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        uint64_t one = LOUPE_FNV_BASIS;
        uint32_t to = columns->to[link];
        if (to == node || loupe_is_marked(&leaks->alive, to))
            continue;
        one = loupe_fnv_number(one, leaks->snapshot->native->slots[link]);
        all += loupe_fnv_span(one, loupe_native_class_name(leaks->snapshot, to));
    }
    return loupe_fnv_number(hash, all);
}

/* The function of the program's that allocated it, where that was recorded. */
static uint64_t hash_maker(const struct loupe_snapshot *snapshot, uint64_t hash, uint32_t node) {
    uint32_t stack = loupe_snapshot_stack(snapshot, node);
    const struct loupe_recorded_frame *frame =
        stack == LOUPE_NONE ? NULL : loupe_snapshot_guilty(snapshot, stack);
    return frame ? loupe_fnv_span(hash, loupe_snapshot_string(snapshot, frame->function)) : hash;
}

/* Memory that keeps no objects: blocks of one size may be anything. */
static bool is_mere_memory(const struct loupe_leaks *leaks, const struct loupe_leak *leak) {
    return loupe_native_node_kind(leaks->snapshot, leak->node) == LOUPE_NODE_RAW &&
           !loupe_leak_keeps(leaks, leak).count;
}

static uint64_t fingerprint_of_memory(const struct loupe_leaks *leaks, uint32_t node) {
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, loupe_span_of("memory"));
    hash = hash_node(leaks->snapshot, hash, node);
    return hash_maker(leaks->snapshot, hash_held(leaks, hash, node), node);
}

/* Of a block the function that it runs, where that has a name: two that were written in two places
 * are two leaks. */
static uint64_t hash_function(const struct loupe_snapshot *snapshot, uint64_t hash, uint32_t node) {
    uint32_t number = snapshot->classes[node];
    return snapshot->class_table[number].kind == LOUPE_CLASS_BLOCKS
               ? loupe_fnv_span(hash, loupe_snapshot_class_name(snapshot, number))
               : hash;
}

static bool is_block(const struct loupe_leaks *leaks, const struct loupe_leak *leak) {
    return loupe_native_node_kind(leaks->snapshot, leak->node) == LOUPE_NODE_BLOCK;
}

static uint64_t fingerprint_of_single(const struct loupe_leaks *leaks,
                                      const struct loupe_leak *leak) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    /* What else is lost and happens to lead there is no part of it. */
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, loupe_span_of("leak"));
    hash = hash_fields(snapshot, hash_node(snapshot, hash, leak->node), leak->node);
    if (loupe_leak_is_left_behind(leaks, leak)) /* is no leak like those of the program */
        hash = loupe_fnv_span(hash, loupe_span_of("left behind"));
    return hash_kept(leaks, hash, leak);
}

static uint64_t hash_step(const struct loupe_leaks *leaks, uint32_t from, uint32_t to) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    char path[LOUPE_MAX_PATH] = "";
    uint32_t link = loupe_path_link(&leaks->columns, LOUPE_LINKS_MAYBE,
                                    1u << LOUPE_LINK_CONSERVATIVE, from, to);
    if (link != LOUPE_NO_EDGE)
        loupe_native_path(snapshot, link, path);
    return loupe_fnv_span(hash_node(snapshot, LOUPE_FNV_BASIS, from), loupe_span_of(path));
}

static enum loupe_status fingerprint_of_words(const struct loupe_leaks *leaks,
                                              const struct loupe_leak *leak, uint64_t *ret) {
    uint32_t length = leaks->raw_rings.of[leak->ring].length;
    size_t bytes = length * (sizeof(uint64_t) + sizeof(uint32_t));
    uint64_t *hashes = loupe_chunk_get(leaks->chunks, bytes);
    if (!hashes)
        return LOUPE_ENOMEM;
    uint32_t *nodes = (uint32_t *)(void *)(hashes + length);
    loupe_heap_ring_nodes(&leaks->raw_rings, leak->ring, nodes);
    for (uint32_t i = 0; i < length; i++)
        hashes[i] = hash_step(leaks, nodes[i], nodes[(i + 1) % length]);
    *ret = loupe_fingerprint_ring(hashes, length);
    loupe_chunk_put(leaks->chunks, hashes, bytes);
    return LOUPE_OK;
}

static enum loupe_status find_fingerprint(const struct loupe_leaks *leaks,
                                          struct loupe_leak *leak) {
    const struct loupe_knot_facts *knot = loupe_leak_knot(leaks, leak);
    enum loupe_status status = LOUPE_OK;
    if (knot)
        leak->fingerprint = knot->fingerprint;
    else if (leak->is_cycle)
        status = fingerprint_of_words(leaks, leak, &leak->fingerprint);
    else
        leak->fingerprint = fingerprint_of_single(leaks, leak);
    leak->older_fingerprint = leak->fingerprint;
    if (!leak->is_cycle && is_mere_memory(leaks, leak))
        leak->fingerprint = fingerprint_of_memory(leaks, leak->node);
    else if (!leak->is_cycle && is_block(leaks, leak))
        leak->fingerprint = hash_function(leaks->snapshot, leak->fingerprint, leak->node);
    return status;
}

/* ---- Groups ---- */

static bool is_suspect(const struct loupe_leak *leak) {
    return leak->degree == LOUPE_DEGREE_TIMER;
}

static bool leak_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_leak *x = a, *y = b;
    (void)ctx;
    if (is_suspect(x) != is_suspect(y))
        return is_suspect(y);
    if (x->fingerprint != y->fingerprint)
        return x->fingerprint < y->fingerprint;
    if (x->degree != y->degree)
        return x->degree < y->degree;
    return x->kept.bytes != y->kept.bytes ? x->kept.bytes > y->kept.bytes : x->node < y->node;
}

/* What waits for its timer may be meant. Memory that is no object tells little, and less if it
 * keeps none. */
static int rank(const struct loupe_leaks *leaks, const struct loupe_leak *leak) {
    bool is_raw = loupe_native_node_kind(leaks->snapshot, leak->node) == LOUPE_NODE_RAW;
    if (leak->degree == LOUPE_DEGREE_TIMER)
        return 3;
    return !is_raw ? 0 : loupe_leak_keeps(leaks, leak).count ? 1 : 2;
}

static bool group_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_leak_group *x = a, *y = b;
    const struct loupe_leaks *leaks = ctx;
    uint8_t degree = leaks->items[x->first].degree, other = leaks->items[y->first].degree;
    int a_rank = rank(leaks, &leaks->items[x->first]);
    int b_rank = rank(leaks, &leaks->items[y->first]);
    if (a_rank != b_rank)
        return a_rank < b_rank;
    if (degree != other)
        return degree < other;
    return x->kept.bytes != y->kept.bytes ? x->kept.bytes > y->kept.bytes : x->first < y->first;
}

/* A stale word that happens to lead to one of them makes it no other leak. */
static bool are_alike(const struct loupe_leak *a, const struct loupe_leak *b) {
    return is_suspect(a) == is_suspect(b) && a->fingerprint == b->fingerprint;
}

enum loupe_status loupe_leaks_group(struct loupe_leaks *leaks, struct loupe_arena *arena) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < leaks->count; i++)
        status = find_fingerprint(leaks, &leaks->items[i]);
    if (status)
        return status;
    loupe_sort(leaks->items, leaks->count, sizeof(*leaks->items), leak_before, NULL);
    leaks->groups = loupe_arena_alloc_array(arena, leaks->count, sizeof(*leaks->groups));
    if (!leaks->groups)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < leaks->count; i++) {
        if (!i || !are_alike(&leaks->items[i - 1], &leaks->items[i]))
            leaks->groups[leaks->group_count++] = (struct loupe_leak_group){.first = i};
        struct loupe_leak_group *group = &leaks->groups[leaks->group_count - 1];
        group->count++;
        if (leaks->items[i].degree == LOUPE_DEGREE_NO_OWNER) {
            group->unowned++;
            loupe_amount_add(&group->kept_by_unowned, leaks->items[i].kept);
        }
        loupe_amount_add(&group->kept, leaks->items[i].kept);
    }
    loupe_sort(leaks->groups, leaks->group_count, sizeof(*leaks->groups), group_before, leaks);
    return LOUPE_OK;
}

/* ---- Miscounts ---- */

/* By class: releases that are missing of what is alive and of what is lost, those too many, and
 * those that are missing of what is alive because a library is known to do without. */
enum { MISSING, MISSING_OF_LOST, EXCESS, KNOWN, MISCOUNT_KINDS };

static void add_miscount(struct loupe_miscount *miscount, uint64_t releases, uint32_t node) {
    if (!miscount->count++)
        miscount->node = node;
    miscount->releases += releases;
}

static unsigned kind_of_missing(const struct loupe_leaks *leaks, uint32_t node, uint64_t missing) {
    if (!loupe_is_marked(&leaks->alive, node))
        return MISSING_OF_LOST;
    return loupe_known_over_retained(leaks->snapshot, node, missing) ? KNOWN : MISSING;
}

static void count_all(const struct loupe_leaks *leaks, struct loupe_miscount *by_class) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++) {
        struct loupe_miscount *of = &by_class[(size_t)snapshot->classes[node] * MISCOUNT_KINDS];
        bool is_alive = loupe_is_marked(&leaks->alive, node);
        uint64_t missing = is_alive ? loupe_retains_missing(&leaks->retains, node)
                                    : loupe_retains_missing_of_lost(&leaks->retains, node);
        if (is_alive && missing && loupe_leaks_is_owned_by_none(leaks, node))
            continue; /* that is a leak */
        uint64_t excess = loupe_retains_excess(&leaks->retains, node);
        if (missing)
            add_miscount(&of[kind_of_missing(leaks, node, missing)], missing, node);
        if (excess)
            add_miscount(&of[EXCESS], excess, node);
    }
}

static bool miscount_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_miscount *x = a, *y = b;
    (void)ctx;
    if (x->count != y->count)
        return x->count > y->count;
    return x->class_number != y->class_number ? x->class_number < y->class_number
                                              : x->is_excess < y->is_excess;
}

enum loupe_status loupe_leaks_find_miscounts(struct loupe_leaks *leaks, struct loupe_arena *arena) {
    uint32_t classes = leaks->snapshot->class_count, listed = 0;
    struct loupe_miscount *all =
        loupe_arena_alloc_array(arena, (size_t)classes * MISCOUNT_KINDS, sizeof(*all));
    if (!all)
        return LOUPE_ENOMEM;
    count_all(leaks, all);
    for (uint32_t i = 0; i < classes * MISCOUNT_KINDS; i++) {
        if (!all[i].count)
            continue;
        struct loupe_miscount found = all[i];
        found.class_number = i / MISCOUNT_KINDS;
        found.is_lost = i % MISCOUNT_KINDS == MISSING_OF_LOST;
        found.is_excess = i % MISCOUNT_KINDS == EXCESS;
        found.is_known = i % MISCOUNT_KINDS == KNOWN;
        all[listed++] = found;
    }
    loupe_sort(all, listed, sizeof(*all), miscount_before, NULL);
    leaks->miscounts = all;
    leaks->miscount_count = listed;
    return loupe_columns_status(&leaks->snapshot->columns, true);
}
