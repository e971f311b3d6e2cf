/*
 * ways.h - ways to get a block, each a function of its own whose name the dynamic linker knows, so
 * that a stack tells which one it was.
 */
#ifndef LOUPE_TESTS_WAYS_H
#define LOUPE_TESTS_WAYS_H

#include <stddef.h>

typedef void *way_fn(size_t size);

enum { CHEAP_WAYS = 12, WAY_COUNT = 15 };

/* Those behind the cheap ones take pages. */
extern way_fn *const ways[WAY_COUNT];
way_fn way_malloc, way_calloc;

#endif
