/*
 * heap_shapes.h - large heaps as plain arrays, to be walked like a target.
 *
 * Objects lie at addresses in no particular order, as after a while of allocating and freeing.
 */
#ifndef LOUPE_BENCH_HEAP_SHAPES_H
#define LOUPE_BENCH_HEAP_SHAPES_H

#include "graph/describer.h"

struct heap_reference {
    uint32_t to;  /* object */
    uint8_t path; /* number of the name */
    uint8_t kind; /* enum loupe_edge_kind */
};

struct heap {
    uint32_t objects;
    uint32_t *first; /* references of an object: from first[i] to before first[i + 1] */
    struct heap_reference *references;
    uint32_t *place;     /* of an object in memory */
    uint32_t *object_at; /* and back */
};

enum heap_shape {
    HEAP_MIXED,   /* an ownership tree, shared objects, and the rings of a real program */
    HEAP_PARENTS, /* a tree in which every object holds its parent: one knot, all in rings of two */
    HEAP_RANDOM,  /* references from anywhere to anywhere: one knot of most objects */
    HEAP_SHAPE_COUNT
};

const char *heap_shape_name(enum heap_shape shape);

/* Three references an object on average (two in HEAP_PARENTS). Ends the program without memory. */
void heap_make(struct heap *heap, enum heap_shape shape, uint32_t objects);
void heap_free(struct heap *heap);

loupe_addr heap_address(const struct heap *heap, uint32_t object);
uint32_t heap_object(const struct heap *heap, loupe_addr address);

/* ctx of both is the heap. */
struct loupe_expander heap_expander(struct heap *heap);
struct loupe_describer heap_describer(struct heap *heap);

/* The tag of an object's node. */
uint32_t heap_tag(uint32_t object);

#endif
