/*
 * knot_shapes.h - the knots of a heap, those alike together.
 */
#ifndef LOUPE_KNOT_SHAPES_H
#define LOUPE_KNOT_SHAPES_H

#include "analysis/heap_rings.h"
#include "snapshot/rules/trace.h"

/* Knots whose rings go along the same fields of the same classes are one shape. */
struct loupe_knot_shape {
    uint64_t fingerprint;
    uint32_t knot; /* the largest of them; then the first one */
    uint32_t count;
    uint64_t objects, bytes; /* of all of them */
};

struct loupe_knot_shapes {
    const struct loupe_tracer *tracer; /* whose snapshot, kinds of links and policy count */
    const struct loupe_chunk_ops *chunks;
    struct loupe_heap_knots knots;
    struct loupe_heap_rings rings;
    struct loupe_marks alive;
    uint32_t *nodes;                /* room for the longest ring: see loupe_knot_shapes_ring() */
    uint64_t *hashes;               /* the same */
    struct loupe_knot_shape *items; /* the largest first */
    uint32_t count, room;           /* room: of the longest ring */
};

/* only: a node whose knot alone counts, or LOUPE_NO_NODE. LOUPE_ENOMEM, LOUPE_ETIMEOUT. To be
 * given to loupe_knot_shapes_deinit() either way; the tracer has to last as long. */
enum loupe_status loupe_knot_shapes_find(struct loupe_knot_shapes *shapes,
                                         const struct loupe_tracer *tracer,
                                         const struct loupe_chunk_ops *chunks, uint32_t only);
void loupe_knot_shapes_deinit(struct loupe_knot_shapes *shapes);

/* Puts the nodes of a knot's ring into shapes->nodes; how many they are. */
uint32_t loupe_knot_shapes_ring(struct loupe_knot_shapes *shapes, uint32_t knot);
/* The link from the node of number i of the ring that is there to the next one. */
uint32_t loupe_knot_shapes_link(const struct loupe_knot_shapes *shapes, uint32_t length,
                                uint32_t i);

bool loupe_knot_shapes_is_alive(const struct loupe_knot_shapes *shapes,
                                const struct loupe_knot_shape *shape);

#endif
