/*
 * heap_picture.h - a whole snapshot as a picture: its classes, what keeps most of it alive, and a
 * path from a root to each object that is shown.
 *
 * A heap has millions of objects and a page has room for some thousands, so the tree of dominators
 * is folded by size: from the roots down the largest are opened first, and of what an object keeps
 * alive the largest are shown as they are and the rest by class. Every byte that is alive is in the
 * tree, in an object or in a fold.
 */
#ifndef LOUPE_PICTURES_HEAP_PICTURE_H
#define LOUPE_PICTURES_HEAP_PICTURE_H

#include "analysis/dominators/histogram.h"
#include "analysis/shortest.h"
#include "base/json.h"
#include "pictures/picture.h"
#include "snapshot/snapshot.h"

/* What is known of the heap. All of it stays its owner's. */
struct heap_picture_source {
    const struct loupe_snapshot *snapshot;
    const struct loupe_columns *columns; /* the snapshot's, perhaps with other kinds of links */
    const struct loupe_link_policy *policy;
    const struct loupe_dominators *dominators;
    const struct loupe_shortest *shortest;
    const struct loupe_chunk_ops *chunks; /* of what is given back at once */
    /* What memory without a class is called, cut to cap bytes with its NUL; its length, 0: it has
     * no name. NULL: nobody knows any. */
    size_t (*memory_name)(void *ctx, uint32_t node, char *dst, size_t cap);
    void *ctx;
};

/* A rectangle of the map: an object, or what is folded. */
struct heap_tile {
    uint32_t parent;       /* tile; the first one, of all roots, has PICTURE_NONE */
    uint32_t node;         /* or LOUPE_NO_NODE: folded, or all roots */
    uint32_t class_number; /* or LOUPE_NONE: of several classes, or all roots */
    uint32_t folded;       /* objects that it stands for; 0: it is one */
    uint32_t step;         /* where its path ends, or PICTURE_NONE: there is no room for it */
    uint64_t retained, objects;
    uint64_t others; /* of these, non-objects */
};

/* An object on a path. */
struct heap_step {
    uint32_t node;
    uint32_t before; /* step, or PICTURE_NONE: a root holds it */
    uint32_t root;   /* index in the snapshot where that is so */
};

struct heap_picture {
    const struct heap_picture_source *source;
    struct loupe_class_total *totals; /* by class */
    uint32_t *classes;                /* those that have objects, most retained first */
    uint32_t class_count;
    struct heap_tile *tiles;
    uint32_t tile_count;
    struct heap_step *steps;
    uint32_t step_count;
    uint32_t without_path; /* tiles of one object whose path had no room */
};

/* All in the arena; source must stay. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status heap_picture_make(const struct heap_picture_source *source,
                                    struct loupe_arena *arena, struct heap_picture *ret);

/* ---- heap_data.c ---- */

/* The member `heap` of a page's data. */
enum loupe_status heap_picture_write(const struct heap_picture *heap, struct loupe_arena *arena,
                                     struct loupe_json *json);

#endif
