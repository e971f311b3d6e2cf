#include "graph/paths_from_roots.h"

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

enum loupe_path_level loupe_root_level(enum loupe_root_kind kind) {
    switch (kind) {
    case LOUPE_ROOT_GIVEN:
        return LOUPE_LEVEL_GIVEN;
    case LOUPE_ROOT_POOL:
        return LOUPE_LEVEL_LATE;
    case LOUPE_ROOT_STACK:
    case LOUPE_ROOT_REGISTER:
        return LOUPE_LEVEL_STACK;
    default:
        return LOUPE_LEVEL_NORMAL;
    }
}

enum loupe_status loupe_paths_from_roots_init(struct loupe_paths_from_roots *paths, uint32_t nodes,
                                              const struct loupe_chunk_ops *chunks) {
    struct loupe_paths_from_roots made = {.chunks = chunks, .capacity = nodes + 1};
    made.to = loupe_chunk_get(chunks, made.capacity * sizeof(*made.to));
    if (!made.to)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < nodes; i++)
        made.to[i] = (struct loupe_root_path){.root = LOUPE_NO_ROOT};
    *paths = made;
    return LOUPE_OK;
}

void loupe_paths_from_roots_deinit(struct loupe_paths_from_roots *paths) {
    loupe_chunk_put(paths->chunks, paths->to, paths->capacity * sizeof(*paths->to));
    paths->to = NULL;
}
