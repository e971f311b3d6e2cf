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

/* Why a node is alive by itself. Files of snapshots have these numbers. */
enum loupe_root_kind {
    LOUPE_ROOT_UNKNOWN, /* up to the next comment only dumps of Java have them */
    LOUPE_ROOT_JNI_GLOBAL,
    LOUPE_ROOT_JNI_LOCAL,
    LOUPE_ROOT_JAVA_FRAME, /* a local variable or a parameter */
    LOUPE_ROOT_NATIVE_STACK,
    LOUPE_ROOT_STICKY_CLASS, /* a class that is never unloaded; so are those of native programs */
    LOUPE_ROOT_THREAD_BLOCK, /* what a thread was started with */
    LOUPE_ROOT_MONITOR,      /* locked, or waited for */
    LOUPE_ROOT_THREAD,       /* a thread that runs */
    LOUPE_ROOT_INTERNED_STRING,
    LOUPE_ROOT_FINALIZING,
    LOUPE_ROOT_DEBUGGER,
    LOUPE_ROOT_REFERENCE_CLEANUP,
    LOUPE_ROOT_VM_INTERNAL,
    LOUPE_ROOT_JNI_MONITOR,
    LOUPE_ROOT_CLASS_FOR_WANT, /* a class, where the dump names no roots at all */
    LOUPE_ROOT_GLOBAL,         /* from here on of native programs: a word of an image's data */
    LOUPE_ROOT_THREAD_LOCAL,   /* a variable that a thread has of its own, a value by key */
    LOUPE_ROOT_POOL,           /* an entry of an autorelease pool, which owns what it leads to */
    LOUPE_ROOT_STACK,
    LOUPE_ROOT_REGISTER,
    LOUPE_ROOT_OTHER_MEMORY, /* memory of no known owner, that no allocator gave out */
    LOUPE_ROOT_GIVEN,        /* named by a person */
    LOUPE_ROOT_KERNEL,       /* a word that the kernel keeps, as the data of an epoll */
    LOUPE_ROOT_KIND_COUNT
};

/* Those that a request can name, and that answers count words of, in their order. */
enum { LOUPE_ROOT_PLACE_COUNT = 7 };
extern const enum loupe_root_kind loupe_root_places[LOUPE_ROOT_PLACE_COUNT];

/* As requests and answers call those of native programs: "given", "data", "thread-local", "kernel",
 * "autorelease-pool", "stack", "register", "class"; others are "memory". Static storage. */
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
