/*
 * Which of what shared_ptrs and Swift count is held by itself alone.
 *
 * An object that shared_ptrs count is owned by them and by no other word; one of Swift by the words
 * that lead to it, where they are as many as it counts. Where no root that lasts
 * leads to it over owners, all of them are among objects that nothing owns; and where as many of
 * them stand in a knot of those objects as are counted, and none elsewhere, the knot keeps itself.
 * So it is of Objective-C objects in such a knot and their retains. What counts nothing, such as
 * the storage of a vector, must have no word elsewhere that leads to it, on a stack neither.
 */
#include "analysis/heap_knots.h"
#include "base/numbers.h"
#include "heap/snapshot_builder.h"
#include "snapshot/without_stacks.h"

#include <string.h>

/* Links that own, or may. */
#define OWNING (1u << LOUPE_LINK_STRONG | 1u << LOUPE_LINK_ASSUMED | 1u << LOUPE_LINK_CONSERVATIVE)

struct search {
    const struct loupe_snapshot_builder *builder;
    const struct loupe_held *held;
    struct loupe_columns
        columns;                /* with roots that own, and without what they do not reach by it */
    struct loupe_marks counted; /* nodes */
    struct loupe_marks owned;   /* nodes that a root owns */
    struct loupe_heap_knots knots;
    uint8_t *facts; /* by knot: enum fact */
};

enum fact {
    HAS_COUNTS = 1 << 0,  /* of shared_ptrs, or Swift's */
    IS_ENTERED = 1 << 1,  /* from elsewhere */
    HAS_MISSING = 1 << 2, /* something counts more than was found in the knot */
    HAS_CLASS = 1 << 3,   /* something is an object of C++ */
    IS_ALIVE = 1 << 4,
    HAS_MORE_WORDS = 1 << 5 /* than an object of Swift counts: who knows which of them owns it */
};

static bool is_plain(const struct loupe_held *held, uint32_t link) {
    return held->kinds[link] == LOUPE_LINK_CONSERVATIVE && held->labels[link] == LOUPE_NONE;
}

static const struct loupe_counted *counted_at(const struct search *search, uint32_t node) {
    return loupe_is_marked(&search->counted, node) ? loupe_heap_counted(search->builder, node)
                                                   : NULL;
}

/* ---- What owns nothing ---- */

/* All that counts it was found: no other word is one of those. Of words that lead to an object of
 * Swift one that is left over, or was not counted, looks like any other: then none is certain. */
static bool is_explained(const struct loupe_counted *counted) {
    if (counted->is_swifts)
        return counted->found == (uint64_t)counted->strong + counted->weak;
    return counted->found >= counted->strong;
}

static void mark_counted(struct search *search) {
    const struct loupe_vector *all = &search->builder->counted;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct loupe_counted *counted = loupe_vector_at(all, i, sizeof(*counted));
        if (is_explained(counted))
            loupe_mark(&search->counted, counted->node);
    }
}

/* Words that lead to what is counted, and are no shared_ptrs. */
static void rule_out_observers(const struct search *search) {
    const struct loupe_columns *columns = &search->held->snapshot->columns;
    uint32_t links = columns->first[columns->nodes];
    for (uint32_t link = 0; link < links; link++) {
        if (is_plain(search->held, link) && loupe_is_marked(&search->counted, columns->to[link]))
            search->held->kinds[link] = LOUPE_LINK_UNOWNED;
    }
}

/* ---- What roots own ---- */

static bool root_owns(const struct search *search, uint32_t root, uint32_t *next_observer) {
    const struct loupe_vector *observers = &search->builder->observers;
    uint32_t node = search->held->snapshot->columns.roots[root];
    bool observes = false;
    while (*next_observer < observers->count) {
        uint32_t observer =
            *(uint32_t *)loupe_vector_at(observers, *next_observer, sizeof(uint32_t));
        if (observer > root)
            break;
        observes = observer == root;
        ++*next_observer;
    }
    if (!loupe_is_marked(&search->counted, node))
        return true;
    return !observes && !loupe_root_may_be_stale(&search->held->snapshot->roots[root]);
}

static enum loupe_status reach_owned(struct search *search) {
    const struct loupe_chunk_ops *chunks = search->builder->chunks;
    uint32_t count = search->held->snapshot->columns.root_count, observer = 0;
    uint32_t *roots = loupe_numbers_get(chunks, count);
    struct loupe_amount ignored;
    if (!roots)
        return LOUPE_ENOMEM;
    search->columns.root_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (root_owns(search, i, &observer))
            roots[search->columns.root_count++] = search->held->snapshot->columns.roots[i];
    }
    search->columns.roots = roots;
    enum loupe_status status = loupe_reach(&search->columns, OWNING, &search->owned, &ignored);
    loupe_numbers_put(chunks, &roots, count);
    search->columns.roots = search->held->snapshot->columns.roots;
    search->columns.root_count = count;
    return status;
}

/* ---- Knots ---- */

static bool owns(const struct search *search, uint32_t link) {
    return OWNING >> search->held->kinds[link] & 1;
}

static bool is_of_cxx(const struct search *search, uint32_t node) {
    const struct loupe_snapshot_builder *builder = search->builder;
    return node < builder->heap_nodes &&
           search->held->snapshot->classes[node] !=
               builder->tables.plain_classes[LOUPE_CLASS_RAW] &&
           !loupe_heap_class_at(&builder->tables, search->held->snapshot->classes[node])
                ->is_shape &&
           search->held->snapshot->class_table[search->held->snapshot->classes[node]].kind ==
               LOUPE_CLASS_RAW;
}

/* Parts of the library have one owner, and nothing knows them besides. */
static bool is_of_library(const struct search *search, uint32_t node) {
    uint32_t name = search->held->snapshot->class_table[search->held->snapshot->classes[node]].name;
    struct loupe_span text = loupe_snapshot_string(search->held->snapshot, name);
    return loupe_span_starts_with(text, "std::") || loupe_span_contains(text, "(std::function)") ||
           loupe_span_contains(text, "(exception)") ||
           loupe_span_starts_with(text, "coroutine frame of ");
}

/* What leads into knots from elsewhere; and how many links lead to each node in its own. */
static void enter_knots(const struct search *search, uint32_t *inside) {
    const struct loupe_columns *columns = &search->held->snapshot->columns;
    for (uint32_t node = 0; node < columns->nodes; node++) {
        if (loupe_is_marked(&search->owned, node))
            continue;
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            uint32_t to = columns->to[link], knot = search->knots.of[to];
            if (knot == LOUPE_NO_KNOT || !owns(search, link))
                continue;
            inside[to] += knot == search->knots.of[node];
            search->facts[knot] |= knot == search->knots.of[node] ? 0 : IS_ENTERED;
        }
    }
}

static bool lacks_owners(const struct search *search, uint32_t node, uint32_t inside) {
    const struct loupe_counted *counted = counted_at(search, node);
    uint32_t retains = search->held->retain_counts[node];
    if (counted)
        return inside < (uint64_t)counted->strong + counted->weak;
    return retains < LOUPE_RETAINS_MOST && retains > inside;
}

static bool has_more_words(const struct search *search, uint32_t node) {
    const struct loupe_counted *counted = loupe_heap_counted(search->builder, node);
    return counted && counted->is_swifts && !loupe_is_marked(&search->counted, node);
}

static void judge_members(const struct search *search, const uint32_t *inside) {
    for (uint32_t node = 0; node < search->columns.nodes; node++) {
        uint32_t knot = search->knots.of[node];
        if (knot == LOUPE_NO_KNOT)
            continue;
        unsigned facts = (counted_at(search, node) ? HAS_COUNTS : 0) |
                         (lacks_owners(search, node, inside[node]) ? HAS_MISSING : 0) |
                         (has_more_words(search, node) ? HAS_MORE_WORDS : 0) |
                         (is_of_cxx(search, node) ? HAS_CLASS : 0);
        search->facts[knot] |= (uint8_t)facts;
    }
}

/* Whether it is proved that nothing else holds a knot. */
static bool is_proved(const struct search *search, uint32_t knot) {
    return (search->facts[knot] & (HAS_COUNTS | IS_ENTERED | HAS_MISSING | HAS_MORE_WORDS)) ==
           HAS_COUNTS;
}

/* Whether it is one of C++ that nothing at all leads to. */
static bool is_lost(const struct search *search, uint32_t knot) {
    return (search->facts[knot] & (HAS_CLASS | IS_ENTERED | HAS_MISSING | IS_ALIVE)) == HAS_CLASS;
}

/* By words of any kind, old ones too. */
static enum loupe_status find_alive(const struct search *search) {
    struct loupe_marks alive;
    struct loupe_amount ignored;
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->knots.count; i++)
        count += is_lost(search, i) && !is_proved(search, i);
    if (!count)
        return LOUPE_OK;
    enum loupe_status status =
        loupe_marks_init(&alive, search->builder->chunks, search->columns.nodes);
    if (status)
        return status;
    status = loupe_reach(&search->held->snapshot->columns, loupe_link_policies[0].alive, &alive,
                         &ignored);
    for (uint32_t i = 0; i < search->knots.count; i++) {
        if (loupe_is_marked(&alive, search->knots.first[i]))
            search->facts[i] |= IS_ALIVE;
    }
    loupe_marks_deinit(&alive);
    return status;
}

/* ---- What follows ---- */

/* A word that leads to the same place as one before it, as the end of a vector does. */
static bool is_repeated(const struct loupe_columns *columns, uint32_t node, uint32_t link) {
    uint32_t before = columns->first[node];
    while (columns->to[before] != columns->to[link])
        before++;
    return before < link;
}

/* taken: by node, how many of its owners were called so. */
static void own_link(const struct search *search, uint32_t node, uint32_t link, uint32_t *taken) {
    const struct loupe_held *held = search->held;
    uint32_t to = held->snapshot->columns.to[link];
    const struct loupe_counted *counted = counted_at(search, to);
    bool proved = is_proved(search, search->knots.of[to]), certain = proved;
    if (held->kinds[link] != LOUPE_LINK_CONSERVATIVE)
        return;
    if (counted) {
        certain = !counted->weak;
        if (taken[to] >= counted->strong && certain)
            return;
    } else if (is_repeated(&held->snapshot->columns, node, link)) {
        return;
    } else if (is_of_cxx(search, to) && !is_of_library(search, to)) {
        certain = false; /* who leaked it may be known to what it owns */
    }
    taken[to]++;
    held->kinds[link] = certain ? LOUPE_LINK_STRONG : LOUPE_LINK_ASSUMED;
}

static void own_members(const struct search *search, uint32_t *taken) {
    const struct loupe_columns *columns = &search->held->snapshot->columns;
    for (uint32_t node = 0; node < columns->nodes; node++) {
        uint32_t knot = search->knots.of[node];
        if (knot == LOUPE_NO_KNOT || !(is_proved(search, knot) || is_lost(search, knot)))
            continue;
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            if (search->knots.of[columns->to[link]] == knot)
                own_link(search, node, link, taken);
        }
    }
}

/* What counts nothing is owned by those that were found: of a knot that proved to hold itself. */
static void count_owners(const struct search *search, const uint32_t *taken) {
    for (uint32_t node = 0; node < search->columns.nodes; node++) {
        uint32_t knot = search->knots.of[node];
        if (knot != LOUPE_NO_KNOT && is_proved(search, knot) && taken[node] &&
            search->held->retain_counts[node] == LOUPE_RETAINS_UNKNOWN)
            search->held->retain_counts[node] = taken[node];
    }
}

static enum loupe_status judge_knots(struct search *search) {
    const struct loupe_chunk_ops *chunks = search->builder->chunks;
    uint32_t nodes = search->columns.nodes;
    size_t bytes = (size_t)search->knots.count + 1;
    uint32_t *numbers = loupe_numbers_get(chunks, nodes);
    search->facts = loupe_chunk_get(chunks, bytes);
    enum loupe_status status = numbers && search->facts ? LOUPE_OK : LOUPE_ENOMEM;
    if (!status) {
        memset(search->facts, 0, bytes);
        memset(numbers, 0, nodes * sizeof(*numbers));
        enter_knots(search, numbers);
        judge_members(search, numbers);
        status = find_alive(search);
    }
    if (!status) {
        memset(numbers, 0, nodes * sizeof(*numbers));
        own_members(search, numbers);
        count_owners(search, numbers);
    }
    loupe_chunk_put(chunks, search->facts, bytes);
    loupe_numbers_put(chunks, &numbers, nodes);
    return status;
}

/* What libraries leave behind leads to what was freed, and to whatever is there by now. */
static void set_left_behind_aside(struct search *search) {
    for (uint32_t node = 0; node < search->columns.nodes; node++) {
        if (search->held->marks[node] & LOUPE_NODE_LEFT_BEHIND)
            loupe_mark(&search->owned, node);
    }
}

static enum loupe_status find(struct search *search) {
    mark_counted(search);
    rule_out_observers(search);
    enum loupe_status status = reach_owned(search);
    set_left_behind_aside(search);
    if (!status)
        status = loupe_heap_knots_find(&search->columns, OWNING, &search->owned,
                                       search->builder->chunks, &search->knots);
    if (status)
        return status;
    if (search->knots.count)
        status = judge_knots(search);
    loupe_heap_knots_deinit(&search->knots);
    return status;
}

enum loupe_status loupe_heap_find_held_alone(struct loupe_snapshot_builder *builder,
                                             const struct loupe_held *held) {
    struct search search = {.builder = builder, .held = held, .columns = held->snapshot->columns};
    if (!builder->vtables.count && !builder->counted.count)
        return LOUPE_OK;
    enum loupe_status status =
        loupe_marks_init(&search.counted, builder->chunks, held->snapshot->columns.nodes);
    if (status)
        return status;
    status = loupe_marks_init(&search.owned, builder->chunks, held->snapshot->columns.nodes);
    if (!status)
        status = find(&search);
    if (search.owned.chunks)
        loupe_marks_deinit(&search.owned);
    loupe_marks_deinit(&search.counted);
    return status;
}
