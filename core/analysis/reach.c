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

struct search {
    const struct loupe_columns *columns;
    struct loupe_marks *marks;
    uint32_t *stack; /* nodes that are marked, and whose links are to be followed */
    uint32_t depth;
    struct loupe_amount met;
};

static void meet(struct search *search, uint32_t node) {
    if (loupe_is_marked(search->marks, node))
        return;
    loupe_mark(search->marks, node);
    search->stack[search->depth++] = node;
    search->met.objects++;
    search->met.bytes += loupe_columns_size(search->columns, node);
}

static void search_from(struct search *search, uint32_t root, loupe_link_kinds kinds) {
    const struct loupe_columns *columns = search->columns;
    meet(search, root);
    while (search->depth && !loupe_is_stopped(columns->stop)) {
        uint32_t node = search->stack[--search->depth];
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            if (loupe_link_counts(columns, link, kinds))
                meet(search, columns->to[link]);
        }
    }
}

enum loupe_status loupe_reach(const struct loupe_columns *columns, loupe_link_kinds kinds,
                              struct loupe_marks *marks, struct loupe_amount *ret) {
    struct search search = {.columns = columns,
                            .marks = marks,
                            .stack = loupe_numbers_get(marks->chunks, columns->nodes)};
    if (!search.stack)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < columns->root_count; i++)
        search_from(&search, columns->roots[i], kinds);
    loupe_numbers_put(marks->chunks, &search.stack, columns->nodes);
    *ret = search.met;
    return loupe_columns_status(columns, true);
}

/* What is reachable around the nodes that are given, which may be none. */
static enum loupe_status reach_around(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                      const uint32_t *around, uint32_t count,
                                      const struct loupe_chunk_ops *chunks,
                                      struct loupe_amount *ret) {
    struct loupe_marks marks;
    enum loupe_status status = loupe_marks_init(&marks, chunks, columns->nodes);
    if (status)
        return status;
    for (uint32_t i = 0; i < count; i++)
        loupe_mark(&marks, around[i]);
    status = loupe_reach(columns, kinds, &marks, ret);
    loupe_marks_deinit(&marks);
    return status;
}

enum loupe_status loupe_retained_by_set(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                        const uint32_t *set, uint32_t count,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_amount *ret) {
    struct loupe_amount with, without;
    enum loupe_status status = reach_around(columns, kinds, NULL, 0, chunks, &with);
    if (!status)
        status = reach_around(columns, kinds, set, count, chunks, &without);
    if (!status)
        *ret = (struct loupe_amount){.objects = with.objects - without.objects,
                                     .bytes = with.bytes - without.bytes};
    return status;
}
