/*
 * capture_shape.h - captures as a walk wants them: the owned words of a block or byref.
 */
#ifndef LOUPE_CAPTURE_SHAPE_H
#define LOUPE_CAPTURE_SHAPE_H

#include "blocks/captures.h"
#include "edges/edges.h"

/* Captures of blocks, or what byrefs hold. */
struct loupe_capture_shapes {
    struct loupe_map *by_key;       /* to the number of the shape in the walk */
    enum loupe_edge_kind kind;      /* of the references */
    enum loupe_finding undescribed; /* for bytes that nothing describes */
    bool is_lent;                   /* of a noescape block: its callers own all that it captures */
    uint32_t whole; /* 0, or where a variable starts of which only the host may know the type */
};

/* Keeps the shape under a key and returns it. Fails only with LOUPE_ENOMEM. */
enum loupe_status loupe_capture_shape_keep(struct loupe_walk *walk,
                                           const struct loupe_capture_shapes *shapes, uint64_t key,
                                           const struct loupe_captures *captures,
                                           const struct loupe_shape **ret);

/* The shape that was kept under a key, or NULL. */
const struct loupe_shape *loupe_capture_shape_find(const struct loupe_walk *walk,
                                                   const struct loupe_map *shapes, uint64_t key);

/* The shape of the block at an address (edges_block.c). As loupe_block_read() fails. */
enum loupe_status loupe_block_shape(struct loupe_walk *walk, loupe_addr address,
                                    const struct loupe_shape **ret);

/* The shape of the byref that is expanded, if it has one (edges_byref.c); else NULL. */
const struct loupe_shape *loupe_byref_shape(struct loupe_walk *walk, loupe_addr address);

/*
 * The name of a capture. Variables have names in debug info only, so it is the offset ("+0x20"); a
 * front end that reads debug info may put the name in its place.
 */
void loupe_capture_label(loupe_addr from, const struct loupe_edge *edge,
                         struct loupe_edge_label *ret);

#endif
