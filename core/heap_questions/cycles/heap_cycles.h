/*
 * heap_cycles.h - retain cycles of an Objective-C heap: all of them, or what one object leads to.
 */
#ifndef LOUPE_HEAP_CYCLES_H
#define LOUPE_HEAP_CYCLES_H

#include "cycles/cycles.h"
#include "leaks/heap_graph.h"

/* What is asked of a snapshot. */
struct loupe_heap_cycles_asked {
    const struct loupe_snapshot *snapshot;
    uint32_t object; /* whose knots are asked for, or LOUPE_NO_NODE */
    uint64_t rings;  /* of each knot, at most; 0: as many as are shown without a question */
    bool compares;   /* with what is known already: all rings of a knot have fingerprints */
    const struct loupe_filter *filters;
    uint32_t filter_count;
};

struct loupe_heap_cycles {
    struct loupe_arena arena; /* of what is found */
    struct loupe_heap_graph graph;
    struct loupe_describer describer;
    struct loupe_cycles_options options;
    struct loupe_cycles cycles;
    bool has_graph;
};

/* LOUPE_ENOMEM, LOUPE_ETIMEOUT. To be given to loupe_heap_cycles_deinit() either way. Must not
 * move; what is asked must outlive it. */
enum loupe_status loupe_heap_cycles_find(struct loupe_heap_cycles *found,
                                         const struct loupe_heap_cycles_asked *asked,
                                         const struct loupe_chunk_ops *chunks);
void loupe_heap_cycles_deinit(struct loupe_heap_cycles *found);

/* The knot that the object asked about is in, of what it leads to, or NULL. */
const struct loupe_knot_facts *loupe_heap_cycles_own(const struct loupe_heap_cycles *found);

#endif
