/*
 * NSArray.m - immutable arrays: the abstract class, its placeholder and three concrete classes.
 */
#import "ArrayClasses.h"

#include <stdlib.h>

OBJC_EXTERN id __NSArray0__;

/* ---- the class that programs name ----------------------------------------------------------- */

@implementation NSArray

+ (instancetype)allocWithZone:(NSZone *)zone {
    static struct placeholder placeholder;
    if (self == [NSArray class])
        return placeholder_object(&placeholder, [__NSPlaceholderArray class]);
    return [super allocWithZone:zone];
}

- (NSUInteger)count {
    [self doesNotRecognizeSelector:_cmd];
    return 0;
}

- (id)objectAtIndex:(NSUInteger)index {
    [self doesNotRecognizeSelector:_cmd];
    return nil;
}

- (instancetype)init {
    return [self initWithObjects:NULL count:0];
}

- (instancetype)initWithObjects:(const id[])objects count:(NSUInteger)count {
    return [super init];
}

- (instancetype)initWithObjects:(id)first, ... {
    va_list rest;
    va_start(rest, first);
    NSUInteger count;
    id *objects = variadic_objects(first, rest, &count);
    va_end(rest);
    id array = [self initWithObjects:objects count:count];
    free(objects);
    return array;
}

- (instancetype)initWithArray:(NSArray *)other {
    NSUInteger count = [other count];
    id *objects = collection_buffer(count);
    [other getObjects:objects];
    id array = [self initWithObjects:objects count:count];
    free(objects);
    return array;
}

+ (instancetype)array {
    return [[[self alloc] init] autorelease];
}

+ (instancetype)arrayWithObject:(id)object {
    return [[[self alloc] initWithObjects:&object count:1] autorelease];
}

+ (instancetype)arrayWithObjects:(const id[])objects count:(NSUInteger)count {
    return [[[self alloc] initWithObjects:objects count:count] autorelease];
}

+ (instancetype)arrayWithObjects:(id)first, ... {
    va_list rest;
    va_start(rest, first);
    NSUInteger count;
    id *objects = variadic_objects(first, rest, &count);
    va_end(rest);
    id array = [[self alloc] initWithObjects:objects count:count];
    free(objects);
    return [array autorelease];
}

+ (instancetype)arrayWithArray:(NSArray *)array {
    return [[[self alloc] initWithArray:array] autorelease];
}

- (id)copyWithZone:(NSZone *)zone {
    return [self retain];
}

- (id)mutableCopyWithZone:(NSZone *)zone {
    return [[NSMutableArray alloc] initWithArray:self];
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    NSUInteger count = [self count];
    NSUInteger given = 0;
    state->mutationsPtr = &state->extra[0];
    state->itemsPtr = buffer;
    while (given < capacity && state->state < count)
        buffer[given++] = [self objectAtIndex:state->state++];
    return given;
}

- (id)objectAtIndexedSubscript:(NSUInteger)index {
    return [self objectAtIndex:index];
}

- (id)firstObject {
    return [self count] > 0 ? [self objectAtIndex:0] : nil;
}

- (id)lastObject {
    return [self count] > 0 ? [self objectAtIndex:[self count] - 1] : nil;
}

- (NSUInteger)indexOfObject:(id)object {
    NSUInteger count = [self count];
    for (NSUInteger i = 0; i < count; i++) {
        if ([[self objectAtIndex:i] isEqual:object])
            return i;
    }
    return NSNotFound;
}

- (NSUInteger)indexOfObjectIdenticalTo:(id)object {
    NSUInteger count = [self count];
    for (NSUInteger i = 0; i < count; i++) {
        if ([self objectAtIndex:i] == object)
            return i;
    }
    return NSNotFound;
}

- (BOOL)containsObject:(id)object {
    return [self indexOfObject:object] != NSNotFound;
}

- (BOOL)isEqualToArray:(NSArray *)other {
    NSUInteger count = [self count];
    if (count != [other count])
        return NO;
    for (NSUInteger i = 0; i < count; i++) {
        if (![[self objectAtIndex:i] isEqual:[other objectAtIndex:i]])
            return NO;
    }
    return YES;
}

- (BOOL)isEqual:(id)object {
    return [object isKindOfClass:[NSArray class]] && [self isEqualToArray:object];
}

- (NSUInteger)hash {
    return [self count];
}

- (NSArray *)arrayByAddingObject:(id)object {
    NSUInteger count = [self count];
    id *objects = collection_buffer(count + 1);
    [self getObjects:objects];
    objects[count] = object;
    NSArray *array = [NSArray arrayWithObjects:objects count:count + 1];
    free(objects);
    return array;
}

- (void)getObjects:(id __unsafe_unretained[])objects {
    NSUInteger count = [self count];
    for (NSUInteger i = 0; i < count; i++)
        objects[i] = [self objectAtIndex:i];
}

- (NSEnumerator *)objectEnumerator {
    return [__NSFastEnumerationEnumerator enumeratorOf:self];
}

- (void)enumerateObjectsUsingBlock:(void (NS_NOESCAPE ^)(id, NSUInteger, BOOL *))block {
    BOOL stop = NO;
    for (NSUInteger i = 0; i < [self count] && !stop; i++)
        block([self objectAtIndex:i], i, &stop);
}

@end

@implementation __NSPlaceholderArray

PLACEHOLDER_REFERENCE_COUNTING

- (instancetype)initWithObjects:(const id[])objects count:(NSUInteger)count {
    for (NSUInteger i = 0; i < count; i++) {
        if (!objects[i])
            collection_nil_error(self);
    }
    if (count == 0)
        return [__NSArray0__ retain];
    if (count == 1)
        return (id)[__NSSingleObjectArrayI newWithObject:objects[0]];
    return (id)[__NSArrayI newWithObjects:objects count:count];
}

@end

/* ---- concrete classes ----------------------------------------------------------------------- */

/* The one empty array; the compiler refers to it for @[]. */
@interface __NSArray0 : NSArray
@end

static struct placeholder empty_array;
id __NSArray0__ = (id)&empty_array;

@implementation __NSArray0

+ (void)load {
    placeholder_object(&empty_array, self);
}

PLACEHOLDER_REFERENCE_COUNTING

- (NSUInteger)count {
    return 0;
}

- (id)objectAtIndex:(NSUInteger)index {
    collection_bounds_error(self, index, 0);
}

@end

@implementation __NSSingleObjectArrayI

+ (id)newWithObject:(id)object {
    __NSSingleObjectArrayI *array = class_createInstance(self, 0);
    array->_object = [object retain];
    return array;
}

- (void)dealloc {
    [_object release];
    [super dealloc];
}

- (NSUInteger)count {
    return 1;
}

- (id)objectAtIndex:(NSUInteger)index {
    if (index > 0)
        collection_bounds_error(self, index, 1);
    return _object;
}

@end

@implementation __NSArrayI

+ (id)newWithObjects:(const id[])objects count:(NSUInteger)count {
    __NSArrayI *array = class_createInstance(self, count * sizeof(id));
    array->_used = count;
    for (NSUInteger i = 0; i < count; i++)
        array->_list[i] = [objects[i] retain];
    return array;
}

- (void)dealloc {
    for (NSUInteger i = 0; i < _used; i++)
        [_list[i] release];
    [super dealloc];
}

- (NSUInteger)count {
    return _used;
}

- (id)objectAtIndex:(NSUInteger)index {
    if (index >= _used)
        collection_bounds_error(self, index, _used);
    return _list[index];
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity {
    return enumerate_words(state, _list, 1, _used, buffer, capacity);
}

@end
