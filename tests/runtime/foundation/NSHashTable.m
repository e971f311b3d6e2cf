/*
 * NSHashTable.m - see NSMapTable.m.
 */
#import "Slice.h"
#import "Collections.h"

@interface NSConcreteHashTable : NSHashTable {
    struct NSSlice slice;
    NSUInteger count;
    NSUInteger capacity;
    NSUInteger options;
    NSUInteger mutations;
    int32_t growLock;
    BOOL shouldRehash;
}
@end

@implementation NSHashTable

+ (instancetype)allocWithZone:(NSZone *)zone {
    return class_createInstance([NSConcreteHashTable class], 0);
}

- (instancetype)initWithOptions:(NSPointerFunctionsOptions)options capacity:(NSUInteger)capacity {
    return [super init];
}

+ (NSHashTable *)hashTableWithOptions:(NSPointerFunctionsOptions)options {
    return [[[self alloc] initWithOptions:options capacity:0] autorelease];
}

+ (NSHashTable *)weakObjectsHashTable {
    return [self hashTableWithOptions:NSHashTableWeakMemory];
}

- (NSUInteger)count {
    return 0;
}

- (id)member:(id)object {
    return nil;
}

- (void)addObject:(id)object {
}

- (void)removeObject:(id)object {
}

- (void)removeAllObjects {
}

- (BOOL)containsObject:(id)object {
    return [self member:object] != nil;
}

- (NSArray *)allObjects {
    NSMutableArray *objects = [NSMutableArray array];
    for (id object in self)
        [objects addObject:object];
    return objects;
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)size {
    return 0;
}

@end

@implementation NSConcreteHashTable

- (instancetype)init {
    return [self initWithOptions:0 capacity:0];
}

- (instancetype)initWithOptions:(NSPointerFunctionsOptions)wanted capacity:(NSUInteger)size {
    slice_init(&slice, wanted);
    options = wanted;
    return self;
}

- (void)dealloc {
    [self removeAllObjects];
    slice_free(&slice);
    [super dealloc];
}

- (NSUInteger)count {
    NSUInteger used = 0;
    for (size_t i = 0; i < capacity; i++)
        used += slice.items[i] != nil;
    count = used;
    return used;
}

- (id)member:(id)object {
    size_t slot = slice_find(&slice, capacity, object);
    return slot < capacity ? slice_get(&slice, slot) : nil;
}

- (void)addObject:(id)object {
    if (!object)
        collection_nil_error(self);
    if (slice_find(&slice, capacity, object) < capacity)
        return;
    size_t slot = slice_hole(&slice, capacity);
    if (slot == capacity) {
        size_t larger = capacity ? capacity * 2 : 8;
        slice_resize(&slice, capacity, larger);
        capacity = larger;
    }
    slice_set(&slice, slot, object);
    count++;
    mutations++;
}

- (void)removeObject:(id)object {
    size_t slot = slice_find(&slice, capacity, object);
    if (slot == capacity)
        return;
    slice_clear(&slice, slot);
    count--;
    mutations++;
}

- (void)removeAllObjects {
    for (size_t i = 0; i < capacity; i++)
        slice_clear(&slice, i);
    count = 0;
    mutations++;
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)size {
    state->mutationsPtr = &mutations;
    return slice_enumerate(&slice, capacity, state, buffer, size);
}

@end
