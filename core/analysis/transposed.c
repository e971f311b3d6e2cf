#include "analysis/transposed.h"

#include <string.h>

/* ---- The turned heap ---- */

static void count_links(const struct loupe_columns *columns, loupe_link_kinds kinds,
                        uint32_t *count) {
    uint32_t links = columns->first[columns->nodes];
    memset(count, 0, ((size_t)columns->nodes + 1) * sizeof(*count));
    for (uint32_t link = 0; link < links; link++)
        count[loupe_link_target(columns, link)] += loupe_link_counts(columns, link, kinds);
}

/* From counts to where each row ends; filling moves that to where it begins. */
static uint32_t add_up(uint32_t *first, uint32_t nodes) {
    uint32_t sum = 0;
    for (uint32_t node = 0; node < nodes; node++)
        first[node] = sum += first[node];
    first[nodes] = sum;
    return sum;
}

/* Backwards, so that each row is ordered by its sources. */
static void fill(const struct loupe_columns *columns, loupe_link_kinds kinds, uint32_t *first,
                 uint32_t *to, uint8_t *turned_kinds) {
    for (uint32_t node = columns->nodes; node-- > 0 && !loupe_is_stopped(columns->stop);) {
        for (uint32_t link = columns->first[node + 1]; link-- > columns->first[node];) {
            if (!loupe_link_counts(columns, link, kinds))
                continue;
            uint32_t place = --first[loupe_link_target(columns, link)];
            to[place] = node;
            if (turned_kinds)
                turned_kinds[place] = columns->kinds[link];
        }
    }
}

enum loupe_status loupe_transposed_make(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_transposed *ret) {
    uint32_t nodes = columns->nodes, *first = loupe_numbers_get(chunks, nodes);
    if (!first)
        return LOUPE_ENOMEM;
    count_links(columns, kinds, first);
    uint32_t links = add_up(first, nodes), *to = loupe_numbers_get(chunks, links);
    uint8_t *turned_kinds = columns->kinds ? loupe_chunk_get(chunks, (size_t)links + 1) : NULL;
    if (!to || (columns->kinds && !turned_kinds)) {
        loupe_numbers_put(chunks, &to, links);
        loupe_chunk_put(chunks, turned_kinds, (size_t)links + 1);
        loupe_numbers_put(chunks, &first, nodes);
        return LOUPE_ENOMEM;
    }
    fill(columns, kinds, first, to, turned_kinds);
    *ret = (struct loupe_transposed){.chunks = chunks,
                                     .columns = {.first = first,
                                                 .to = to,
                                                 .kinds = turned_kinds,
                                                 .sizes = columns->sizes,
                                                 .large = columns->large,
                                                 .stop = columns->stop,
                                                 .nodes = nodes,
                                                 .large_count = columns->large_count}};
    enum loupe_status status = loupe_columns_status(columns, true);
    if (status)
        loupe_transposed_deinit(ret);
    return status;
}

void loupe_transposed_deinit(struct loupe_transposed *transposed) {
    const struct loupe_columns *columns = &transposed->columns;
    uint32_t links = columns->first[columns->nodes];
    uint32_t *first = (uint32_t *)columns->first, *to = (uint32_t *)columns->to;
    loupe_chunk_put(transposed->chunks, (uint8_t *)columns->kinds, (size_t)links + 1);
    loupe_numbers_put(transposed->chunks, &to, links);
    loupe_numbers_put(transposed->chunks, &first, columns->nodes);
}

/* ---- Paths from different roots ---- */

static uint8_t level_of(const uint8_t *root_levels, uint32_t root) {
    return root_levels ? root_levels[root] : LOUPE_LEVEL_NORMAL;
}

/* Other levels would hide the better path that leads through them. */
static void mark_ends(const struct loupe_columns *columns, const uint8_t *root_levels,
                      uint32_t node, struct loupe_marks *ends) {
    for (uint32_t root = 0; root < columns->root_count; root++) {
        if (columns->roots[root] != node && level_of(root_levels, root) == LOUPE_LEVEL_NORMAL)
            loupe_mark(ends, columns->roots[root]);
    }
}

struct choice {
    struct loupe_root_paths *paths;
    const struct loupe_columns *columns;
    const uint8_t *root_levels;
    const loupe_path_rank *ranks; /* by node, of the way to it from the one asked about */
};

static loupe_path_rank rank_of_root(const struct choice *choice, uint32_t root) {
    loupe_path_rank rank = choice->ranks[choice->columns->roots[root]];
    loupe_path_rank best =
        loupe_path_rank_of((enum loupe_path_level)level_of(choice->root_levels, root), 0);
    return loupe_path_level_is_better(rank, best) ? best | (rank & LOUPE_RANK_LENGTH) : rank;
}

static void insert(struct loupe_root_paths *paths, uint32_t place, uint32_t root) {
    if (paths->count < paths->capacity)
        paths->count++;
    for (uint32_t i = paths->count - 1; i > place; i--)
        paths->roots[i] = paths->roots[i - 1];
    paths->roots[place] = root;
}

static void choose_root(const struct choice *choice, uint32_t root) {
    struct loupe_root_paths *paths = choice->paths;
    uint32_t place = paths->count;
    paths->found++;
    while (place && rank_of_root(choice, root) < rank_of_root(choice, paths->roots[place - 1]))
        place--;
    if (place < paths->capacity)
        insert(paths, place, root);
}

/* Each node once, by the best of its roots: `met` are the nodes of the roots before. */
static void choose(const struct choice *choice, struct loupe_marks *met) {
    for (int level = LOUPE_LEVEL_NORMAL; level < LOUPE_LEVEL_COUNT; level++) {
        for (uint32_t root = 0; root < choice->columns->root_count; root++) {
            uint32_t node = choice->columns->roots[root];
            if (level_of(choice->root_levels, root) != level ||
                choice->ranks[node] == LOUPE_NO_PATH || loupe_is_marked(met, node))
                continue;
            loupe_mark(met, node);
            choose_root(choice, root);
        }
    }
}

static enum loupe_status search(const struct loupe_columns *columns,
                                const struct loupe_transposed *transposed,
                                const struct loupe_shortest_options *options, uint32_t node,
                                struct loupe_root_paths *paths) {
    struct loupe_columns backwards = transposed->columns;
    backwards.roots = &node;
    backwards.root_count = 1;
    struct loupe_marks marks;
    enum loupe_status status = loupe_marks_init(&marks, transposed->chunks, columns->nodes);
    if (status)
        return status;
    mark_ends(columns, options->root_levels, node, &marks);
    struct loupe_shortest_options turned = {
        .kinds = LOUPE_ALL_LINKS, .late = options->late, .ends = &marks};
    loupe_path_rank *ranks = NULL;
    status = loupe_shortest_find_ranks(&backwards, &turned, transposed->chunks, &paths->shortest,
                                       &ranks);
    if (!status) {
        struct choice choice = {paths, columns, options->root_levels, ranks};
        loupe_marks_clear(&marks);
        choose(&choice, &marks);
    }
    loupe_numbers_put(transposed->chunks, &ranks, columns->nodes);
    loupe_marks_deinit(&marks);
    return status;
}

enum loupe_status loupe_root_paths_find(const struct loupe_columns *columns,
                                        const struct loupe_transposed *transposed,
                                        const struct loupe_shortest_options *options, uint32_t node,
                                        uint32_t most, struct loupe_root_paths *ret) {
    struct loupe_root_paths paths = {.capacity = most,
                                     .roots = loupe_numbers_get(transposed->chunks, most)};
    if (!paths.roots)
        return LOUPE_ENOMEM;
    enum loupe_status status = search(columns, transposed, options, node, &paths);
    if (status)
        loupe_numbers_put(transposed->chunks, &paths.roots, most);
    else
        *ret = paths;
    return status;
}

void loupe_root_paths_deinit(struct loupe_root_paths *paths) {
    loupe_numbers_put(paths->shortest.chunks, &paths->roots, paths->capacity);
    loupe_shortest_deinit(&paths->shortest);
}
