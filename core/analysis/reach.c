#include "analysis/reach.h"

#include <string.h>

static size_t bytes_of(uint32_t nodes) {
    return ((size_t)nodes / 64 + 1) * sizeof(uint64_t);
}

enum loupe_status loupe_marks_init(struct loupe_marks *marks, const struct loupe_chunk_ops *chunks,
                                   uint32_t nodes) {
    uint64_t *words = loupe_chunk_get(chunks, bytes_of(nodes));
    if (!words)
        return LOUPE_ENOMEM;
    memset(words, 0, bytes_of(nodes));
    *marks = (struct loupe_marks){.chunks = chunks, .words = words, .nodes = nodes};
    return LOUPE_OK;
}

void loupe_marks_deinit(struct loupe_marks *marks) {
    loupe_chunk_put(marks->chunks, marks->words, bytes_of(marks->nodes));
    marks->words = NULL;
}

void loupe_marks_clear(struct loupe_marks *marks) {
    memset(marks->words, 0, bytes_of(marks->nodes));
}

/*
 * Nodes whose links are still to be followed wait twice: as marks, and the latest of them on a
 * stack of a fixed size. What did not fit there is found again by its mark. Before a node gets to
 * the stack it stands in a short queue, while its links are fetched: they are anywhere.
 */
enum { STACK = 1 << 14, QUEUE = 8 };

struct search {
    const struct loupe_columns *columns;
    loupe_link_kinds kinds;
    struct loupe_marks *marks, open; /* open: of what does not stand on the stack */
    uint32_t *stack;
    uint32_t depth;
    bool overflowed;
    uint32_t queue[QUEUE];
    uint32_t queued, oldest;
    struct loupe_amount met;
};

static inline void meet(struct search *search, uint32_t node) {
    if (loupe_is_marked(search->marks, node))
        return;
    loupe_mark(search->marks, node);
    search->met.objects++;
    search->met.bytes += loupe_columns_size(search->columns, node);
    if (search->depth < STACK) {
        search->stack[search->depth++] = node;
        return;
    }
    loupe_mark(&search->open, node);
    search->overflowed = true;
}

/* Of a heap, links have kinds and no marks. */
static void follow(struct search *search, uint32_t node) {
    const struct loupe_columns *columns = search->columns;
    const uint8_t *kinds = columns->kinds;
    uint32_t link = columns->first[node], end = columns->first[node + 1];
    if (kinds) {
        for (; link < end; link++) {
            if (search->kinds >> kinds[link] & 1)
                meet(search, columns->to[link]);
        }
        return;
    }
    for (; link < end; link++) {
        if (loupe_link_counts(columns, link, search->kinds))
            meet(search, loupe_link_target(columns, link));
    }
}

/* From the stack into the queue, whose oldest node is followed. */
static void step(struct search *search) {
    const struct loupe_columns *columns = search->columns;
    /* Cap: the others stay on the stack. */
    while (search->depth && search->queued < QUEUE) {
        uint32_t node = search->stack[--search->depth];
        loupe_prefetch(&columns->first[node]);
        search->queue[(search->oldest + search->queued++) % QUEUE] = node;
    }
    uint32_t node = search->queue[search->oldest];
    search->oldest = (search->oldest + 1) % QUEUE;
    search->queued--;
    if (search->queued) {
        uint32_t next = search->queue[(search->oldest + search->queued / 2) % QUEUE];
        loupe_prefetch(&columns->to[columns->first[next]]);
    }
    follow(search, node);
}

static void empty_stack(struct search *search) {
    while ((search->depth || search->queued) && !loupe_is_stopped(search->columns->stop))
        step(search);
}

/* What did not fit on the stack. At least a stack of nodes is followed each time. */
static void follow_open(struct search *search) {
    search->overflowed = false;
    for (uint32_t word = 0; word <= search->columns->nodes / 64; word++) {
        /* Cap: the others have marks, and are looked for again. */
        for (uint64_t bits; (bits = search->open.words[word]) && search->depth < STACK;) {
            search->open.words[word] = bits & (bits - 1);
            search->stack[search->depth++] = word * 64 + (uint32_t)__builtin_ctzll(bits);
        }
        if (search->open.words[word])
            search->overflowed = true;
    }
}

enum loupe_status loupe_reach(const struct loupe_columns *columns, loupe_link_kinds kinds,
                              struct loupe_marks *marks, struct loupe_amount *ret) {
    struct search search = {.columns = columns, .kinds = kinds, .marks = marks};
    search.stack = loupe_numbers_get(marks->chunks, STACK);
    enum loupe_status status =
        search.stack ? loupe_marks_init(&search.open, marks->chunks, columns->nodes) : LOUPE_ENOMEM;
    for (uint32_t i = 0; !status && i < columns->root_count; i++) {
        meet(&search, columns->roots[i]);
        empty_stack(&search);
    }
    while (!status && search.overflowed && !loupe_is_stopped(columns->stop)) {
        follow_open(&search);
        empty_stack(&search);
    }
    loupe_numbers_put(marks->chunks, &search.stack, STACK);
    if (status)
        return status;
    loupe_marks_deinit(&search.open);
    *ret = search.met;
    return loupe_columns_status(columns, true);
}

/* What is reachable around the set, with marks: the set has them too. */
static enum loupe_status reach_around(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                      const struct loupe_node_set *set, struct loupe_marks *marks,
                                      struct loupe_amount *ret) {
    for (uint32_t i = 0; i < set->count; i++)
        loupe_mark(marks, set->nodes[i]);
    return loupe_reach(columns, kinds, marks, ret);
}

/* Of the nodes in question, those that only the set leads to. */
static uint64_t count_others(const struct loupe_node_set *set, const struct loupe_marks *all,
                             struct loupe_marks *around) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        around->words[set->nodes[i] / 64] &= ~((uint64_t)1 << set->nodes[i] % 64);
    for (uint32_t node = 0; set->others && node < all->nodes; node++)
        count += loupe_is_marked(all, node) && !loupe_is_marked(around, node) &&
                 set->others->has(set->others->ctx, node);
    return count;
}

enum loupe_status loupe_retained_by_set(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_node_set *set,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_amount *ret) {
    const struct loupe_node_set none = {.count = 0};
    struct loupe_amount with, without;
    struct loupe_marks all, around;
    enum loupe_status status = loupe_marks_init(&all, chunks, columns->nodes);
    if (status)
        return status;
    status = loupe_marks_init(&around, chunks, columns->nodes);
    if (status) {
        loupe_marks_deinit(&all);
        return status;
    }
    status = reach_around(columns, kinds, &none, &all, &with);
    if (!status)
        status = reach_around(columns, kinds, set, &around, &without);
    if (!status)
        *ret = (struct loupe_amount){.objects = with.objects - without.objects,
                                     .bytes = with.bytes - without.bytes,
                                     .others = count_others(set, &all, &around)};
    loupe_marks_deinit(&around);
    loupe_marks_deinit(&all);
    return status;
}
