/*
 * Collections.m - hashing, enumeration and errors of the collection classes.
 */
#import "Collections.h"
#import "internal.h"

#include <stdlib.h>

static const size_t capacities[] = {
    0,      3,      7,      13,     23,      41,      71,      127,     191,     251,      383,
    631,    1087,   1723,   2803,   4523,    7351,    11959,   19447,   31231,   50683,    81919,
    132607, 214519, 346607, 561109, 907759,  1468927, 2376191, 3845119, 6221311, 10066421,
};
#define CAPACITY_COUNT (sizeof capacities / sizeof capacities[0])

size_t hash_capacity(unsigned index) {
    return capacities[index];
}

unsigned hash_index_for_count(size_t count) {
    unsigned index = 0;
    while (index < CAPACITY_COUNT - 1 && capacities[index] * 2 < count * 3)
        index++;
    if (capacities[index] <= count && count > 0)
        rt_fatal("a collection of %zu objects is too large", count);
    return index;
}

size_t hash_place(const id *keys, size_t stride, size_t capacity, id key) {
    size_t place = [key hash] % capacity;
    while (keys[place * stride] && keys[place * stride] != key &&
           ![keys[place * stride] isEqual:key])
        place = (place + 1) % capacity;
    return place;
}

NSUInteger enumerate_words(NSFastEnumerationState *state, const id *words, size_t stride,
                           size_t count, id __unsafe_unretained *buffer, NSUInteger capacity) {
    static unsigned long never_changes;
    if (!state->mutationsPtr)
        state->mutationsPtr = &never_changes;
    NSUInteger given = 0;
    for (; state->state < count && given < capacity; state->state++) {
        if (words[state->state * stride])
            buffer[given++] = words[state->state * stride];
    }
    state->itemsPtr = buffer;
    return given;
}

id *variadic_objects(id first, va_list rest, NSUInteger *count_ret) {
    va_list counting;
    va_copy(counting, rest);
    NSUInteger count = first != nil;
    while (first && va_arg(counting, id))
        count++;
    va_end(counting);
    id *objects = collection_buffer(count + 1);
    objects[0] = first;
    for (NSUInteger i = 1; i < count; i++)
        objects[i] = va_arg(rest, id);
    *count_ret = count;
    return objects;
}

void *collection_buffer(size_t words) {
    void *buffer = calloc(words ? words : 1, sizeof(id));
    if (!buffer)
        rt_fatal("no memory for a collection of %zu words", words);
    return buffer;
}

void collection_bounds_error(id collection, NSUInteger index, NSUInteger count) {
    rt_fatal("%s %p: index %lu is beyond %lu objects", object_getClassName(collection),
             (void *)collection, index, count);
}

void collection_nil_error(id collection) {
    rt_fatal("%s %p: an object or key is nil", object_getClassName(collection), (void *)collection);
}

@implementation NSEnumerator

- (id)nextObject {
    return nil;
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    state->mutationsPtr = &state->extra[0];
    state->itemsPtr = buffer;
    id object = capacity > 0 ? [self nextObject] : nil;
    buffer[0] = object;
    return object != nil;
}

@end

/* Takes a collection's objects in batches, as a for loop does. */
@implementation __NSFastEnumerationEnumerator {
    id<NSFastEnumeration> _collection;
    NSFastEnumerationState _state;
    id _buffer[16];
    NSUInteger _available;
    NSUInteger _next;
}

+ (instancetype)enumeratorOf:(id<NSFastEnumeration>)collection {
    __NSFastEnumerationEnumerator *enumerator = [[self alloc] init];
    enumerator->_collection = [(id)collection retain];
    return [enumerator autorelease];
}

- (void)dealloc {
    [(id)_collection release];
    [super dealloc];
}

- (id)nextObject {
    if (_next == _available) {
        _available = [_collection countByEnumeratingWithState:&_state objects:_buffer count:16];
        _next = 0;
    }
    return _next < _available ? _state.itemsPtr[_next++] : nil;
}

@end
