/*
 * NSMapTable.m - NSConcreteMapTable and NSConcreteHashTable, with the ivars that class dumps of
 * Foundation show: slices of pointers, each with its options and functions. Not checked on a Mac.
 */
#import "Slice.h"
#import "Collections.h"

@interface NSConcreteMapTable : NSMapTable {
    struct NSSlice keys;
    struct NSSlice values;
    NSUInteger count;
    NSUInteger capacity;
    NSUInteger options;
    NSUInteger mutations;
    int32_t growLock;
    BOOL shouldRehash;
}
@end

@implementation NSMapTable

+ (instancetype)allocWithZone:(NSZone *)zone {
    return class_createInstance([NSConcreteMapTable class], 0);
}

- (instancetype)initWithKeyOptions:(NSPointerFunctionsOptions)keyOptions
                      valueOptions:(NSPointerFunctionsOptions)valueOptions
                          capacity:(NSUInteger)capacity {
    return [super init];
}

+ (NSMapTable *)mapTableWithKeyOptions:(NSPointerFunctionsOptions)keyOptions
                          valueOptions:(NSPointerFunctionsOptions)valueOptions {
    return [[[self alloc] initWithKeyOptions:keyOptions
                                valueOptions:valueOptions
                                    capacity:0] autorelease];
}

+ (NSMapTable *)strongToStrongObjectsMapTable {
    return [self mapTableWithKeyOptions:NSMapTableStrongMemory valueOptions:NSMapTableStrongMemory];
}

+ (NSMapTable *)strongToWeakObjectsMapTable {
    return [self mapTableWithKeyOptions:NSMapTableStrongMemory valueOptions:NSMapTableWeakMemory];
}

+ (NSMapTable *)weakToStrongObjectsMapTable {
    return [self mapTableWithKeyOptions:NSMapTableWeakMemory valueOptions:NSMapTableStrongMemory];
}

+ (NSMapTable *)weakToWeakObjectsMapTable {
    return [self mapTableWithKeyOptions:NSMapTableWeakMemory valueOptions:NSMapTableWeakMemory];
}

- (NSUInteger)count {
    return 0;
}

- (id)objectForKey:(id)key {
    return nil;
}

- (void)setObject:(id)object forKey:(id)key {
}

- (void)removeObjectForKey:(id)key {
}

- (void)removeAllObjects {
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)size {
    return 0;
}

@end

@implementation NSConcreteMapTable

- (instancetype)init {
    return [self initWithKeyOptions:0 valueOptions:0 capacity:0];
}

- (instancetype)initWithKeyOptions:(NSPointerFunctionsOptions)keyOptions
                      valueOptions:(NSPointerFunctionsOptions)valueOptions
                          capacity:(NSUInteger)wanted {
    slice_init(&keys, keyOptions);
    slice_init(&values, valueOptions);
    options = keyOptions | valueOptions << 32;
    return self;
}

- (void)dealloc {
    [self removeAllObjects];
    slice_free(&keys);
    slice_free(&values);
    [super dealloc];
}

/* Drops entries whose key or value has gone; if that frees no slot, there will be twice as many. */
- (void)prepareToAdd {
    for (size_t i = 0; i < capacity; i++) {
        if (!keys.items[i] != !values.items[i]) {
            slice_clear(&keys, i);
            slice_clear(&values, i);
        }
    }
    if (slice_hole(&keys, capacity) < capacity)
        return;
    size_t larger = capacity ? capacity * 2 : 8;
    slice_resize(&keys, capacity, larger);
    slice_resize(&values, capacity, larger);
    capacity = larger;
}

- (NSUInteger)count {
    NSUInteger used = 0;
    for (size_t i = 0; i < capacity; i++)
        used += keys.items[i] && values.items[i];
    count = used;
    return used;
}

- (id)objectForKey:(id)key {
    size_t slot = slice_find(&keys, capacity, key);
    return slot < capacity ? slice_get(&values, slot) : nil;
}

- (void)setObject:(id)object forKey:(id)key {
    if (!object || !key)
        collection_nil_error(self);
    size_t slot = slice_find(&keys, capacity, key);
    if (slot == capacity) {
        [self prepareToAdd];
        slot = slice_hole(&keys, capacity);
        slice_set(&keys, slot, key);
        count++;
    }
    slice_set(&values, slot, object);
    mutations++;
}

- (void)removeObjectForKey:(id)key {
    size_t slot = slice_find(&keys, capacity, key);
    if (slot == capacity)
        return;
    slice_clear(&keys, slot);
    slice_clear(&values, slot);
    count--;
    mutations++;
}

- (void)removeAllObjects {
    for (size_t i = 0; i < capacity; i++) {
        slice_clear(&keys, i);
        slice_clear(&values, i);
    }
    count = 0;
    mutations++;
}

- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)size {
    state->mutationsPtr = &mutations;
    return slice_enumerate(&keys, capacity, state, buffer, size);
}

@end
