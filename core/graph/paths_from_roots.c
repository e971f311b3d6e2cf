#include "graph/paths_from_roots.h"

#include <string.h>

const char *loupe_root_kind_name(enum loupe_root_kind kind) {
    static const char *const names[LOUPE_ROOT_KIND_COUNT] = {
        [LOUPE_ROOT_GIVEN] = "given",
        [LOUPE_ROOT_DATA] = "data",
        [LOUPE_ROOT_THREAD_LOCAL] = "thread-local",
        [LOUPE_ROOT_KERNEL] = "kernel",
        [LOUPE_ROOT_POOL] = "autorelease-pool",
        [LOUPE_ROOT_STACK] = "stack",
        [LOUPE_ROOT_REGISTER] = "register",
        [LOUPE_ROOT_CLASS] = "class",
        [LOUPE_ROOT_MEMORY] = "memory",
    };
    return (unsigned)kind < LOUPE_ROOT_KIND_COUNT ? names[kind] : "unknown";
}

enum { RANKS = 4 };

unsigned loupe_root_rank(enum loupe_root_kind kind) {
    static const uint8_t ranks[LOUPE_ROOT_KIND_COUNT] = {
        [LOUPE_ROOT_GIVEN] = 0,  [LOUPE_ROOT_DATA] = 1,  [LOUPE_ROOT_THREAD_LOCAL] = 1,
        [LOUPE_ROOT_POOL] = 2,   [LOUPE_ROOT_STACK] = 3, [LOUPE_ROOT_REGISTER] = 3,
        [LOUPE_ROOT_KERNEL] = 1, [LOUPE_ROOT_CLASS] = 1, [LOUPE_ROOT_MEMORY] = 1,
    };
    return (unsigned)kind < LOUPE_ROOT_KIND_COUNT ? ranks[kind] : RANKS - 1;
}

struct search {
    const struct loupe_graph *graph;
    struct loupe_root_path *to;
    uint32_t *queue;
    uint32_t head, tail;
    uint32_t avoided;
};

static void reach(struct search *search, uint32_t node, struct loupe_root_path path) {
    if (node == search->avoided || search->to[node].root != LOUPE_NO_ROOT)
        return;
    search->to[node] = path;
    search->queue[search->tail++] = node;
}

static void expand_frontier(struct search *search) {
    const struct loupe_graph *graph = search->graph;
    while (search->head < search->tail) {
        uint32_t node = search->queue[search->head++];
        uint32_t end = loupe_graph_edges_end(graph, node);
        struct loupe_root_path path = {
            .root = search->to[node].root, .length = search->to[node].length + 1, .from = node};
        for (path.edge = loupe_graph_first_edge(graph, node); path.edge < end; path.edge++) {
            if (!loupe_graph_is_hidden(graph, path.edge))
                reach(search, loupe_graph_target(graph, path.edge), path);
        }
    }
}

static void search_from_all(struct search *search, const struct loupe_vector *roots) {
    for (unsigned rank = 0; rank < RANKS; rank++) {
        for (uint32_t i = 0; i < roots->count; i++) {
            const struct loupe_root *root = loupe_vector_at(roots, i, sizeof(*root));
            if (loupe_root_rank(root->kind) == rank)
                reach(search, root->node, (struct loupe_root_path){.root = i});
        }
        expand_frontier(search);
    }
}

enum loupe_status loupe_paths_from_roots_find(const struct loupe_graph *graph,
                                              const struct loupe_vector *roots, uint32_t avoided,
                                              const struct loupe_chunk_ops *chunks,
                                              struct loupe_paths_from_roots *ret) {
    uint32_t count = loupe_graph_node_count(graph);
    struct loupe_paths_from_roots paths = {.chunks = chunks, .capacity = count + 1};
    struct search search = {.graph = graph, .avoided = avoided};
    size_t queue_size = paths.capacity * sizeof(*search.queue);
    search.to = paths.to = loupe_chunk_get(chunks, paths.capacity * sizeof(*paths.to));
    search.queue = paths.to ? loupe_chunk_get(chunks, queue_size) : NULL;
    if (!search.queue) {
        loupe_paths_from_roots_deinit(&paths);
        return LOUPE_ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++)
        paths.to[i] = (struct loupe_root_path){.root = LOUPE_NO_ROOT};
    search_from_all(&search, roots);
    loupe_chunk_put(chunks, search.queue, queue_size);
    *ret = paths;
    return LOUPE_OK;
}

void loupe_paths_from_roots_deinit(struct loupe_paths_from_roots *paths) {
    loupe_chunk_put(paths->chunks, paths->to, paths->capacity * sizeof(*paths->to));
    paths->to = NULL;
}
