#include "graph/paths_from_roots.h"

const enum loupe_root_kind loupe_root_places[LOUPE_ROOT_PLACE_COUNT] = {
    LOUPE_ROOT_GIVEN, LOUPE_ROOT_GLOBAL, LOUPE_ROOT_THREAD_LOCAL, LOUPE_ROOT_KERNEL,
    LOUPE_ROOT_POOL,  LOUPE_ROOT_STACK,  LOUPE_ROOT_REGISTER};

const char *loupe_root_kind_name(enum loupe_root_kind kind) {
    switch (kind) {
    case LOUPE_ROOT_GIVEN:
        return "given";
    case LOUPE_ROOT_GLOBAL:
        return "data";
    case LOUPE_ROOT_THREAD_LOCAL:
        return "thread-local";
    case LOUPE_ROOT_KERNEL:
        return "kernel";
    case LOUPE_ROOT_POOL:
        return "autorelease-pool";
    case LOUPE_ROOT_STACK:
        return "stack";
    case LOUPE_ROOT_REGISTER:
        return "register";
    case LOUPE_ROOT_STICKY_CLASS:
        return "class";
    default:
        return "memory";
    }
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
