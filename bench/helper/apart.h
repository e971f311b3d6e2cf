/*
 * apart.h - a heap in a process of its own: one that was built where others had been freed would
 * lie scattered.
 */
#ifndef LOUPE_BENCH_APART_H
#define LOUPE_BENCH_APART_H

#include "shape.h"

/* Returns 0, or 1 when the process failed, which says why itself. */
int run_apart(void (*run)(struct shape shape), struct shape shape);

#endif
