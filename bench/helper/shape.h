/*
 * shape.h - the heap that all contestants walk, as a picture: numbers and references by number.
 *
 * count nodes. Each refers to the next one and to some other; every 8th owns a block that captured
 * two nodes, every 16th block a __block variable that holds a node. With cycles the others are
 * anywhere; without, only further on, and the block's captures too. In tens, the other of a node is
 * the first one of its ten: so many knots.
 */
#ifndef LOUPE_BENCH_SHAPE_H
#define LOUPE_BENCH_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shape {
    uint32_t count;
    bool has_cycles;
    bool in_tens;
};

static inline uint32_t shape_random(uint32_t seed) {
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> 32);
}

/* A node that node i refers to; there are several by `which`. The last one refers to nothing. */
static inline uint32_t shape_other(const struct shape *shape, uint32_t i, uint32_t which) {
    uint32_t random = shape_random(i * 4 + which);
    if (shape->in_tens && which == 0)
        return i - i % 10;
    return shape->has_cycles ? random % shape->count : i + 1 + random % (shape->count - 1 - i);
}

static inline bool shape_is_last(const struct shape *shape, uint32_t i) {
    return i + 1 == shape->count;
}

static inline bool shape_has_block(uint32_t i) {
    return i % 8 == 0;
}

static inline bool shape_has_variable(uint32_t i) {
    return i % 16 == 0;
}

/* Nodes, blocks and variables. */
static inline size_t shape_objects(const struct shape *shape) {
    uint32_t inner = shape->count - 1; /* the last one has neither */
    return shape->count + (inner + 7) / 8 + (inner + 15) / 16;
}

/* CPU time of this thread: what else a shared machine does is not counted. */
double bench_milliseconds(void);

#endif
