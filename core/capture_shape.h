/*
 * capture_shape.h - captures as a walk wants them: the owned words of a block or byref.
 */
#ifndef LOUPE_CAPTURE_SHAPE_H
#define LOUPE_CAPTURE_SHAPE_H

#include "captures.h"
#include "edges.h"

/*
 * Keeps the shape under a key and returns it; the detail of a slot is its enum loupe_capture_kind.
 * unknown: the finding for bytes that nothing describes. Fails only with LOUPE_ENOMEM.
 */
enum loupe_status loupe_capture_shape_keep(struct loupe_walk *walk, struct loupe_map *shapes,
                                           uint64_t key, const struct loupe_captures *captures,
                                           enum loupe_finding unknown,
                                           const struct loupe_shape **ret);

/* The shape that was kept under a key, or NULL. */
const struct loupe_shape *loupe_capture_shape_find(const struct loupe_walk *walk,
                                                   const struct loupe_map *shapes, uint64_t key);

/*
 * Adds the edge of an owned capture: for a byref to the storage of its variable, where that lives
 * now, for others to the object.
 */
enum loupe_status loupe_capture_add(struct loupe_walk *walk, struct loupe_reference *reference,
                                    enum loupe_capture_kind kind);

/*
 * The name of a capture. Variables have names in debug info only, so it is the offset ("+0x20"); a
 * front end that reads debug info may put the name in its place.
 */
void loupe_capture_label(loupe_addr from, const struct loupe_edge *edge,
                         struct loupe_edge_label *ret);

#endif
