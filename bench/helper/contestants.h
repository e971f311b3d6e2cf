/*
 * contestants.h - who walks the heap. All give milliseconds, the best of several runs.
 */
#ifndef LOUPE_BENCH_CONTESTANTS_H
#define LOUPE_BENCH_CONTESTANTS_H

#include "naive.h"
#include "shape.h"

/* Boehm's collector: one full mark of the same shape, by one thread. */
void collector_init(void);
double collector_mark(const struct shape *shape);

/* Loupe in this process, in parts and as a whole. */
struct walk_times {
    double setup;   /* regions, runtime, seed */
    double walk;    /* the graph */
    double cycles;  /* knots, rings, verdicts, fixes */
    double whole;   /* loupe_retain_cycles(), with its JSON */
    double count;   /* loupe_count_cycles(); with the usual limit, which no heap reaches */
    size_t objects; /* in the graph */
};
struct walk_times loupe_walks(const void *seed, size_t limit);

#endif
