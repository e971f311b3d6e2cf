#include "analysis/shortest.h"

#include "base/vector.h"

#include <string.h>

/*
 * Breadth-first search, one level after the other. In the order of ranks (level first, then length)
 * the first rank that a node gets on its level is its best, so plain queues are enough.
 *
 * What late links of the normal level lead to begins the next level: not all at once, but each when
 * the search gets to its length. They are met by ascending length, so they wait in a
 * queue of their own; one of them may get a better rank before its turn.
 */
struct late {
    uint32_t node, rank;
};

struct search {
    const struct loupe_columns *columns;
    const struct loupe_shortest_options *options;
    uint32_t *from;
    loupe_path_rank *rank;
    uint32_t *queue;
    uint32_t head, tail;
    struct loupe_vector late; /* struct late */
    uint32_t next_late;
    enum loupe_path_level level;
    bool has_room;
};

enum { AHEAD = 4 };

static bool improve(struct search *search, uint32_t node, loupe_path_rank rank, uint32_t from) {
    if (rank >= search->rank[node])
        return false;
    search->rank[node] = rank;
    search->from[node] = from;
    return true;
}

static void meet(struct search *search, uint32_t node, uint32_t rank, uint32_t from) {
    if (improve(search, node, rank, from))
        search->queue[search->tail++] = node;
}

static void meet_later(struct search *search, uint32_t node, uint32_t rank, uint32_t from) {
    if (!improve(search, node, rank, from))
        return;
    struct late *late = loupe_vector_add(&search->late);
    if (late)
        *late = (struct late){node, rank};
    else
        search->has_room = false;
}

/* The next late one, when it is not behind what is queued and nothing better was found since. */
static bool take_late(struct search *search, uint32_t *ret) {
    while (search->level == LOUPE_LEVEL_LATE && search->next_late < search->late.count) {
        const struct late *late = loupe_vector_at(&search->late, search->next_late, sizeof(*late));
        bool is_behind =
            search->head < search->tail && search->rank[search->queue[search->head]] < late->rank;
        if (is_behind)
            return false;
        search->next_late++;
        *ret = late->node;
        if (search->rank[late->node] == late->rank)
            return true;
    }
    return false;
}

static bool take_next(struct search *search, uint32_t *ret) {
    if (take_late(search, ret))
        return true;
    if (search->head == search->tail)
        return false;
    *ret = search->queue[search->head++];
    if (search->head + AHEAD < search->tail)
        loupe_prefetch(&search->columns->first[search->queue[search->head + AHEAD]]);
    return true;
}

static void follow(struct search *search, uint32_t node) {
    const struct loupe_columns *columns = search->columns;
    uint32_t length = search->rank[node] & LOUPE_RANK_LENGTH;
    length += length < LOUPE_RANK_LENGTH;
    uint32_t rank = loupe_path_rank_of(search->level, length);
    uint32_t late_rank = loupe_path_rank_of(LOUPE_LEVEL_LATE, length);
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        if (!loupe_link_counts(columns, link, search->options->kinds))
            continue;
        bool is_late = search->level == LOUPE_LEVEL_NORMAL && columns->kinds &&
                       loupe_link_counts(columns, link, search->options->late);
        if (is_late)
            meet_later(search, loupe_link_target(columns, link), late_rank, node);
        else
            meet(search, loupe_link_target(columns, link), rank, node);
    }
}

static enum loupe_path_level root_level(const struct search *search, uint32_t root) {
    const uint8_t *levels = search->options->root_levels;
    return levels ? (enum loupe_path_level)levels[root] : LOUPE_LEVEL_NORMAL;
}

static void search_level(struct search *search, enum loupe_path_level level) {
    search->level = level;
    search->head = search->tail = 0;
    for (uint32_t root = 0; root < search->columns->root_count; root++) {
        if (root_level(search, root) == level)
            meet(search, search->columns->roots[root], loupe_path_rank_of(level, 0), root);
    }
    const struct loupe_marks *ends = search->options->ends;
    uint32_t node;
    while (!loupe_is_stopped(search->columns->stop) && take_next(search, &node)) {
        if (!ends || !loupe_is_marked(ends, node))
            follow(search, node);
    }
}

static size_t levels_size(uint32_t nodes) {
    return (size_t)nodes / 2 + 1;
}

static void put_arrays(struct loupe_shortest *found) {
    loupe_numbers_put(found->chunks, &found->from, found->nodes);
    loupe_chunk_put(found->chunks, found->levels, levels_size(found->nodes));
    found->levels = NULL;
}

/* What is asked of ranks later fits into less room. */
static bool keep_levels(const struct search *search, struct loupe_shortest *found) {
    found->levels = loupe_chunk_get(found->chunks, levels_size(found->nodes));
    if (!found->levels)
        return false;
    memset(found->levels, 0, levels_size(found->nodes));
    for (uint32_t node = 0; node < found->nodes; node++) {
        loupe_path_rank rank = search->rank[node];
        uint32_t bits = rank >> LOUPE_RANK_SHIFT; /* one more than the level, but for given roots */
        bits -= bits != 0;
        if (rank == LOUPE_NO_PATH) {
            search->from[node] = LOUPE_NO_NODE;
            bits = LOUPE_LEVEL_NONE;
        }
        bits |= rank & LOUPE_RANK_LENGTH ? 0 : LOUPE_PATH_BEGINS;
        found->levels[node / 2] |= (uint8_t)(bits << (node % 2 * 4));
    }
    return true;
}

static void search_all(struct search *search) {
    memset(search->rank, 0xff, search->columns->nodes * sizeof(*search->rank));
    search_level(search, LOUPE_LEVEL_GIVEN);
    for (int level = LOUPE_LEVEL_NORMAL; level < LOUPE_LEVEL_COUNT; level++)
        search_level(search, (enum loupe_path_level)level);
}

enum loupe_status loupe_shortest_find_ranks(const struct loupe_columns *columns,
                                            const struct loupe_shortest_options *options,
                                            const struct loupe_chunk_ops *chunks,
                                            struct loupe_shortest *ret,
                                            loupe_path_rank **ranks_ret) {
    uint32_t nodes = columns->nodes;
    struct loupe_shortest found = {
        .chunks = chunks, .nodes = nodes, .from = loupe_numbers_get(chunks, nodes)};
    struct search search = {.columns = columns,
                            .options = options,
                            .from = found.from,
                            .rank = loupe_numbers_get(chunks, nodes),
                            .queue = loupe_numbers_get(chunks, nodes)};
    search.has_room = search.from && search.rank && search.queue;
    loupe_vector_init(&search.late, chunks, sizeof(struct late));
    if (search.has_room)
        search_all(&search);
    loupe_vector_deinit(&search.late);
    loupe_numbers_put(chunks, &search.queue, nodes);
    enum loupe_status status =
        loupe_columns_status(columns, search.has_room && keep_levels(&search, &found));
    if (!status) {
        *ret = found;
        *ranks_ret = search.rank;
        return LOUPE_OK;
    }
    loupe_numbers_put(chunks, &search.rank, nodes);
    put_arrays(&found);
    return status;
}

enum loupe_status loupe_shortest_find(const struct loupe_columns *columns,
                                      const struct loupe_shortest_options *options,
                                      const struct loupe_chunk_ops *chunks,
                                      struct loupe_shortest *ret) {
    loupe_path_rank *ranks = NULL;
    enum loupe_status status = loupe_shortest_find_ranks(columns, options, chunks, ret, &ranks);
    loupe_numbers_put(chunks, &ranks, columns->nodes);
    return status;
}

void loupe_shortest_deinit(struct loupe_shortest *shortest) {
    put_arrays(shortest);
}

uint32_t loupe_path_length(const struct loupe_shortest *shortest, uint32_t node) {
    uint32_t length = 0;
    for (; loupe_path_before(shortest, node) != LOUPE_NO_NODE; length++)
        node = shortest->from[node];
    return length;
}

uint32_t loupe_path_root(const struct loupe_shortest *shortest, uint32_t node) {
    while (loupe_path_before(shortest, node) != LOUPE_NO_NODE)
        node = shortest->from[node];
    return shortest->from[node];
}

uint32_t loupe_path_link(const struct loupe_columns *columns, loupe_link_kinds kinds,
                         loupe_link_kinds late, uint32_t from, uint32_t to) {
    uint32_t late_one = LOUPE_NO_EDGE;
    for (uint32_t link = columns->first[from]; link < columns->first[from + 1]; link++) {
        if (loupe_link_target(columns, link) != to || !loupe_link_counts(columns, link, kinds))
            continue;
        if (!columns->kinds || !loupe_link_counts(columns, link, late))
            return link;
        late_one = late_one == LOUPE_NO_EDGE ? link : late_one;
    }
    return late_one;
}
