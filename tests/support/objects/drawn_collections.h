/*
 * drawn_collections.h - collections, strings and timers of Foundation in a drawn heap, 64-bit, as
 * LLDB's formatters and CoreFoundation's sources describe them.
 *
 * The functions take a count and then as many objects (or keys and values by turns). Classes are
 * drawn on first use, manual retain/release as in the real ones.
 */
#ifndef LOUPE_TESTS_DRAWN_COLLECTIONS_H
#define LOUPE_TESTS_DRAWN_COLLECTIONS_H

#include "drawn_objects.h"

/* The class, drawn with its superclass if it is not there yet. size is that of its instances. */
struct drawn_class *drawn_framework_class(struct drawn_world *world, const char *name,
                                          const char *superclass, unsigned size);

loupe_addr drawn_array(struct drawn_world *world, unsigned count, ...);         /* __NSArrayI */
loupe_addr drawn_mutable_array(struct drawn_world *world, unsigned count, ...); /* __NSArrayM */
/* The same whose elements start at the last place but one of the buffer and wrap around. */
loupe_addr drawn_wrapped_array(struct drawn_world *world, unsigned count, ...);
loupe_addr drawn_single_array(struct drawn_world *world, loupe_addr element);
loupe_addr drawn_transfer_array(struct drawn_world *world, unsigned count, ...);
loupe_addr drawn_set_of(struct drawn_world *world, unsigned count, ...);      /* __NSSetI */
loupe_addr drawn_mutable_set(struct drawn_world *world, unsigned count, ...); /* __NSSetM */
loupe_addr drawn_dictionary(struct drawn_world *world, unsigned pairs, ...);  /* ...aryI */
loupe_addr drawn_mutable_dictionary(struct drawn_world *world, unsigned pairs, ...);
loupe_addr drawn_single_dictionary(struct drawn_world *world, loupe_addr key, loupe_addr value);

/* Literals of constants, NSConstantArray and NSConstantDictionary. */
loupe_addr drawn_constant_array(struct drawn_world *world, unsigned count, ...);
loupe_addr drawn_constant_dictionary(struct drawn_world *world, unsigned pairs, ...);

/* CFArray, immutable or as a deque. callbacks: 0 none, 1 of CFType, 3 others that retain. */
loupe_addr drawn_cf_array(struct drawn_world *world, bool deque, unsigned callbacks, unsigned count,
                          ...);
/* CFBasicHash with the indices of the retain callbacks (0: none) for keys and values. */
loupe_addr drawn_cf_dictionary(struct drawn_world *world, unsigned key_retain,
                               unsigned value_retain, unsigned pairs, ...);
loupe_addr drawn_cf_set(struct drawn_world *world, unsigned retain, unsigned count, ...);

/* A constant string. */
loupe_addr drawn_text(struct drawn_world *world, const char *text);

/* NSConcreteMapTable and NSConcreteHashTable; a side that is not strong owns nothing. */
loupe_addr drawn_map_table(struct drawn_world *world, bool strong_keys, bool strong_values,
                           unsigned pairs, ...);
loupe_addr drawn_hash_table(struct drawn_world *world, bool strong, unsigned count, ...);
/* NSConcretePointerArray; 0 is an empty place. */
loupe_addr drawn_pointer_array(struct drawn_world *world, bool strong, unsigned count, ...);

loupe_addr drawn_target_timer(struct drawn_world *world, loupe_addr target, loupe_addr user_info);
loupe_addr drawn_block_timer(struct drawn_world *world, loupe_addr block);

#endif
