/*
 * heap_snapshot.h - the builder of Objective-C snapshots (snapshot/snapshot.h, native.h): all
 * blocks that allocators gave out, what stands in them, the references between them, and what keeps
 * them alive.
 *
 * A block is an object where the runtime would have put one: at the distance from its start that
 * objects of the process have, with an isa that leads to a class whose instances fit. Blocks of the
 * language, the storage of __block variables, classes made at run time and pages of autoreleased
 * objects are recognised; what a collection keeps for itself is named after it. The rest is raw
 * memory.
 *
 * Links are what the edge sources find (edges/edges.h), and every other word that leads into a
 * block; of one with an object, to that or into it. A slot that something describes is never taken
 * for such a word, also where it stands in another block than its owner: what a weak slot leads to
 * is not held by it.
 *
 * Memory is read in the order of addresses, some three times.
 *
 * Not told apart from raw memory yet: tables of dispatch and caches of methods that a runtime
 * keeps, objects of CoreFoundation whose first word leads to no class, objects of libdispatch.
 */
#ifndef LOUPE_HEAP_SNAPSHOT_H
#define LOUPE_HEAP_SNAPSHOT_H

#include "edges/edges.h"
#include "heap/allocators/blocks.h"
#include "scene/scene.h"
#include "snapshot/native.h"

struct loupe_heap_options {
    enum loupe_heap_origin origin;
    bool others_run;     /* other threads of it may run meanwhile */
    uint64_t process;    /* its number; 0: not known */
    uint64_t time;       /* milliseconds since 1970; 0: not known */
    const char *program; /* path of the executable; NULL: not known */
};

/*
 * Makes a snapshot. The walk is new, and knows the facts of the host; what it could not follow is
 * in the findings of its target, and in the snapshot's notes. The scene was taken of a request
 * that names no roots. The blocks are taken over: they are empty afterwards, whatever happens.
 *
 * LOUPE_ENOMEM, LOUPE_ETIMEOUT, LOUPE_ELIMIT: there is no snapshot. Half of one would call leaks
 * what is held by the other half.
 */
enum loupe_status loupe_heap_snapshot_make(struct loupe_walk *walk, const struct loupe_scene *scene,
                                           struct loupe_blocks *blocks,
                                           const struct loupe_heap_options *options,
                                           struct loupe_snapshot *ret);

#endif
