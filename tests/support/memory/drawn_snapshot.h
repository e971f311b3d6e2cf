/*
 * drawn_snapshot.h - snapshots of Objective-C heaps that a test draws as text, in native.h's
 * tables.
 *
 * A picture is a list of words. Those of drawn_graph.h are references with ownership, classes and
 * retain counts; beside them there are:
 *
 *     A?>B      a word in A leads to B, and nothing describes it
 *     A.b/>B    A's ivar b leads to B and does not retain it       A.b^>B   it is weak
 *     A.untouched~>B    an assumed one of which -dealloc says nothing
 *     global>A  a root: global, tls, pool (which owns it), stack, register, memory
 *     m*24      m is raw memory of 24 bytes                        A#40     A has 40 bytes, else 16
 *     A!guessed A!dying   what is known of it
 *     s:Storage           what a collection keeps for itself
 *
 * Numbers of nodes are those of drawn_graph.h: by their first mention. So are addresses. A picture
 * that cannot be read ends the test program.
 */
#ifndef LOUPE_TESTS_DRAWN_SNAPSHOT_H
#define LOUPE_TESTS_DRAWN_SNAPSHOT_H

#include "graphs/drawn_graph.h"
#include "snapshot/native.h"

struct drawn_word {
    uint32_t from, to;
    uint8_t kind; /* enum loupe_link_kind */
};

struct drawn_snapshot {
    struct drawn_graph drawn; /* references; not built */
    struct drawn_word *words;
    struct loupe_snapshot_root *roots;
    uint32_t *sizes;
    uint8_t *marks, *raw;
    uint32_t word_count, word_capacity, root_count, root_capacity, attribute_capacity;

    /* After drawn_snapshot_build(). */
    struct loupe_snapshot snapshot;
    struct loupe_native_heap native;
    void *tables[24]; /* to be freed */
    unsigned table_count;
};

void drawn_snapshot_init(struct drawn_snapshot *drawn);
void drawn_snapshot_deinit(struct drawn_snapshot *drawn);
void drawn_snapshot_draw(struct drawn_snapshot *drawn, const char *picture);
/* Makes ->snapshot; abi as in native.h. */
void drawn_snapshot_build(struct drawn_snapshot *drawn, const char *abi);
/* Forgets what was built, for a drawing that goes on. */
void drawn_snapshot_unbuild(struct drawn_snapshot *drawn);
/* The node of a name. */
uint32_t drawn_snapshot_node(const struct drawn_snapshot *drawn, const char *name);
/* One more root of a node. */
void drawn_snapshot_root(struct drawn_snapshot *drawn, uint32_t node, enum loupe_root_kind kind);

#endif
