#include "analysis/dominators/histogram.h"

#include <string.h>

void loupe_histogram_count(const struct loupe_columns *columns, const uint32_t *classes,
                           const struct loupe_marks *counted, uint32_t class_count,
                           struct loupe_class_total *totals) {
    memset(totals, 0, class_count * sizeof(*totals));
    for (uint32_t node = 0; node < columns->nodes; node++) {
        if (counted && !loupe_is_marked(counted, node))
            continue;
        totals[classes[node]].count++;
        totals[classes[node]].bytes += loupe_columns_size(columns, node);
    }
}

/* ---- The tree of dominators, downwards ---- */

static void fill_rows(const struct loupe_dominators *dominators, struct loupe_dominated *rows) {
    uint32_t nodes = dominators->nodes;
    memset(rows->first, 0, ((size_t)nodes + 2) * sizeof(*rows->first));
    for (uint32_t node = 0; node < nodes; node++) {
        if (dominators->immediate[node] != LOUPE_NO_NODE)
            rows->first[dominators->immediate[node]]++;
    }
    for (uint32_t node = 0; node <= nodes; node++)
        rows->first[node + 1] += rows->first[node];
    for (uint32_t node = nodes; node-- > 0;) {
        if (dominators->immediate[node] != LOUPE_NO_NODE)
            rows->of[--rows->first[dominators->immediate[node]]] = node;
    }
}

enum loupe_status loupe_dominated_find(const struct loupe_dominators *dominators,
                                       const struct loupe_chunk_ops *chunks,
                                       struct loupe_dominated *ret) {
    uint32_t nodes = dominators->nodes;
    struct loupe_dominated rows = {.chunks = chunks,
                                   .nodes = nodes,
                                   .reached = dominators->reached,
                                   .first = loupe_numbers_get(chunks, nodes + 1),
                                   .of = loupe_numbers_get(chunks, dominators->reached)};
    if (!rows.first || !rows.of) {
        loupe_dominated_deinit(&rows);
        return LOUPE_ENOMEM;
    }
    fill_rows(dominators, &rows);
    *ret = rows;
    return LOUPE_OK;
}

void loupe_dominated_deinit(struct loupe_dominated *dominated) {
    loupe_numbers_put(dominated->chunks, &dominated->first, dominated->nodes + 1);
    loupe_numbers_put(dominated->chunks, &dominated->of, dominated->reached);
}

/* Level by level, so that a node's dominator stands before it. How many there are. */
static uint32_t list_by_levels(const struct loupe_dominated *rows, uint32_t *list) {
    uint32_t count = 0;
    for (uint32_t row = rows->nodes, at = 0;; row = list[at++]) {
        for (uint32_t i = rows->first[row]; i < rows->first[row + 1]; i++)
            list[count++] = rows->of[i];
        if (at == count)
            return count;
    }
}

static void add_up_others(const struct loupe_dominators *dominators, const uint32_t *list,
                          uint32_t count, const struct loupe_others *others) {
    memset(dominators->others, 0, dominators->nodes * sizeof(*dominators->others));
    for (uint32_t i = count; i-- > 0;) {
        uint32_t node = list[i], dominator = dominators->immediate[node];
        dominators->others[node] += others->has(others->ctx, node);
        if (dominator != dominators->nodes)
            dominators->others[dominator] += dominators->others[node];
    }
}

enum loupe_status loupe_dominators_count_apart(struct loupe_dominators *dominators,
                                               const struct loupe_others *others,
                                               const struct loupe_chunk_ops *chunks) {
    struct loupe_dominated rows;
    enum loupe_status status = loupe_dominated_find(dominators, chunks, &rows);
    if (status)
        return status;
    uint32_t *list = loupe_numbers_get(chunks, dominators->reached);
    dominators->others = loupe_numbers_get(chunks, dominators->nodes);
    dominators->others_chunks = chunks;
    if (list && dominators->others) {
        add_up_others(dominators, list, list_by_levels(&rows, list), others);
    } else if (dominators->others) {
        loupe_numbers_put(chunks, &dominators->others, dominators->nodes);
    }
    loupe_numbers_put(chunks, &list, dominators->reached);
    loupe_dominated_deinit(&rows);
    return dominators->others ? LOUPE_OK : LOUPE_ENOMEM;
}

/* ---- Retained by classes ---- */

struct descent {
    const struct loupe_dominators *dominators;
    const struct loupe_dominated *rows;
    const uint32_t *classes;
    uint32_t *next; /* by node on the path, and for all roots together: the place in its row */
    uint32_t *open; /* by class: nodes of it on the path */
    struct loupe_class_total *totals;
};

static void enter(struct descent *d, uint32_t node) {
    uint32_t number = d->classes[node];
    d->next[node] = d->rows->first[node];
    if (!d->open[number]++)
        d->totals[number].retained += d->dominators->retained[node];
}

/* Depth first; the way back is the dominator. */
static void descend(struct descent *d) {
    uint32_t top = d->dominators->nodes, node = top;
    d->next[top] = d->rows->first[top];
    for (;;) {
        if (d->next[node] < d->rows->first[node + 1]) {
            node = d->rows->of[d->next[node]++];
            enter(d, node);
        } else if (node == top) {
            return;
        } else {
            d->open[d->classes[node]]--;
            node = d->dominators->immediate[node];
        }
    }
}

enum loupe_status loupe_histogram_add_retained(const struct loupe_dominators *dominators,
                                               const uint32_t *classes, uint32_t class_count,
                                               const struct loupe_chunk_ops *chunks,
                                               struct loupe_class_total *totals) {
    struct loupe_dominated rows;
    enum loupe_status status = loupe_dominated_find(dominators, chunks, &rows);
    if (status)
        return status;
    struct descent d = {.dominators = dominators,
                        .rows = &rows,
                        .classes = classes,
                        .next = loupe_numbers_get(chunks, dominators->nodes),
                        .open = loupe_numbers_get(chunks, class_count),
                        .totals = totals};
    bool has_room = d.next && d.open;
    if (has_room) {
        memset(d.open, 0, class_count * sizeof(*d.open));
        descend(&d);
    }
    loupe_numbers_put(chunks, &d.next, dominators->nodes);
    loupe_numbers_put(chunks, &d.open, class_count);
    loupe_dominated_deinit(&rows);
    return has_room ? LOUPE_OK : LOUPE_ENOMEM;
}
