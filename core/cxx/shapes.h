/*
 * shapes.h - memory of the C++ libraries that has no class of its own, by what stands beside a word
 * that leads to it, or in it: storage of vectors, texts, nodes, buckets; libstdc++ and libc++.
 *
 * A shape is no type: memory of C may look the same, and is called so then. Whoever says it says
 * "by its shape". Every word is the target's, and hostile: each look reads a few words.
 */
#ifndef LOUPE_CXX_SHAPES_H
#define LOUPE_CXX_SHAPES_H

#include "cxx/vtable.h"

enum loupe_cxx_shape {
    LOUPE_CXX_NO_SHAPE,
    LOUPE_CXX_VECTOR, /* {begin, end, end of its room} leads to it */
    LOUPE_CXX_TEXT,   /* of a string: {text, length, room}, {room, length, text} */
    LOUPE_CXX_BUCKETS,
    LOUPE_CXX_HASH_NODE,
    LOUPE_CXX_DEQUE_MAP, /* the list of a deque's blocks */
    LOUPE_CXX_DEQUE_BLOCK,
    LOUPE_CXX_LIST_NODE,
    LOUPE_CXX_TREE_NODE,
    LOUPE_CXX_SHAPE_COUNT
};

/* "vector storage (by its shape)", ... Static storage; NULL for none. */
const char *loupe_cxx_shape_name(enum loupe_cxx_shape shape);

/* What an allocator gave out. */
struct loupe_cxx_memory {
    loupe_addr start;
    uint64_t size;
};

/* What else its header says of a shape. */
struct loupe_cxx_extent {
    loupe_addr first; /* of a hash: its first node; of a deque: the word that leads to its first
                         block */
    loupe_addr end;   /* of a vector: behind its last element; of a deque: behind the last word */
    uint64_t count;   /* of a hash: nodes */
};

/* By the words beside the one at `place`, which leads to the start of the memory. */
enum loupe_cxx_shape loupe_cxx_shape_at(struct loupe_target *target, loupe_addr place,
                                        struct loupe_cxx_memory memory,
                                        struct loupe_cxx_extent *ret);

/* By what stands in it, and leads to what leads back: nodes of lists and trees. */
enum loupe_cxx_shape loupe_cxx_shape_in(struct loupe_target *target,
                                        struct loupe_cxx_memory memory);

/*
 * An exception that was thrown stands behind what the library keeps for it. True: the memory is
 * one, of the class *ret, and the object begins *offset_ret bytes into it.
 */
bool loupe_cxx_exception_at(struct loupe_target *target, struct loupe_typeinfo_kinds *kinds,
                            struct loupe_cxx_memory memory, struct loupe_typeinfo *ret,
                            uint32_t *offset_ret);

/*
 * The function that a coroutine's frame, which begins with the ones that resume and destroy it,
 * was made by: by the symbol of the first. False: it is none that a symbol tells.
 */
bool loupe_cxx_coroutine_of(struct loupe_target *target, loupe_addr resume, char *dst, size_t cap);

#endif
