/*
 * paths_from_roots.h - roots, and the paths from them that are shown: some of those that
 * analysis/shortest.h finds.
 *
 * A root is what keeps objects alive without being one: a global variable, a word on a stack, a
 * register, whatever a person names. Better kinds of roots come first: a path from a given root is
 * preferred to one from a global variable, and that to one from a stack, however long they are.
 */
#ifndef LOUPE_PATHS_FROM_ROOTS_H
#define LOUPE_PATHS_FROM_ROOTS_H

#include "analysis/shortest.h"
#include "graph/graph.h"

enum loupe_root_kind {
    LOUPE_ROOT_GIVEN, /* by a person */
    LOUPE_ROOT_DATA,  /* a word of a module's data: a global or static variable */
    LOUPE_ROOT_THREAD_LOCAL,
    LOUPE_ROOT_KERNEL, /* a word that the kernel keeps, as the data of an epoll */
    LOUPE_ROOT_POOL,   /* an entry of an autorelease pool, which owns what it leads to */
    LOUPE_ROOT_STACK,
    LOUPE_ROOT_REGISTER,
    /* The two below are met where a whole heap was looked at, and no request names them. */
    LOUPE_ROOT_CLASS,  /* a class, which lives as long as the program */
    LOUPE_ROOT_MEMORY, /* a word of memory that can be written, and is known to be nobody's */
    LOUPE_ROOT_KIND_COUNT,
    LOUPE_ROOT_PLACE_COUNT = LOUPE_ROOT_CLASS
};

/* "given", "data", "thread-local", "kernel", "autorelease-pool", "stack", "register", "class",
 * "memory". Static storage. */
const char *loupe_root_kind_name(enum loupe_root_kind kind);
/* Data of modules, of threads and of the kernel are equally good, so are stacks and registers. */
enum loupe_path_level loupe_root_level(enum loupe_root_kind kind);

struct loupe_root {
    loupe_addr slot; /* the word that leads to the node; 0: it is not in memory */
    uint32_t node;
    uint32_t number; /* of what the person or front end named, from 0 */
    enum loupe_root_kind kind;
    uint32_t retains; /* that are known to be owned by it */
};

#define LOUPE_NO_ROOT UINT32_MAX

/* The path to one node, from its end. */
struct loupe_root_path {
    uint32_t root; /* index of where it begins; LOUPE_NO_ROOT: there is no path */
    uint32_t length;
    uint32_t edge, from; /* the last edge and its source, where length > 0 */
};

struct loupe_paths_from_roots {
    const struct loupe_chunk_ops *chunks;
    struct loupe_root_path *to; /* by node */
    uint32_t capacity;
};

/* None yet. 16 bytes a node until loupe_paths_from_roots_deinit(). LOUPE_ENOMEM: there is nothing
 * to deinit. */
enum loupe_status loupe_paths_from_roots_init(struct loupe_paths_from_roots *paths, uint32_t nodes,
                                              const struct loupe_chunk_ops *chunks);
void loupe_paths_from_roots_deinit(struct loupe_paths_from_roots *paths);

#endif
