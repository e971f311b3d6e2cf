/*
 * knot_shapes.h - the knots of a heap, those alike together.
 */
#ifndef LOUPE_CLI_KNOT_SHAPES_H
#define LOUPE_CLI_KNOT_SHAPES_H

#include "analysis/heap_rings.h"
#include "heap_question.h"

/* Knots whose rings go along the same fields of the same classes are one shape. */
struct knot_shape {
    uint64_t fingerprint;
    uint32_t knot; /* the largest of them; then the first one */
    uint32_t count;
    uint64_t objects, bytes; /* of all of them */
};

struct knot_shapes {
    struct heap_question *question;
    struct loupe_heap_knots knots;
    struct loupe_heap_rings rings;
    struct loupe_marks alive;
    uint32_t *nodes;          /* room for the longest ring: see knot_shapes_ring() */
    uint64_t *hashes;         /* the same */
    struct knot_shape *items; /* the largest first */
    uint32_t count;
};

/* only: a node whose knot alone counts, or LOUPE_NO_NODE. False: no memory. To be given to
 * knot_shapes_deinit() either way. */
bool knot_shapes_find(struct knot_shapes *shapes, struct heap_question *question, uint32_t only);
void knot_shapes_deinit(struct knot_shapes *shapes);

/* Puts the nodes of a knot's ring into shapes->nodes; how many they are. */
uint32_t knot_shapes_ring(struct knot_shapes *shapes, uint32_t knot);
/* The link from the node of number i of the ring that is there to the next one. */
uint32_t knot_shapes_link(const struct knot_shapes *shapes, uint32_t length, uint32_t i);

bool knot_shapes_is_alive(const struct knot_shapes *shapes, const struct knot_shape *shape);

#endif
