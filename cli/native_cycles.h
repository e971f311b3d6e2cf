/*
 * native_cycles.h - retain cycles of an Objective-C heap: all of them, or what one object leads to.
 */
#ifndef LOUPE_CLI_NATIVE_CYCLES_H
#define LOUPE_CLI_NATIVE_CYCLES_H

#include "heap_gates.h"
#include "leaks/heap_graph.h"
#include "cycles/cycles.h"

struct native_cycles {
    const struct heap_query *query;
    struct heap_gates gates;
    struct loupe_arena arena;
    struct loupe_heap_graph graph;
    struct loupe_describer describer;
    struct loupe_cycles_options options;
    struct loupe_cycles cycles;
    bool has_graph;
};

/* object: whose knots are asked for, or LOUPE_NO_NODE. The exit status; to be given to
 * native_cycles_deinit() either way. Must not move. */
int native_cycles_find(struct native_cycles *found, const struct heap_query *query,
                       uint32_t object);
void native_cycles_deinit(struct native_cycles *found);

/* The whole answer of `loupe cycles`. */
int native_cycles_answer(const struct heap_query *query, uint32_t object);

#endif
