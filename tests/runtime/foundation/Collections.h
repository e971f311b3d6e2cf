/*
 * Collections.h - what the collection classes share.
 *
 * Hashed collections are open hash tables with linear probing; a hole is NULL. Their capacity is a
 * prime of a table that is part of the layout, since objects store the index (CFBasicHash.c).
 */
#ifndef LOUPE_TEST_COLLECTIONS_H
#define LOUPE_TEST_COLLECTIONS_H

#import <Foundation/Foundation.h>

/* The capacity for an index, and the smallest index that leaves a third of the places free. */
size_t hash_capacity(unsigned index);
unsigned hash_index_for_count(size_t count);

/* The place of a key, or the hole where it would go. Keys are stride words apart; capacity > 0 and
 * at least one hole. */
size_t hash_place(const id *keys, size_t stride, size_t capacity, id key);

/* Gives out the non-NULL words among count words that are stride apart. */
NSUInteger enumerate_words(NSFastEnumerationState *state, const id *words, size_t stride,
                           size_t count, id __unsafe_unretained *buffer, NSUInteger capacity);

/* The object arguments of a variadic method: first and what follows it up to nil, to be freed. */
id *variadic_objects(id first, va_list rest, NSUInteger *count_ret);

/* Zeroed memory that must be had. */
void *collection_buffer(size_t words);

_Noreturn void collection_bounds_error(id collection, NSUInteger index, NSUInteger count);
_Noreturn void collection_nil_error(id collection);

@interface __NSFastEnumerationEnumerator : NSEnumerator
+ (instancetype)enumeratorOf:(id<NSFastEnumeration>)collection;
@end

#endif
