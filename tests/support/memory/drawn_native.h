/*
 * drawn_native.h - a native heap drawn by a test, as a snapshot (snapshot/native.h):
 *
 *     drawn_native_init(&drawn);
 *     uint32_t person = drawn_native_class(&drawn, "Person", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
 *     uint32_t ann = drawn_native_node(&drawn, person, 32);
 *     drawn_native_link(&drawn, ann, bob, LOUPE_LINK_STRONG,
 *                       drawn_native_ivar(&drawn, "_friend", "Person"), 8);
 *     drawn_native_root(&drawn, ann, LOUPE_ROOT_GLOBAL);
 *     drawn_native_build(&drawn);
 *
 * Nodes are numbered in the order in which they are added; links can be added in any order.
 */
#ifndef LOUPE_TESTS_DRAWN_NATIVE_H
#define LOUPE_TESTS_DRAWN_NATIVE_H

#include "snapshot/native.h"

enum { DRAWN_NATIVE_NODES = 4096, DRAWN_NATIVE_LINKS = 16384, DRAWN_NATIVE_TABLE = 512 };

struct drawn_native_link {
    uint32_t from, to, label, slot;
    uint8_t kind;
};

struct drawn_native {
    struct loupe_snapshot snapshot; /* once it is built */
    struct loupe_native_heap native;
    struct drawn_native_link added[DRAWN_NATIVE_LINKS];
    uint32_t added_count;

    uint64_t addresses[DRAWN_NATIVE_NODES], next_address;
    uint32_t classes[DRAWN_NATIVE_NODES], sizes[DRAWN_NATIVE_NODES], by_address[DRAWN_NATIVE_NODES],
        retain_counts[DRAWN_NATIVE_NODES], first[DRAWN_NATIVE_NODES + 1];
    uint8_t marks[DRAWN_NATIVE_NODES];
    uint32_t to[DRAWN_NATIVE_LINKS], slots[DRAWN_NATIVE_LINKS], labels[DRAWN_NATIVE_LINKS];
    uint8_t kinds[DRAWN_NATIVE_LINKS];
    struct loupe_snapshot_class class_table[DRAWN_NATIVE_TABLE];
    uint64_t class_places[DRAWN_NATIVE_TABLE];
    uint32_t class_order[DRAWN_NATIVE_TABLE];
    struct loupe_label label_table[DRAWN_NATIVE_TABLE];
    struct loupe_snapshot_root roots[DRAWN_NATIVE_TABLE];
    struct loupe_root_place root_places[DRAWN_NATIVE_TABLE];
    uint32_t root_nodes[DRAWN_NATIVE_TABLE];
    struct loupe_snapshot_thread threads[DRAWN_NATIVE_TABLE];
    struct loupe_recorder recorder;
    uint32_t stacks[DRAWN_NATIVE_NODES];
    struct loupe_recorded_call calls[DRAWN_NATIVE_TABLE];
    struct loupe_recorded_frame frames[DRAWN_NATIVE_TABLE];
    struct loupe_snapshot_string strings[DRAWN_NATIVE_TABLE];
    char text[1 << 16];
};

void drawn_native_init(struct drawn_native *drawn);
/* A string of the snapshot; equal texts are one. */
uint32_t drawn_native_string(struct drawn_native *drawn, const char *text);
uint32_t drawn_native_class(struct drawn_native *drawn, const char *name,
                            enum loupe_class_kind kind, uint32_t superclass);
/* A retain count of 1. */
uint32_t drawn_native_node(struct drawn_native *drawn, uint32_t class_number, uint32_t size);
uint32_t drawn_native_label(struct drawn_native *drawn, struct loupe_label label);
/* The label of an ivar. declared_by may be NULL. */
uint32_t drawn_native_ivar(struct drawn_native *drawn, const char *name, const char *declared_by);
/* label LOUPE_NONE: a word that nothing describes. */
void drawn_native_link(struct drawn_native *drawn, uint32_t from, uint32_t to,
                       enum loupe_link_kind kind, uint32_t label, uint32_t slot);
uint32_t drawn_native_root(struct drawn_native *drawn, uint32_t node, enum loupe_root_kind kind);
uint32_t drawn_native_thread(struct drawn_native *drawn, const char *name);
/* A function of the program's that called, or of a library of the system's; who called it, or
 * LOUPE_NONE. Its number is that of a stack, to be put into drawn->stacks; from the first one on
 * there is a recorder. */
uint32_t drawn_native_call(struct drawn_native *drawn, const char *function, bool is_foreign,
                           uint32_t caller);
/*
 * At random: classes that inherit from each other, ivars of theirs, indexed ones, weak links, words
 * in objects and in raw memory, some roots, stacks. 2 to most_nodes nodes. Not built.
 */
void drawn_native_random(struct drawn_native *drawn, uint64_t *random, uint32_t most_nodes);
/* Fills drawn->snapshot, which needs no deinit. */
void drawn_native_build(struct drawn_native *drawn);

#endif
