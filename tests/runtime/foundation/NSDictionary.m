/*
 * NSDictionary.m - immutable dictionaries: the abstract class, its placeholder and three concrete
 * classes.
 */
#import "DictionaryClasses.h"

#include <stdlib.h>

OBJC_EXTERN id __NSDictionary0__;

@implementation NSDictionary

+ (instancetype)allocWithZone:(NSZone *)zone {
    static struct placeholder placeholder;
    if (self == [NSDictionary class])
        return placeholder_object(&placeholder, [__NSPlaceholderDictionary class]);
    return [super allocWithZone:zone];
}

- (NSUInteger)count {
    [self doesNotRecognizeSelector:_cmd];
    return 0;
}

- (id)objectForKey:(id)key {
    [self doesNotRecognizeSelector:_cmd];
    return nil;
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    [self doesNotRecognizeSelector:_cmd];
    return 0;
}

- (NSEnumerator *)keyEnumerator {
    return [__NSFastEnumerationEnumerator enumeratorOf:self];
}

- (instancetype)init {
    return [self initWithObjects:NULL forKeys:NULL count:0];
}

- (instancetype)initWithObjects:(const id[])objects
                        forKeys:(const id<NSCopying>[])keys
                          count:(NSUInteger)count {
    return [super init];
}

- (instancetype)initWithDictionary:(NSDictionary *)other {
    NSUInteger count = [other count];
    id *keys = collection_buffer(count * 2);
    id *objects = keys + count;
    NSUInteger i = 0;
    for (id key in other) {
        keys[i] = key;
        objects[i++] = [other objectForKey:key];
    }
    id dictionary = [self initWithObjects:objects forKeys:keys count:count];
    free(keys);
    return dictionary;
}

+ (instancetype)dictionary {
    return [[[self alloc] init] autorelease];
}

+ (instancetype)dictionaryWithObject:(id)object forKey:(id)key {
    return [[[self alloc] initWithObjects:&object forKeys:&key count:1] autorelease];
}

+ (instancetype)dictionaryWithObjects:(const id[])objects
                              forKeys:(const id<NSCopying>[])keys
                                count:(NSUInteger)count {
    return [[[self alloc] initWithObjects:objects forKeys:keys count:count] autorelease];
}

+ (instancetype)dictionaryWithObjectsAndKeys:(id)first, ... {
    va_list rest;
    va_start(rest, first);
    NSUInteger count;
    id *both = variadic_objects(first, rest, &count);
    va_end(rest);
    NSUInteger pairs = count / 2;
    id *keys = collection_buffer(pairs * 2);
    id *objects = keys + pairs;
    for (NSUInteger i = 0; i < pairs; i++) {
        objects[i] = both[i * 2];
        keys[i] = both[i * 2 + 1];
    }
    id dictionary = [[self alloc] initWithObjects:objects forKeys:keys count:pairs];
    free(both);
    free(keys);
    return [dictionary autorelease];
}

+ (instancetype)dictionaryWithDictionary:(NSDictionary *)dictionary {
    return [[[self alloc] initWithDictionary:dictionary] autorelease];
}

- (id)copyWithZone:(NSZone *)zone {
    return [self retain];
}

- (id)mutableCopyWithZone:(NSZone *)zone {
    return [[NSMutableDictionary alloc] initWithDictionary:self];
}

- (id)objectForKeyedSubscript:(id)key {
    return [self objectForKey:key];
}

- (NSArray *)allKeys {
    NSMutableArray *keys = [NSMutableArray array];
    for (id key in self)
        [keys addObject:key];
    return keys;
}

- (NSArray *)allValues {
    NSMutableArray *values = [NSMutableArray array];
    for (id key in self)
        [values addObject:[self objectForKey:key]];
    return values;
}

- (NSEnumerator *)objectEnumerator {
    return [[self allValues] objectEnumerator];
}

- (BOOL)isEqualToDictionary:(NSDictionary *)other {
    if ([self count] != [other count])
        return NO;
    for (id key in self) {
        if (![[self objectForKey:key] isEqual:[other objectForKey:key]])
            return NO;
    }
    return YES;
}

- (BOOL)isEqual:(id)object {
    return [object isKindOfClass:[NSDictionary class]] && [self isEqualToDictionary:object];
}

- (NSUInteger)hash {
    return [self count];
}

- (void)enumerateKeysAndObjectsUsingBlock:(void (NS_NOESCAPE ^)(id, id, BOOL *))block {
    BOOL stop = NO;
    for (id key in self) {
        block(key, [self objectForKey:key], &stop);
        if (stop)
            break;
    }
}

@end

@implementation __NSPlaceholderDictionary

PLACEHOLDER_REFERENCE_COUNTING

- (instancetype)initWithObjects:(const id[])objects
                        forKeys:(const id<NSCopying>[])keys
                          count:(NSUInteger)count {
    for (NSUInteger i = 0; i < count; i++) {
        if (!objects[i] || !keys[i])
            collection_nil_error(self);
    }
    if (count == 0)
        return [__NSDictionary0__ retain];
    if (count == 1)
        return (id)[__NSSingleEntryDictionaryI newWithObject:objects[0] forKey:keys[0]];
    return (id)[__NSDictionaryI newWithObjects:objects forKeys:keys count:count];
}

@end

/* ---- concrete classes ----------------------------------------------------------------------- */

/* The one empty dictionary; the compiler refers to it for @{}. */
@interface __NSDictionary0 : NSDictionary
@end

static struct placeholder empty_dictionary;
id __NSDictionary0__ = (id)&empty_dictionary;

@implementation __NSDictionary0

+ (void)load {
    placeholder_object(&empty_dictionary, self);
}

PLACEHOLDER_REFERENCE_COUNTING

- (NSUInteger)count {
    return 0;
}

- (id)objectForKey:(id)key {
    return nil;
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    return 0;
}

@end

@implementation __NSSingleEntryDictionaryI

+ (id)newWithObject:(id)object forKey:(id)key {
    __NSSingleEntryDictionaryI *dictionary = class_createInstance(self, 0);
    dictionary->_obj = [object retain];
    dictionary->_key = [key copyWithZone:NULL];
    return dictionary;
}

- (void)dealloc {
    [_obj release];
    [_key release];
    [super dealloc];
}

- (NSUInteger)count {
    return 1;
}

- (id)objectForKey:(id)key {
    return _key == key || [_key isEqual:key] ? _obj : nil;
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    return enumerate_words(state, &_key, 1, 1, buffer, capacity);
}

@end

@implementation __NSDictionaryI

+ (id)newWithObjects:(const id[])objects
             forKeys:(const id<NSCopying>[])keys
               count:(NSUInteger)count {
    unsigned index = hash_index_for_count(count);
    size_t capacity = hash_capacity(index);
    __NSDictionaryI *dictionary = class_createInstance(self, capacity * 2 * sizeof(id));
    dictionary->_szidx = index & 0x3f;
    for (NSUInteger i = 0; i < count; i++) {
        id *pair = &dictionary->_list[hash_place(dictionary->_list, 2, capacity, (id)keys[i]) * 2];
        if (pair[0])
            continue;
        pair[0] = [keys[i] copyWithZone:NULL];
        pair[1] = [objects[i] retain];
        dictionary->_used++;
    }
    return dictionary;
}

- (void)dealloc {
    for (size_t i = 0; i < hash_capacity(_szidx) * 2; i++)
        [_list[i] release];
    [super dealloc];
}

- (NSUInteger)count {
    return _used;
}

- (id)objectForKey:(id)key {
    return key ? _list[hash_place(_list, 2, hash_capacity(_szidx), key) * 2 + 1] : nil;
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    return enumerate_words(state, _list, 2, hash_capacity(_szidx), buffer, capacity);
}

@end
