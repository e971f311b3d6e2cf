/*
 * NSMutableDictionary.m - mutable dictionaries.
 */
#import "DictionaryClasses.h"

#include <stdlib.h>

@implementation NSMutableDictionary

+ (instancetype)allocWithZone:(NSZone *)zone {
    static struct placeholder placeholder;
    if (self == [NSMutableDictionary class])
        return placeholder_object(&placeholder, [__NSPlaceholderMutableDictionary class]);
    return [super allocWithZone:zone];
}

- (instancetype)initWithCapacity:(NSUInteger)capacity {
    return [self init];
}

+ (instancetype)dictionaryWithCapacity:(NSUInteger)capacity {
    return [[[self alloc] initWithCapacity:capacity] autorelease];
}

- (id)copyWithZone:(NSZone *)zone {
    return [[NSDictionary alloc] initWithDictionary:self];
}

- (void)setObject:(id)object forKey:(id)key {
    [self doesNotRecognizeSelector:_cmd];
}

- (void)removeObjectForKey:(id)key {
    [self doesNotRecognizeSelector:_cmd];
}

- (void)setObject:(id)object forKeyedSubscript:(id)key {
    if (object)
        [self setObject:object forKey:key];
    else
        [self removeObjectForKey:key];
}

- (void)removeAllObjects {
    for (id key in [self allKeys])
        [self removeObjectForKey:key];
}

@end

@implementation __NSPlaceholderMutableDictionary

- (instancetype)initWithObjects:(const id[])objects
                        forKeys:(const id<NSCopying>[])keys
                          count:(NSUInteger)count {
    __NSDictionaryM *dictionary = class_createInstance([__NSDictionaryM class], 0);
    for (NSUInteger i = 0; i < count; i++)
        [dictionary setObject:objects[i] forKey:keys[i]];
    return (id)dictionary;
}

@end

@implementation __NSDictionaryM

- (void)dealloc {
    for (size_t i = 0; i < hash_capacity(_szidx) * 2; i++)
        [_buffer[i] release];
    free(_buffer);
    [super dealloc];
}

- (NSUInteger)count {
    return _used;
}

- (id)objectForKey:(id)key {
    size_t capacity = hash_capacity(_szidx);
    if (!key || capacity == 0)
        return nil;
    return _buffer[capacity + hash_place(_buffer, 1, capacity, key)];
}

- (void)resizeForCount:(size_t)count {
    size_t old_capacity = hash_capacity(_szidx);
    id *old = _buffer;
    _szidx = hash_index_for_count(count) & 0x3f;
    size_t capacity = hash_capacity(_szidx);
    _buffer = collection_buffer(capacity * 2);
    for (size_t i = 0; i < old_capacity; i++) {
        if (!old[i])
            continue;
        size_t place = hash_place(_buffer, 1, capacity, old[i]);
        _buffer[place] = old[i];
        _buffer[capacity + place] = old[old_capacity + i];
    }
    free(old);
}

- (void)setObject:(id)object forKey:(id)key {
    if (!object || !key)
        collection_nil_error(self);
    if (hash_index_for_count(_used + 1) > _szidx)
        [self resizeForCount:_used + 1];
    size_t capacity = hash_capacity(_szidx);
    size_t place = hash_place(_buffer, 1, capacity, key);
    id before = _buffer[capacity + place];
    if (!_buffer[place]) {
        _buffer[place] = [key copyWithZone:NULL];
        _used++;
    }
    _buffer[capacity + place] = [object retain];
    _mutations++;
    [before release];
}

/* Moves back what was pushed past a new hole, so that lookups may stop at holes. */
- (void)closeHoleAt:(size_t)hole {
    size_t capacity = hash_capacity(_szidx);
    for (size_t i = (hole + 1) % capacity; _buffer[i]; i = (i + 1) % capacity) {
        id key = _buffer[i];
        id object = _buffer[capacity + i];
        _buffer[i] = _buffer[capacity + i] = nil;
        size_t place = hash_place(_buffer, 1, capacity, key);
        _buffer[place] = key;
        _buffer[capacity + place] = object;
    }
}

- (void)removeObjectForKey:(id)key {
    size_t capacity = hash_capacity(_szidx);
    size_t place = capacity > 0 ? hash_place(_buffer, 1, capacity, key) : 0;
    if (capacity == 0 || !_buffer[place])
        return;
    id own_key = _buffer[place];
    id object = _buffer[capacity + place];
    _buffer[place] = _buffer[capacity + place] = nil;
    _used--;
    _mutations++;
    [self closeHoleAt:place];
    [own_key release];
    [object release];
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    state->mutationsPtr = (unsigned long *)&_mutations;
    return enumerate_words(state, _buffer, 1, hash_capacity(_szidx), buffer, capacity);
}

@end
