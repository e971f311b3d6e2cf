/*
 * native_cycles.h - retain cycles of an Objective-C heap: all of them, or what one object leads to.
 */
#ifndef LOUPE_CLI_NATIVE_CYCLES_H
#define LOUPE_CLI_NATIVE_CYCLES_H

#include "heaps/heap_gates.h"
#include "heap_questions/cycles/heap_cycles.h"

struct native_cycles {
    const struct heap_query *query;
    struct heap_gates gates;
    struct loupe_heap_cycles heap;
};

/* All cycles of the heap, as the options and the gates have them, which must outlive it. */
struct loupe_heap_cycles_asked heap_cycles_asked(const struct heap_query *query,
                                                 const struct heap_gates *gates);

/* object: whose knots are asked for, or LOUPE_NO_NODE. The exit status; to be given to
 * native_cycles_deinit() either way. Must not move. */
int native_cycles_find(struct native_cycles *found, const struct heap_query *query,
                       uint32_t object);
void native_cycles_deinit(struct native_cycles *found);

/* The whole answer of `loupe cycles`. */
int native_cycles_answer(const struct heap_query *query, uint32_t object);

#endif
