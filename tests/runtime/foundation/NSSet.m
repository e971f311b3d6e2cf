/*
 * NSSet.m - sets: the abstract classes, their placeholders and two concrete classes, with the ivars
 * that Apple's CoreFoundation has.
 */
#import "Collections.h"
#import "Placeholder.h"

#include <stdlib.h>

@interface __NSPlaceholderSet : NSMutableSet
@end

@interface __NSPlaceholderMutableSet : __NSPlaceholderSet
@end

@interface __NSSetI : NSSet {
    NSUInteger _used : 58;
    NSUInteger _szidx : 6;
    id _list[0];
}
+ (id)newWithObjects:(const id[])objects count:(NSUInteger)count;
@end

@interface __NSSetM : NSMutableSet {
    void *_cow;
    id *_objs;
    uint32_t _mutations;
    uint32_t _used : 26;
    uint32_t _szidx : 6;
}
@end

@implementation NSSet

+ (instancetype)allocWithZone:(NSZone *)zone {
    static struct placeholder placeholder;
    if (self == [NSSet class])
        return placeholder_object(&placeholder, [__NSPlaceholderSet class]);
    return [super allocWithZone:zone];
}

- (NSUInteger)count {
    [self doesNotRecognizeSelector:_cmd];
    return 0;
}

- (id)member:(id)object {
    [self doesNotRecognizeSelector:_cmd];
    return nil;
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    [self doesNotRecognizeSelector:_cmd];
    return 0;
}

- (NSEnumerator *)objectEnumerator {
    return [__NSFastEnumerationEnumerator enumeratorOf:self];
}

- (instancetype)init {
    return [self initWithObjects:NULL count:0];
}

- (instancetype)initWithObjects:(const id[])objects count:(NSUInteger)count {
    return [super init];
}

- (instancetype)initWithArray:(NSArray *)array {
    NSUInteger count = [array count];
    id *objects = collection_buffer(count);
    [array getObjects:objects];
    id set = [self initWithObjects:objects count:count];
    free(objects);
    return set;
}

+ (instancetype)set {
    return [[[self alloc] init] autorelease];
}

+ (instancetype)setWithObject:(id)object {
    return [[[self alloc] initWithObjects:&object count:1] autorelease];
}

+ (instancetype)setWithObjects:(const id[])objects count:(NSUInteger)count {
    return [[[self alloc] initWithObjects:objects count:count] autorelease];
}

+ (instancetype)setWithObjects:(id)first, ... {
    va_list rest;
    va_start(rest, first);
    NSUInteger count;
    id *objects = variadic_objects(first, rest, &count);
    va_end(rest);
    id set = [[self alloc] initWithObjects:objects count:count];
    free(objects);
    return [set autorelease];
}

+ (instancetype)setWithArray:(NSArray *)array {
    return [[[self alloc] initWithArray:array] autorelease];
}

+ (instancetype)setWithSet:(NSSet *)set {
    return [[[self alloc] initWithArray:[set allObjects]] autorelease];
}

- (id)copyWithZone:(NSZone *)zone {
    return [self retain];
}

- (id)mutableCopyWithZone:(NSZone *)zone {
    return [[NSMutableSet alloc] initWithArray:[self allObjects]];
}

- (NSArray *)allObjects {
    NSMutableArray *objects = [NSMutableArray array];
    for (id object in self)
        [objects addObject:object];
    return objects;
}

- (id)anyObject {
    for (id object in self)
        return object;
    return nil;
}

- (BOOL)containsObject:(id)object {
    return [self member:object] != nil;
}

- (BOOL)isEqualToSet:(NSSet *)other {
    if ([self count] != [other count])
        return NO;
    for (id object in self) {
        if (![other containsObject:object])
            return NO;
    }
    return YES;
}

- (BOOL)isEqual:(id)object {
    return [object isKindOfClass:[NSSet class]] && [self isEqualToSet:object];
}

- (NSUInteger)hash {
    return [self count];
}

- (void)enumerateObjectsUsingBlock:(void (NS_NOESCAPE ^)(id, BOOL *))block {
    BOOL stop = NO;
    for (id object in self) {
        block(object, &stop);
        if (stop)
            break;
    }
}

@end

@implementation NSMutableSet

+ (instancetype)allocWithZone:(NSZone *)zone {
    static struct placeholder placeholder;
    if (self == [NSMutableSet class])
        return placeholder_object(&placeholder, [__NSPlaceholderMutableSet class]);
    return [super allocWithZone:zone];
}

- (instancetype)initWithCapacity:(NSUInteger)capacity {
    return [self init];
}

+ (instancetype)setWithCapacity:(NSUInteger)capacity {
    return [[[self alloc] initWithCapacity:capacity] autorelease];
}

- (id)copyWithZone:(NSZone *)zone {
    return [[NSSet alloc] initWithArray:[self allObjects]];
}

- (void)addObject:(id)object {
    [self doesNotRecognizeSelector:_cmd];
}

- (void)removeObject:(id)object {
    [self doesNotRecognizeSelector:_cmd];
}

- (void)addObjectsFromArray:(NSArray *)array {
    for (id object in array)
        [self addObject:object];
}

- (void)removeAllObjects {
    for (id object in [self allObjects])
        [self removeObject:object];
}

@end

@implementation __NSPlaceholderSet

PLACEHOLDER_REFERENCE_COUNTING

- (instancetype)initWithObjects:(const id[])objects count:(NSUInteger)count {
    return (id)[__NSSetI newWithObjects:objects count:count];
}

@end

@implementation __NSPlaceholderMutableSet

- (instancetype)initWithObjects:(const id[])objects count:(NSUInteger)count {
    __NSSetM *set = class_createInstance([__NSSetM class], 0);
    for (NSUInteger i = 0; i < count; i++)
        [set addObject:objects[i]];
    return (id)set;
}

@end

@implementation __NSSetI

+ (id)newWithObjects:(const id[])objects count:(NSUInteger)count {
    unsigned index = hash_index_for_count(count);
    size_t capacity = hash_capacity(index);
    __NSSetI *set = class_createInstance(self, capacity * sizeof(id));
    set->_szidx = index & 0x3f;
    for (NSUInteger i = 0; i < count; i++) {
        if (!objects[i])
            collection_nil_error(set);
        size_t place = hash_place(set->_list, 1, capacity, objects[i]);
        if (set->_list[place])
            continue;
        set->_list[place] = [objects[i] retain];
        set->_used++;
    }
    return set;
}

- (void)dealloc {
    for (size_t i = 0; i < hash_capacity(_szidx); i++)
        [_list[i] release];
    [super dealloc];
}

- (NSUInteger)count {
    return _used;
}

- (id)member:(id)object {
    size_t capacity = hash_capacity(_szidx);
    return object && capacity ? _list[hash_place(_list, 1, capacity, object)] : nil;
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    return enumerate_words(state, _list, 1, hash_capacity(_szidx), buffer, capacity);
}

@end

@implementation __NSSetM

- (void)dealloc {
    for (size_t i = 0; i < hash_capacity(_szidx); i++)
        [_objs[i] release];
    free(_objs);
    [super dealloc];
}

- (NSUInteger)count {
    return _used;
}

- (id)member:(id)object {
    size_t capacity = hash_capacity(_szidx);
    return object && capacity ? _objs[hash_place(_objs, 1, capacity, object)] : nil;
}

- (void)resizeForCount:(size_t)count {
    size_t old_capacity = hash_capacity(_szidx);
    id *old = _objs;
    _szidx = hash_index_for_count(count) & 0x3f;
    size_t capacity = hash_capacity(_szidx);
    _objs = collection_buffer(capacity);
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i])
            _objs[hash_place(_objs, 1, capacity, old[i])] = old[i];
    }
    free(old);
}

- (void)addObject:(id)object {
    if (!object)
        collection_nil_error(self);
    if (hash_index_for_count(_used + 1) > _szidx)
        [self resizeForCount:_used + 1];
    size_t place = hash_place(_objs, 1, hash_capacity(_szidx), object);
    if (_objs[place])
        return;
    _objs[place] = [object retain];
    _used++;
    _mutations++;
}

- (void)removeObject:(id)object {
    size_t capacity = hash_capacity(_szidx);
    size_t place = capacity > 0 ? hash_place(_objs, 1, capacity, object) : 0;
    if (capacity == 0 || !_objs[place])
        return;
    id own = _objs[place];
    _objs[place] = nil;
    _used--;
    _mutations++;
    /* Moves back what was pushed past the new hole, so that lookups may stop at holes. */
    for (size_t i = (place + 1) % capacity; _objs[i]; i = (i + 1) % capacity) {
        id moved = _objs[i];
        _objs[i] = nil;
        _objs[hash_place(_objs, 1, capacity, moved)] = moved;
    }
    [own release];
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    state->mutationsPtr = (unsigned long *)&_mutations;
    return enumerate_words(state, _objs, 1, hash_capacity(_szidx), buffer, capacity);
}

@end
