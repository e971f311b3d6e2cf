/*
 * show_stack.h - who allocated something, as people read it (docs/recording.md).
 */
#ifndef LOUPE_CLI_SHOW_STACK_H
#define LOUPE_CLI_SHOW_STACK_H

#include "native_words.h"
#include "snapshot/recorded_stacks.h"

/* "at PhotoCell.m:42 in -[PhotoCell load]", "in g_malloc of libglib.so", "not recorded". */
struct words words_of_stack(const struct loupe_snapshot *snapshot, uint32_t stack);

/* A line with the stack of a node, behind a margin; nothing where there was no recorder. */
void show_allocation(const struct loupe_snapshot *snapshot, uint32_t node, const char *margin);

/* Lines with those of all nodes that a ring leads through; nothing where there was no recorder. */
void show_allocations_of_ring(const struct loupe_heap_graph *graph, const struct loupe_ring *ring);

/* Below an answer: what the recorder left out, a line each. */
void show_recorder(const struct loupe_snapshot *snapshot);

#endif
