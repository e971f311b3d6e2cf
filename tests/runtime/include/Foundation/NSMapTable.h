/*
 * NSMapTable.h - tables that say how they hold what is in them: strong, weak or not at all.
 * The concrete classes are NSConcreteMapTable and NSConcreteHashTable.
 */
#ifndef LOUPE_TEST_FOUNDATION_NSMAPTABLE_H
#define LOUPE_TEST_FOUNDATION_NSMAPTABLE_H

#import <Foundation/NSArray.h>

typedef NS_OPTIONS(NSUInteger, NSPointerFunctionsOptions) {
    NSPointerFunctionsStrongMemory = 0UL,
    NSPointerFunctionsOpaqueMemory = 2UL,
    NSPointerFunctionsWeakMemory = 5UL,
    NSPointerFunctionsObjectPersonality = 0UL << 8,
    NSPointerFunctionsOpaquePersonality = 1UL << 8,
    NSPointerFunctionsObjectPointerPersonality = 2UL << 8,
    NSPointerFunctionsCopyIn = 1UL << 16,
};

enum {
    NSMapTableStrongMemory = NSPointerFunctionsStrongMemory,
    NSMapTableWeakMemory = NSPointerFunctionsWeakMemory,
    NSMapTableCopyIn = NSPointerFunctionsCopyIn,
    NSMapTableObjectPointerPersonality = NSPointerFunctionsObjectPointerPersonality,
    NSHashTableStrongMemory = NSPointerFunctionsStrongMemory,
    NSHashTableWeakMemory = NSPointerFunctionsWeakMemory,
    NSHashTableCopyIn = NSPointerFunctionsCopyIn,
    NSHashTableObjectPointerPersonality = NSPointerFunctionsObjectPointerPersonality,
};

@interface NSMapTable<KeyType, ObjectType> : NSObject <NSFastEnumeration>
- (instancetype)initWithKeyOptions:(NSPointerFunctionsOptions)keyOptions
                      valueOptions:(NSPointerFunctionsOptions)valueOptions
                          capacity:(NSUInteger)capacity;
+ (NSMapTable<KeyType, ObjectType> *)mapTableWithKeyOptions:(NSPointerFunctionsOptions)keyOptions
                                               valueOptions:
                                                   (NSPointerFunctionsOptions)valueOptions;
+ (NSMapTable<KeyType, ObjectType> *)strongToStrongObjectsMapTable;
+ (NSMapTable<KeyType, ObjectType> *)strongToWeakObjectsMapTable;
+ (NSMapTable<KeyType, ObjectType> *)weakToStrongObjectsMapTable;
+ (NSMapTable<KeyType, ObjectType> *)weakToWeakObjectsMapTable;
/* Entries whose key or value has gone do not count. */
@property(readonly) NSUInteger count;
- (ObjectType)objectForKey:(KeyType)key;
- (void)setObject:(ObjectType)object forKey:(KeyType)key;
- (void)removeObjectForKey:(KeyType)key;
- (void)removeAllObjects;
@end

@interface NSHashTable<ObjectType> : NSObject <NSFastEnumeration>
- (instancetype)initWithOptions:(NSPointerFunctionsOptions)options capacity:(NSUInteger)capacity;
+ (NSHashTable<ObjectType> *)hashTableWithOptions:(NSPointerFunctionsOptions)options;
+ (NSHashTable<ObjectType> *)weakObjectsHashTable;
@property(readonly) NSUInteger count;
@property(readonly, copy) NSArray<ObjectType> *allObjects;
- (void)addObject:(ObjectType)object;
- (void)removeObject:(ObjectType)object;
- (void)removeAllObjects;
- (BOOL)containsObject:(ObjectType)object;
- (ObjectType)member:(ObjectType)object;
@end

#endif
