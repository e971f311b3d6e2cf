#include "analysis/dominators/dominators.h"

#include "analysis/dominators/dominator_methods.h"

#include <string.h>

/* Steps a node that Semi-NCA may take up the tree; some two are usual. */
enum { GUARD = 64 };

static enum loupe_status find_in_order(const struct loupe_columns *columns,
                                       const struct loupe_dominator_options *options,
                                       struct loupe_preorder *order, bool *fell_back) {
    if (options->method == LOUPE_LENGAUER_TARJAN)
        return loupe_lengauer_tarjan(order);
    uint64_t most =
        options->method == LOUPE_SEMI_NCA ? UINT64_MAX : (uint64_t)GUARD * order->reached;
    if (loupe_semi_nca(order, most))
        return loupe_columns_status(columns, true);
    /* Rare enough that what was used up is found again instead of kept. */
    const struct loupe_chunk_ops *chunks = order->chunks;
    loupe_preorder_deinit(order);
    enum loupe_status status =
        loupe_preorder_find(columns, options->kinds, options->outside, chunks, order);
    *fell_back = true;
    return status ? status : loupe_lengauer_tarjan(order);
}

/* From numbers to nodes, in what was the scratch memory of the search. */
static uint32_t *take_immediate(struct loupe_preorder *order) {
    uint32_t *immediate = order->scratch;
    order->scratch = NULL;
    for (uint32_t node = 0; node < order->nodes; node++)
        immediate[node] = LOUPE_NO_NODE;
    for (uint32_t number = 1; number <= order->reached; number++) {
        uint32_t dominator = order->semi[number];
        immediate[order->node[number]] = dominator ? order->node[dominator] : order->nodes;
    }
    return immediate;
}

/* A node's number is above its dominator's, so one pass downwards meets all it dominates first. */
static void add_up(const struct loupe_columns *columns, const struct loupe_preorder *order,
                   struct loupe_dominators *ret) {
    memset(ret->counts, 0, ret->nodes * sizeof(*ret->counts));
    memset(ret->retained, 0, ret->nodes * sizeof(*ret->retained));
    for (uint32_t number = order->reached; number; number--) {
        uint32_t node = order->node[number], dominator = ret->immediate[node];
        ret->counts[node]++;
        ret->retained[node] += loupe_columns_size(columns, node);
        if (dominator == ret->nodes)
            continue;
        ret->counts[dominator] += ret->counts[node];
        ret->retained[dominator] += ret->retained[node];
    }
}

static size_t retained_bytes(uint32_t nodes) {
    return ((size_t)nodes + 1) * sizeof(uint64_t);
}

/* What the sums do not need is given back before they take room. */
static enum loupe_status make_results(const struct loupe_columns *columns,
                                      struct loupe_preorder *order, struct loupe_dominators *ret) {
    uint32_t room = order->nodes + 1;
    ret->reached = order->reached;
    ret->immediate = take_immediate(order);
    loupe_numbers_put(order->chunks, &order->semi, room);
    loupe_numbers_put(order->chunks, &order->first, room);
    loupe_numbers_put(order->chunks, &order->predecessors, order->predecessor_count);
    loupe_preorder_forget_tree(order);
    ret->retained = loupe_chunk_get(order->chunks, retained_bytes(ret->nodes));
    ret->counts = loupe_numbers_get(order->chunks, ret->nodes);
    if (!ret->retained || !ret->counts)
        return LOUPE_ENOMEM;
    add_up(columns, order, ret);
    return loupe_columns_status(columns, true);
}

enum loupe_status loupe_dominators_find(const struct loupe_columns *columns,
                                        const struct loupe_dominator_options *options,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_dominators *ret) {
    struct loupe_dominators found = {.chunks = chunks, .nodes = columns->nodes};
    struct loupe_preorder order;
    enum loupe_status status =
        loupe_preorder_find(columns, options->kinds, options->outside, chunks, &order);
    if (status)
        return status;
    status = find_in_order(columns, options, &order, &found.fell_back);
    if (!status)
        status = make_results(columns, &order, &found);
    loupe_preorder_deinit(&order);
    if (status)
        loupe_dominators_deinit(&found);
    else
        *ret = found;
    return status;
}

/* ---- By policy ---- */

/* Everything reachable is marked; turns that round. */
static void invert(struct loupe_marks *marks) {
    for (uint32_t word = 0; word <= marks->nodes / 64; word++)
        marks->words[word] = ~marks->words[word];
}

/* Marks what is inside and led to from outside; how many there are. */
static uint32_t mark_led_to(const struct loupe_columns *columns, loupe_link_kinds kinds,
                            const struct loupe_marks *outside, struct loupe_marks *led_to) {
    uint32_t count = 0;
    for (uint32_t node = 0; node < columns->nodes; node++) {
        uint32_t end = loupe_is_marked(outside, node) ? columns->first[node + 1] : 0;
        for (uint32_t link = columns->first[node]; link < end; link++) {
            uint32_t to = loupe_link_target(columns, link);
            if (!loupe_link_counts(columns, link, kinds) || loupe_is_marked(outside, to) ||
                loupe_is_marked(led_to, to))
                continue;
            loupe_mark(led_to, to);
            count++;
        }
    }
    return count;
}

/* What only links that keep alive and own nothing lead to: nobody owns it, so it stands alone. How
 * many there are, in *count_ret. */
static enum loupe_status mark_unowned(const struct loupe_columns *columns,
                                      const struct loupe_link_policy *policy,
                                      const struct loupe_marks *outside, struct loupe_marks *led_to,
                                      uint32_t *count_ret) {
    struct loupe_marks owned;
    struct loupe_amount ignored;
    enum loupe_status status = loupe_marks_init(&owned, led_to->chunks, columns->nodes);
    if (status)
        return status;
    status = loupe_reach(columns, policy->owned, &owned, &ignored);
    for (uint32_t node = 0; node < columns->nodes && !status; node++) {
        uint32_t end = loupe_is_marked(outside, node) ? 0 : columns->first[node + 1];
        for (uint32_t link = columns->first[node]; link < end; link++) {
            uint32_t to = loupe_link_target(columns, link);
            if (!loupe_link_counts(columns, link, policy->alive & ~policy->owned) ||
                loupe_is_marked(&owned, to) || loupe_is_marked(led_to, to))
                continue;
            loupe_mark(led_to, to);
            ++*count_ret;
        }
    }
    loupe_marks_deinit(&owned);
    return status;
}

/* The roots again, and what is marked. */
static void list_roots(const struct loupe_columns *columns, const struct loupe_marks *led_to,
                       uint32_t *roots) {
    uint32_t count = columns->root_count;
    memcpy(roots, columns->roots, count * sizeof(*roots));
    for (uint32_t node = 0; node < columns->nodes; node++) {
        if (loupe_is_marked(led_to, node))
            roots[count++] = node;
    }
}

static enum loupe_status find_with_garbage(const struct loupe_columns *columns,
                                           const struct loupe_link_policy *policy,
                                           const struct loupe_dominator_options *options,
                                           const struct loupe_chunk_ops *chunks,
                                           struct loupe_dominators *ret) {
    struct loupe_marks led_to;
    enum loupe_status status = loupe_marks_init(&led_to, chunks, columns->nodes);
    if (status)
        return status;
    struct loupe_columns with = *columns;
    with.root_count += mark_led_to(columns, options->kinds, options->outside, &led_to);
    status = mark_unowned(columns, policy, options->outside, &led_to, &with.root_count);
    uint32_t *roots = status ? NULL : loupe_numbers_get(chunks, with.root_count);
    if (roots) {
        list_roots(columns, &led_to, roots);
        with.roots = roots;
    }
    loupe_marks_deinit(&led_to);
    if (!status)
        status = roots ? loupe_dominators_find(&with, options, chunks, ret) : LOUPE_ENOMEM;
    if (roots)
        loupe_numbers_put(chunks, &roots, with.root_count);
    return status;
}

enum loupe_status loupe_dominators_by_policy(const struct loupe_columns *columns,
                                             const struct loupe_link_policy *policy,
                                             const struct loupe_chunk_ops *chunks,
                                             struct loupe_dominators *ret) {
    struct loupe_dominator_options options = {.kinds = policy->owned};
    if (policy->owned == policy->alive && !policy->garbage_owns)
        return loupe_dominators_find(columns, &options, chunks, ret);
    struct loupe_marks outside;
    struct loupe_amount alive;
    enum loupe_status status = loupe_marks_init(&outside, chunks, columns->nodes);
    if (status)
        return status;
    status = loupe_reach(columns, policy->alive, &outside, &alive);
    invert(&outside);
    options.outside = &outside;
    if (!status)
        status = policy->garbage_owns ? find_with_garbage(columns, policy, &options, chunks, ret)
                                      : loupe_dominators_find(columns, &options, chunks, ret);
    loupe_marks_deinit(&outside);
    return status;
}

void loupe_dominators_deinit(struct loupe_dominators *dominators) {
    uint32_t nodes = dominators->nodes;
    loupe_numbers_put(dominators->chunks, &dominators->immediate, nodes + 1);
    loupe_numbers_put(dominators->chunks, &dominators->counts, nodes);
    loupe_chunk_put(dominators->chunks, dominators->retained, retained_bytes(nodes));
    dominators->retained = NULL;
    if (dominators->others)
        loupe_numbers_put(dominators->others_chunks, &dominators->others, nodes);
}
