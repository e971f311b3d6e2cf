/*
 * drawn_allocators.h - heaps of allocators that the machine of the test does not have, as their
 * sources lay them out: glibc's of several releases, musl's, zones of Apple's.
 *
 * One at a time, on a heap that was just made; its process is drawn, too.
 */
#ifndef LOUPE_TESTS_DRAWN_ALLOCATORS_H
#define LOUPE_TESTS_DRAWN_ALLOCATORS_H

#include "drawn_process.h"

enum { DRAWN_MAX_BLOCKS = 4096 };

struct drawn_allocators {
    struct drawn_heap *heap;
    loupe_addr starts[DRAWN_MAX_BLOCKS]; /* of the blocks that are in use, in any order */
    uint64_t sizes[DRAWN_MAX_BLOCKS];
    unsigned count;
};

/* What a release of glibc has: "2.31", "2.35", "2.42", "2.43". */
void drawn_glibc(struct drawn_allocators *drawn, struct drawn_heap *heap, const char *release);

/* musl's since 1.2.1, and where it draws what. */
void drawn_musl(struct drawn_allocators *drawn, struct drawn_heap *heap);
enum { DRAWN_MUSL_SLOTS_SIZE = 0x1000 };
extern const loupe_addr drawn_musl_state, drawn_musl_pages, drawn_musl_slots;

/* libmalloc's list of zones with one zone each. */
void drawn_scalable_zone(struct drawn_allocators *drawn, struct drawn_heap *heap);
extern const loupe_addr drawn_medium_rack; /* its, which machines with little memory leave zero */
extern const loupe_addr drawn_zone;        /* the zone of each drawing of one */
void drawn_nano_zone(struct drawn_allocators *drawn, struct drawn_heap *heap);
void drawn_xzone_zone(struct drawn_allocators *drawn, struct drawn_heap *heap);
/* To that: two huge blocks that were given back, whose words lead to a block of the zone, with the
 * numbers 5 and 6 in a ring of the system, as one release has it. */
enum drawn_ring { DRAWN_RING_OF_26, DRAWN_RING_BETWEEN, DRAWN_RING_OF_15, DRAWN_RINGS };
void drawn_xzone_kept(struct drawn_heap *heap, enum drawn_ring release);
extern const loupe_addr drawn_kept_blocks[2], drawn_kept_segments[2], drawn_kept_group,
    drawn_kept_ring;
/* All below this number were taken away by the system. */
void drawn_xzone_take_away(struct drawn_heap *heap, enum drawn_ring release, uint64_t number);
/* One whose tables nobody knows. */
void drawn_unknown_zone(struct drawn_allocators *drawn, struct drawn_heap *heap);

#endif
