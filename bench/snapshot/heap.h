/*
 * heap.h - the heap that the benches of snapshots look at: objects and raw memory in turn, half of
 * each. An object refers to another one and to some raw memory, raw memory to both.
 */
#ifndef LOUPE_BENCH_SNAPSHOT_HEAP_H
#define LOUPE_BENCH_SNAPSHOT_HEAP_H

#include <stdint.h>

/* What leads to all of it: an array of pointers to objects, by number. */
void *heap_build(uint32_t blocks);

#endif
