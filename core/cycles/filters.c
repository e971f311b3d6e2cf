#include "cycles/filters.h"

#include <string.h>

enum loupe_status loupe_filters_join(const struct loupe_request *request,
                                     struct loupe_filters others, struct loupe_arena *arena,
                                     struct loupe_filter **ret, uint32_t *count_ret) {
    uint32_t own = request->filter_count;
    uint32_t standard = request->without_standard_filters ? 0 : others.count;
    struct loupe_filter *filters = loupe_arena_alloc_array(arena, own + standard, sizeof(*filters));
    if (!filters)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < own; i++)
        filters[i] = request->filters[i];
    for (uint32_t i = 0; i < standard; i++)
        filters[own + i] = others.items[i];
    *ret = filters;
    *count_ret = own + standard;
    return LOUPE_OK;
}

/* ---- Hiding ---- */

struct filtering {
    struct loupe_graph *graph;
    const struct loupe_describer *describer;
    const struct loupe_filter *filters;
    uint32_t count;
};

static bool is_kind_of(const struct filtering *f, uint32_t node, const char *class_name) {
    return !class_name || f->describer->is_kind_of(f->describer->ctx, f->graph, node, class_name);
}

/* The path is looked up when the first filter asks for it. */
struct path {
    struct loupe_edge_label label;
    bool known;
};

static bool has_path(const struct filtering *f, const struct loupe_filter *filter, uint32_t from,
                     uint32_t id, struct path *path) {
    if (!filter->path)
        return true;
    if (!path->known)
        f->describer->label(f->describer->ctx, f->graph, from, id, &path->label);
    path->known = true;
    return strcmp(filter->path, path->label.path) == 0;
}

/* Whether a filter for the class of the edge's source is one for the edge. */
static bool is_for_edge(const struct filtering *f, const struct loupe_filter *filter, uint32_t from,
                        uint32_t id, struct path *path) {
    uint8_t ownership = loupe_graph_edge_facts(f->graph, id)->ownership;
    bool may_be_ruled_out = ownership == LOUPE_ASSUMED || ownership == LOUPE_DISOWNED;
    return (!filter->owns_nothing || may_be_ruled_out) && has_path(f, filter, from, id, path) &&
           is_kind_of(f, loupe_graph_target(f->graph, id), filter->target);
}

/*
 * The filters that are for a class, found once per tag, because nodes of one tag have one class:
 * most classes have none, and those of a library's views have a few of a hundred.
 */
struct class_filters {
    struct loupe_map row_of_tag; /* node tag -> first word of its row */
    struct loupe_vector words;   /* of uint64_t: rows of bits, one for each filter */
};

enum { WORD_BITS = 64 };

static enum loupe_status add_row(struct class_filters *known, const struct filtering *f,
                                 uint32_t node) {
    for (uint32_t i = 0; i < f->count; i++) {
        if (i % WORD_BITS == 0) {
            uint64_t *word = loupe_vector_add(&known->words);
            if (!word)
                return LOUPE_ENOMEM;
            *word = 0;
        }
        if (is_kind_of(f, node, f->filters[i].source))
            *(uint64_t *)loupe_vector_at(&known->words, known->words.count - 1, sizeof(uint64_t)) |=
                (uint64_t)1 << i % WORD_BITS;
    }
    return LOUPE_OK;
}

static enum loupe_status find_row(struct class_filters *known, const struct filtering *f,
                                  uint32_t node, uint32_t *ret) {
    uint32_t tag = loupe_graph_tag(f->graph, node);
    if (loupe_map_find(&known->row_of_tag, tag, ret))
        return LOUPE_OK;
    *ret = known->words.count;
    enum loupe_status status = add_row(known, f, node);
    return status ? status : loupe_map_put(&known->row_of_tag, tag, *ret);
}

/* The first filter of a row from number i on; count: there is none. */
static uint32_t next_of_row(const struct class_filters *known, const struct filtering *f,
                            uint32_t row, uint32_t i) {
    while (i < f->count) {
        uint64_t word = *(const uint64_t *)loupe_vector_at(&known->words, row + i / WORD_BITS,
                                                           sizeof(uint64_t));
        word >>= i % WORD_BITS;
        if (word)
            return i + (uint32_t)__builtin_ctzll(word);
        i += WORD_BITS - i % WORD_BITS;
    }
    return f->count;
}

static void filter_edge(const struct filtering *f, const struct class_filters *known, uint32_t row,
                        uint32_t from, uint32_t id, uint64_t *hidden) {
    struct path path;
    path.known = false;
    uint32_t i = next_of_row(known, f, row, 0);
    while (i < f->count && !is_for_edge(f, &f->filters[i], from, id, &path))
        i = next_of_row(known, f, row, i + 1);
    if (i == f->count)
        return;
    loupe_graph_hide(f->graph, id);
    if (f->filters[i].owns_nothing)
        loupe_graph_edge_facts(f->graph, id)->ownership = LOUPE_DISOWNED;
    hidden[i]++;
}

static enum loupe_status filter_nodes(const struct filtering *f, struct class_filters *known,
                                      uint64_t *hidden) {
    for (uint32_t node = 0; node < f->graph->opened; node++) {
        uint32_t row;
        enum loupe_status status = find_row(known, f, node, &row);
        if (status)
            return status;
        if (next_of_row(known, f, row, 0) == f->count)
            continue;
        uint32_t end = loupe_graph_edges_end(f->graph, node);
        for (uint32_t id = loupe_graph_first_edge(f->graph, node); id < end; id++)
            filter_edge(f, known, row, node, id, hidden);
    }
    return LOUPE_OK;
}

enum loupe_status loupe_filters_apply(struct loupe_graph *graph,
                                      const struct loupe_describer *describer,
                                      const struct loupe_filter *filters, uint32_t count,
                                      uint64_t *hidden_ret) {
    struct filtering f = {
        .graph = graph, .describer = describer, .filters = filters, .count = count};
    struct class_filters known;
    if (!count)
        return LOUPE_OK;
    memset(hidden_ret, 0, count * sizeof(*hidden_ret));
    loupe_map_init(&known.row_of_tag, graph->nodes.chunks);
    loupe_vector_init(&known.words, graph->nodes.chunks, sizeof(uint64_t));
    enum loupe_status status = filter_nodes(&f, &known, hidden_ret);
    loupe_vector_deinit(&known.words);
    loupe_map_deinit(&known.row_of_tag);
    return status;
}

/* ---- What is known not to be owned ---- */

uint32_t loupe_filters_keep_knowledge(struct loupe_filter *filters, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (filters[i].owns_nothing)
            filters[kept++] = filters[i];
    }
    return kept;
}

const char *loupe_filters_reason(struct loupe_graph *graph, const struct loupe_describer *describer,
                                 const struct loupe_filter *filters, uint32_t count, uint32_t from,
                                 uint32_t edge) {
    struct filtering f = {
        .graph = graph, .describer = describer, .filters = filters, .count = count};
    struct path path;
    path.known = false;
    for (uint32_t i = 0; i < count; i++) {
        if (is_kind_of(&f, from, filters[i].source) &&
            is_for_edge(&f, &filters[i], from, edge, &path))
            return filters[i].reason;
    }
    return NULL;
}
