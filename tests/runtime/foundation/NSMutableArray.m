/*
 * NSMutableArray.m - mutable arrays in a ring buffer.
 */
#import "ArrayClasses.h"

#include <stdlib.h>

@implementation NSMutableArray

+ (instancetype)allocWithZone:(NSZone *)zone {
    static struct placeholder placeholder;
    if (self == [NSMutableArray class])
        return placeholder_object(&placeholder, [__NSPlaceholderMutableArray class]);
    return [super allocWithZone:zone];
}

- (instancetype)initWithCapacity:(NSUInteger)capacity {
    return [self init];
}

+ (instancetype)arrayWithCapacity:(NSUInteger)capacity {
    return [[[self alloc] initWithCapacity:capacity] autorelease];
}

- (id)copyWithZone:(NSZone *)zone {
    return [[NSArray alloc] initWithArray:self];
}

- (void)insertObject:(id)object atIndex:(NSUInteger)index {
    [self doesNotRecognizeSelector:_cmd];
}

- (void)removeObjectAtIndex:(NSUInteger)index {
    [self doesNotRecognizeSelector:_cmd];
}

- (void)replaceObjectAtIndex:(NSUInteger)index withObject:(id)object {
    [self doesNotRecognizeSelector:_cmd];
}

- (void)addObject:(id)object {
    [self insertObject:object atIndex:[self count]];
}

- (void)removeLastObject {
    if ([self count] > 0)
        [self removeObjectAtIndex:[self count] - 1];
}

- (void)setObject:(id)object atIndexedSubscript:(NSUInteger)index {
    if (index == [self count])
        [self addObject:object];
    else
        [self replaceObjectAtIndex:index withObject:object];
}

- (void)addObjectsFromArray:(NSArray *)array {
    NSUInteger count = [array count];
    for (NSUInteger i = 0; i < count; i++)
        [self addObject:[array objectAtIndex:i]];
}

- (void)removeObject:(id)object {
    for (NSUInteger i = [self count]; i > 0; i--) {
        if ([[self objectAtIndex:i - 1] isEqual:object])
            [self removeObjectAtIndex:i - 1];
    }
}

- (void)removeAllObjects {
    while ([self count] > 0)
        [self removeLastObject];
}

@end

@implementation __NSPlaceholderMutableArray

- (instancetype)initWithObjects:(const id[])objects count:(NSUInteger)count {
    return (id)[__NSArrayM newWithObjects:objects count:count];
}

@end

@implementation __NSArrayM

+ (id)newWithObjects:(const id[])objects count:(NSUInteger)count {
    __NSArrayM *array = class_createInstance(self, 0);
    for (NSUInteger i = 0; i < count; i++)
        [array insertObject:objects[i] atIndex:i];
    return array;
}

- (void)dealloc {
    for (uint32_t i = 0; i < _used; i++)
        [[self objectAtIndex:i] release];
    free(_list);
    [super dealloc];
}

- (NSUInteger)count {
    return _used;
}

static id *slot(__NSArrayM *array, NSUInteger index) {
    NSUInteger place = array->_offset + index;
    return &array->_list[place >= array->_size ? place - array->_size : place];
}

- (id)objectAtIndex:(NSUInteger)index {
    if (index >= _used)
        collection_bounds_error(self, index, _used);
    return *slot(self, index);
}

- (void)grow {
    uint32_t size = _size ? _size * 2 : 4;
    id *list = collection_buffer(size);
    for (uint32_t i = 0; i < _used; i++)
        list[i] = *slot(self, i);
    free(_list);
    _list = list;
    _offset = 0;
    _size = size;
}

- (void)insertObject:(id)object atIndex:(NSUInteger)index {
    if (!object)
        collection_nil_error(self);
    if (index > _used)
        collection_bounds_error(self, index, _used);
    if (_used == _size)
        [self grow];
    _used++;
    _mutations++;
    if (index == 0) {
        /* At the front the buffer wraps backwards instead of moving everything. */
        _offset = _offset ? _offset - 1 : _size - 1;
    } else {
        for (NSUInteger i = _used - 1; i > index; i--)
            *slot(self, i) = *slot(self, i - 1);
    }
    *slot(self, index) = [object retain];
}

- (void)removeObjectAtIndex:(NSUInteger)index {
    id object = [self objectAtIndex:index];
    _mutations++;
    if (index == 0) {
        *slot(self, 0) = nil;
        _offset = _offset + 1 == _size ? 0 : _offset + 1;
    } else {
        for (NSUInteger i = index; i + 1 < _used; i++)
            *slot(self, i) = *slot(self, i + 1);
        *slot(self, _used - 1) = nil;
    }
    _used--;
    [object release];
}

- (void)replaceObjectAtIndex:(NSUInteger)index withObject:(id)object {
    if (!object)
        collection_nil_error(self);
    id before = [self objectAtIndex:index];
    _mutations++;
    *slot(self, index) = [object retain];
    [before release];
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    NSUInteger given = [super countByEnumeratingWithState:state objects:buffer count:capacity];
    /* The eight bytes of both counters: any change shows. */
    state->mutationsPtr = (unsigned long *)&_mutations;
    return given;
}

@end
