/*
 * show_walk.h - what a walk over a drawn heap finds, as text that a test can compare:
 *
 *     Owner -- _handler --> __NSMallocBlock__ (ivar)
 *     __NSMallocBlock__ -- +0x20 --> Owner (capture)
 *     ! 1 strong references without a valid object
 *
 * One line per edge, in the order of the graph, then one per finding.
 */
#ifndef LOUPE_TESTS_SHOW_WALK_H
#define LOUPE_TESTS_SHOW_WALK_H

#include "objects/drawn_objects.h"

/* The walk from an object. "error: ..." where it fails. The text is the caller's to free(). */
char *show_walk(struct drawn_world *world, loupe_addr seed);

/* CHECKs that the walk shows `want`. */
bool check_walk(struct drawn_world *world, loupe_addr seed, const char *want, const char *file,
                int line);
#define CHECK_WALK(world, seed, want) check_walk((world), (seed), (want), __FILE__, __LINE__)

#endif
