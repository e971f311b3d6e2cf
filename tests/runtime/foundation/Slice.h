/*
 * Slice.h - an array of pointers that knows how it holds them: the part that map tables and hash
 * tables are made of. Fields as class dumps of Foundation show them; not checked on a Mac.
 *
 * A slot is NULL when it is free or when a weak reference in it has ended. Lookups therefore look
 * at every slot: a probing sequence would be cut short by an ended reference.
 */
#ifndef LOUPE_TEST_SLICE_H
#define LOUPE_TEST_SLICE_H

#import <Foundation/Foundation.h>

struct NSSlice {
    id *items;
    unsigned wantsStrong : 1;
    unsigned wantsWeak : 1;
    unsigned wantsARC : 1;
    unsigned shouldCopyIn : 1;
    unsigned usesStrong : 1;
    unsigned usesWeak : 1;
    unsigned usesARC : 1;
    unsigned usesSentinel : 1;
    unsigned pointerPersonality : 1;
    unsigned integerPersonality : 1;
    unsigned simpleReadClear : 1;
    NSUInteger (*sizeFunction)(const void *item);
    NSUInteger (*hashFunction)(const void *item);
    BOOL (*isEqualFunction)(const void *a, const void *b);
    NSString *(*describeFunction)(const void *item);
    /* Set if, and only if, the slice owns what is in it. */
    id (*acquireFunction)(id item);
    void (*relinquishFunction)(id item);
    void *(*allocateFunction)(size_t count);
    void (*freeFunction)(void *items);
    id (*readAtFunction)(id *slot);
    void (*clearAtFunction)(id *slot);
    void (*storeAtFunction)(id *slot, id item);
};

void slice_init(struct NSSlice *slice, NSPointerFunctionsOptions options);
/* Moves the items to a larger array. */
void slice_resize(struct NSSlice *slice, size_t capacity, size_t new_capacity);
/* Frees the array, whose slots have been cleared. */
void slice_free(struct NSSlice *slice);

/* The slot of an equal item, or capacity. */
size_t slice_find(const struct NSSlice *slice, size_t capacity, id item);
/* A free slot, or capacity. */
size_t slice_hole(const struct NSSlice *slice, size_t capacity);
id slice_get(const struct NSSlice *slice, size_t slot);
void slice_set(struct NSSlice *slice, size_t slot, id item);
void slice_clear(struct NSSlice *slice, size_t slot);
NSUInteger slice_enumerate(const struct NSSlice *slice, size_t capacity,
                           NSFastEnumerationState *state, id __unsafe_unretained *buffer,
                           NSUInteger size);

#endif
