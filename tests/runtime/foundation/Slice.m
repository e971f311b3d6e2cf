/*
 * Slice.m - strong, weak and unmanaged slots.
 */
#import "Slice.h"
#import "Collections.h"
#import "internal.h"

#include <stdlib.h>

OBJC_EXTERN id objc_loadWeakRetained(id *location);
OBJC_EXTERN void objc_moveWeak(id *to, id *from);

#define MEMORY_MASK 0xffUL
#define PERSONALITY_MASK 0xff00UL

static id acquire_by_retain(id item) {
    return [item retain];
}

static id acquire_by_copy(id item) {
    return [item copy];
}

static void relinquish(id item) {
    [item release];
}

static void *allocate(size_t count) {
    return collection_buffer(count);
}

static id read_plain(id *slot) {
    return *slot;
}

static void clear_plain(id *slot) {
    *slot = nil;
}

static void store_plain(id *slot, id item) {
    *slot = item;
}

static id read_weak(id *slot) {
    return objc_loadWeak(slot);
}

static void clear_weak(id *slot) {
    objc_storeWeak(slot, nil);
}

static void store_weak(id *slot, id item) {
    objc_storeWeak(slot, item);
}

static NSUInteger hash_object(const void *item) {
    return [(id)item hash];
}

static NSUInteger hash_pointer(const void *item) {
    return (NSUInteger)item >> 4;
}

static BOOL equal_objects(const void *a, const void *b) {
    return a == b || [(id)a isEqual:(id)b];
}

static BOOL equal_pointers(const void *a, const void *b) {
    return a == b;
}

void slice_init(struct NSSlice *slice, NSPointerFunctionsOptions options) {
    bool weak = (options & MEMORY_MASK) == NSPointerFunctionsWeakMemory;
    bool strong = (options & MEMORY_MASK) == NSPointerFunctionsStrongMemory;
    bool objects = (options & PERSONALITY_MASK) == NSPointerFunctionsObjectPersonality;
    bool copies = (options & NSPointerFunctionsCopyIn) != 0;
    *slice = (struct NSSlice){
        .wantsStrong = strong,
        .wantsWeak = weak,
        .shouldCopyIn = copies,
        .usesStrong = strong,
        .usesWeak = weak,
        .pointerPersonality = !objects,
        .simpleReadClear = !weak,
        .hashFunction = objects ? hash_object : hash_pointer,
        .isEqualFunction = objects ? equal_objects : equal_pointers,
        .acquireFunction = strong ? (copies ? acquire_by_copy : acquire_by_retain) : NULL,
        .relinquishFunction = strong ? relinquish : NULL,
        .allocateFunction = allocate,
        .freeFunction = free,
        .readAtFunction = weak ? read_weak : read_plain,
        .clearAtFunction = weak ? clear_weak : clear_plain,
        .storeAtFunction = weak ? store_weak : store_plain,
    };
}

void slice_resize(struct NSSlice *slice, size_t capacity, size_t new_capacity) {
    id *items = slice->allocateFunction(new_capacity);
    for (size_t i = 0; i < capacity; i++) {
        if (slice->usesWeak)
            objc_moveWeak(&items[i], &slice->items[i]);
        else
            items[i] = slice->items[i];
    }
    slice->freeFunction(slice->items);
    slice->items = items;
}

void slice_free(struct NSSlice *slice) {
    slice->freeFunction(slice->items);
    slice->items = NULL;
}

/* Is there something equal in the slot? A weak item is kept alive just while it is compared. */
static BOOL slot_equals(const struct NSSlice *slice, size_t slot, id item) {
    if (!slice->items[slot])
        return NO;
    if (!slice->usesWeak)
        return slice->isEqualFunction(slice->items[slot], item);
    id own = objc_loadWeakRetained(&slice->items[slot]);
    BOOL equal = own && slice->isEqualFunction(own, item);
    objc_release(own);
    return equal;
}

size_t slice_find(const struct NSSlice *slice, size_t capacity, id item) {
    size_t slot = 0;
    while (slot < capacity && !slot_equals(slice, slot, item))
        slot++;
    return slot;
}

size_t slice_hole(const struct NSSlice *slice, size_t capacity) {
    size_t slot = 0;
    while (slot < capacity && slice->items[slot])
        slot++;
    return slot;
}

id slice_get(const struct NSSlice *slice, size_t slot) {
    return slice->readAtFunction(&slice->items[slot]);
}

void slice_set(struct NSSlice *slice, size_t slot, id item) {
    id own = slice->acquireFunction ? slice->acquireFunction(item) : item;
    slice_clear(slice, slot);
    slice->storeAtFunction(&slice->items[slot], own);
}

void slice_clear(struct NSSlice *slice, size_t slot) {
    id before = slice->relinquishFunction ? slice->items[slot] : nil;
    slice->clearAtFunction(&slice->items[slot]);
    if (before)
        slice->relinquishFunction(before);
}

NSUInteger slice_enumerate(const struct NSSlice *slice, size_t capacity,
                           NSFastEnumerationState *state, id __unsafe_unretained *buffer,
                           NSUInteger size) {
    NSUInteger given = 0;
    for (; state->state < capacity && given < size; state->state++) {
        id item = slice_get(slice, state->state);
        if (item)
            buffer[given++] = item;
    }
    state->itemsPtr = buffer;
    return given;
}
