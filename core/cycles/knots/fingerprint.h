/*
 * fingerprint.h - what identifies a reference, a ring and a knot from run to run.
 *
 * Fingerprints are 64-bit FNV-1a hashes over class names, kinds of reference and paths. They know
 * nothing of addresses, node ids, the order of ivars or the number of the element in a collection
 * (which may follow from addresses): the same bug keeps its fingerprint.
 *
 *  - of an edge: source class, kind, path (not for elements, keys and values), target class
 *  - of a ring: its edges in order, from the start that gives the least sequence
 *  - of a knot: the set of different edges inside it, so that a list of 100 nodes that hold each
 *    other and one of 101 are the same knot
 *  - of rings and knots with blocks, the names of their functions as well, or where in their image
 *    these stand: blocks that were written in two places are two bugs
 */
#ifndef LOUPE_FINGERPRINT_H
#define LOUPE_FINGERPRINT_H

#include "base/map.h"
#include "graph/describer.h"
#include "cycles/knots/knots.h"

enum { LOUPE_FINGERPRINT_TEXT = 17 }; /* 16 hex digits and a NUL */

uint64_t loupe_fingerprint_edge(const struct loupe_graph *graph,
                                const struct loupe_describer *describer, uint32_t from,
                                uint32_t edge);

/* The start of the least rotation of count > 0 numbers. */
uint32_t loupe_least_rotation(const uint64_t *numbers, uint32_t count);

/* Of a ring whose edges have these fingerprints, in order. */
uint64_t loupe_fingerprint_ring(const uint64_t *edges, uint32_t count);

/*
 * Names one knot after the other. Ivars of one class that are in one place have one path, so that
 * this is asked for once for all knots. It forgets where it knows many.
 */
struct loupe_knot_namer {
    const struct loupe_knots *knots;
    const struct loupe_describer *describer;
    struct loupe_map slots;    /* of edges: which of `edges` they are */
    struct loupe_map by_name;  /* the same by fingerprint */
    struct loupe_vector edges; /* of struct loupe_named_edge */
};

/* Gets no memory. */
void loupe_knot_namer_init(struct loupe_knot_namer *namer, const struct loupe_knots *knots,
                           const struct loupe_describer *describer);
void loupe_knot_namer_deinit(struct loupe_knot_namer *namer);

/* LOUPE_ENOMEM leaves *ret unset. */
enum loupe_status loupe_fingerprint_knot(struct loupe_knot_namer *namer,
                                         const struct loupe_knot *knot, uint64_t *ret);
/* loupe_fingerprint_edge(), sooner where the knot was named before. */
uint64_t loupe_knot_namer_edge(const struct loupe_knot_namer *namer, uint32_t from, uint32_t edge);

/*
 * The functions of blocks, each of them once, for the fingerprint of what the blocks are in. add()
 * ignores nodes that are no blocks; LOUPE_ENOMEM ends it for good.
 */
struct loupe_block_functions {
    const struct loupe_graph *graph;
    const struct loupe_describer *describer;
    struct loupe_map seen; /* by their ids */
    uint64_t sum;          /* a set has no order */
};
void loupe_block_functions_init(struct loupe_block_functions *functions,
                                const struct loupe_graph *graph,
                                const struct loupe_describer *describer,
                                const struct loupe_chunk_ops *chunks);
enum loupe_status loupe_block_functions_add(struct loupe_block_functions *functions, uint32_t node);
/* The fingerprint with those that were added; with none of them as it was. */
uint64_t loupe_block_functions_hash(const struct loupe_block_functions *functions,
                                    uint64_t fingerprint);
void loupe_block_functions_deinit(struct loupe_block_functions *functions);

/* 16 lower-case hex digits. dst has room for LOUPE_FINGERPRINT_TEXT bytes. */
void loupe_fingerprint_text(uint64_t fingerprint, char *dst);

#endif
