/*
 * naive.h - one read for each word: what reading a process from outside costs a tool that does not
 * think about it. It knows the objects of nodes.h by heart, so that reading is all it has to do.
 */
#ifndef LOUPE_BENCH_NAIVE_H
#define LOUPE_BENCH_NAIVE_H

#include "shape.h"

/* A word of the program that is walked; 0 where it cannot be read. */
struct naive_reader {
    uint64_t (*read_word)(void *ctx, uint64_t address);
    void *ctx;
};

/* By process_vm_readv(), for the program that walks itself. */
extern const struct naive_reader naive_own_memory;

/* Milliseconds of one walk that ends after `limit` objects. seed is the first of the nodes. */
double naive_walk(const struct naive_reader *reader, uint64_t seed, size_t limit,
                  size_t *objects_ret);

#endif
