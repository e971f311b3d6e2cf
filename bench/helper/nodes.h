/*
 * nodes.h - the heap of shape.h as objects of a program, by their addresses.
 */
#ifndef LOUPE_BENCH_NODES_H
#define LOUPE_BENCH_NODES_H

#include "shape.h"

/* The first node, which is the caller's to keep. */
void *nodes_build(const struct shape *shape);

/* Releases iteratively what was built: a chain would be released recursively. */
void nodes_take_apart(void *first);

#endif
