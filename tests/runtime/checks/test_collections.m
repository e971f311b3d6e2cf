/*
 * test_collections.m - arrays, dictionaries and sets: what they hold, and where in memory. Without
 * ARC, so that every count is known.
 */
#import "raw.h"

static const uint32_t capacities[] = {0, 3, 7, 13, 23, 41, 71, 127, 191, 251, 383, 631, 1087, 1723};

static const char *class_of(id object) {
    return object_getClassName(object);
}

static NSObject *new_object(void) {
    return [[NSObject alloc] init];
}

/* A key that is copied, so that the copy can be told from the original. */
@interface CopiedKey : NSObject <NSCopying> {
  @public
    int number;
}
@end
@implementation CopiedKey
- (id)copyWithZone:(NSZone *)zone {
    (void)zone;
    CopiedKey *copy = [[CopiedKey alloc] init];
    copy->number = number;
    return copy;
}
- (NSUInteger)hash {
    return (NSUInteger)number % 5; /* many collisions */
}
- (BOOL)isEqual:(id)other {
    return [other isKindOfClass:[CopiedKey class]] && ((CopiedKey *)other)->number == number;
}
@end

static CopiedKey *key_with(int number) {
    CopiedKey *key = [[[CopiedKey alloc] init] autorelease];
    key->number = number;
    return key;
}

static void test_array_classes(void) {
    NSObject *object = new_object();
    CHECK_STR(class_of(@[]), "__NSArray0");
    CHECK_STR(class_of(@[ object ]), "__NSSingleObjectArrayI");
    CHECK_STR(class_of(@[ object, object ]), "__NSArrayI");
    CHECK_STR(class_of([NSMutableArray array]), "__NSArrayM");
    CHECK_STR(class_of([[@[ object ] mutableCopy] autorelease]), "__NSArrayM");
    CHECK_STR(class_of([[[NSMutableArray array] copy] autorelease]), "__NSArray0");
    NSArray *literal = @[];
    CHECK(literal == [NSArray array]);
    [object release];
}

static void test_immutable_arrays_in_memory(void) {
    NSObject *a = new_object(), *b = new_object();
    NSArray *one = [[NSArray alloc] initWithObjects:a, nil];
    CHECK_EQ(u64_at(one, 8), (uintptr_t)a);
    NSArray *three = [[NSArray alloc] initWithObjects:a, b, a, nil];
    CHECK_EQ(u64_at(three, 8), 3);
    CHECK_EQ(u64_at(three, 16), (uintptr_t)a);
    CHECK_EQ(u64_at(three, 24), (uintptr_t)b);
    CHECK_EQ(u64_at(three, 32), (uintptr_t)a);
    CHECK_EQ([a retainCount], 4);
    [one release];
    [three release];
    CHECK_EQ([a retainCount], 1);
    CHECK_EQ([b retainCount], 1);
    [a release];
    [b release];
}

static id mutable_element(NSMutableArray *array, uint32_t index) {
    uint32_t place = u32_at(array, 24) + index;
    if (place >= u32_at(array, 28))
        place -= u32_at(array, 28);
    return (id)pointer_at(pointer_at(array, 16), place * 8);
}

static void test_mutable_array_in_memory_after_many_changes(void) {
    NSMutableArray *array = [[NSMutableArray alloc] init];
    NSNumber *shadow[200];
    unsigned count = 0;
    for (int i = 0; i < 100; i++) {
        [array addObject:@(i)];
        shadow[count++] = @(i);
    }
    for (int i = 0; i < 40; i++) {
        [array removeObjectAtIndex:0];
        memmove(shadow, shadow + 1, --count * sizeof shadow[0]);
    }
    for (int i = 0; i < 60; i++) {
        unsigned at = i % 3 == 0 ? 0 : (unsigned)i;
        [array insertObject:@(1000 + i) atIndex:at];
        memmove(shadow + at + 1, shadow + at, (count++ - at) * sizeof shadow[0]);
        shadow[at] = @(1000 + i);
    }
    [array removeObjectAtIndex:50];
    memmove(shadow + 50, shadow + 51, (--count - 50) * sizeof shadow[0]);
    CHECK_EQ(u64_at(array, 8), 0);
    CHECK_EQ(u32_at(array, 36), count);
    CHECK_EQ([array count], count);
    int wrong = 0;
    for (unsigned i = 0; i < count; i++)
        wrong += mutable_element(array, i) != shadow[i] || [array objectAtIndex:i] != shadow[i];
    CHECK_EQ(wrong, 0);
    [array release];
}

static void test_mutable_array_owns_what_is_in_it(void) {
    NSMutableArray *array = [[NSMutableArray alloc] init];
    NSObject *a = new_object(), *b = new_object();
    [array addObject:a];
    array[1] = a;
    CHECK_EQ([a retainCount], 3);
    array[0] = b;
    CHECK_EQ([a retainCount], 2);
    [array removeObject:a];
    CHECK_EQ([a retainCount], 1);
    [array addObject:a];
    [array removeAllObjects];
    CHECK_EQ([a retainCount], 1);
    CHECK_EQ([b retainCount], 1);
    [array addObject:b];
    [array release];
    CHECK_EQ([b retainCount], 1);
    [b release];
    [a release];
}

static void test_dictionary_classes(void) {
    CHECK_STR(class_of(@{}), "__NSDictionary0");
    CHECK_STR(class_of(@{@"a" : @1}), "__NSSingleEntryDictionaryI");
    CHECK_STR(class_of(@{@"a" : @1, @"b" : @2}), "__NSDictionaryI");
    CHECK_STR(class_of([NSMutableDictionary dictionary]), "__NSDictionaryM");
}

static void test_immutable_dictionaries_in_memory(void) {
    NSObject *value = new_object();
    NSDictionary *one = [[NSDictionary alloc] initWithObjects:&value
                                                      forKeys:(id[]){@"key"}
                                                        count:1];
    CHECK_EQ(u64_at(one, 8), (uintptr_t)value);
    CHECK_EQ(u64_at(one, 16), (uintptr_t)@"key");
    [one release];

    NSDictionary *four = @{@"a" : @1, @"b" : @2, @"c" : @3, @"d" : @4};
    uint64_t bits = u64_at(four, 8);
    CHECK_EQ(bits & ((1UL << 58) - 1), 4);
    uint32_t capacity = capacities[bits >> 58];
    unsigned pairs = 0;
    for (uint32_t i = 0; i < capacity; i++) {
        id key = (id)pointer_at(four, 16 + i * 16);
        if (!key)
            continue;
        pairs++;
        CHECK((id)pointer_at(four, 24 + i * 16) == four[key]);
    }
    CHECK_EQ(pairs, 4);
    [value release];
}

static void test_mutable_dictionary_in_memory_after_many_changes(void) {
    NSMutableDictionary *dictionary = [[NSMutableDictionary alloc] init];
    for (int i = 0; i < 300; i++)
        dictionary[key_with(i)] = @(i * 2);
    for (int i = 0; i < 300; i += 3)
        [dictionary removeObjectForKey:key_with(i)];
    for (int i = 0; i < 30; i++)
        dictionary[key_with(i)] = @(i * 7);
    int wrong = 0;
    for (int i = 0; i < 300; i++) {
        NSNumber *expected = i < 30 ? @(i * 7) : i % 3 ? @(i * 2) : nil;
        wrong += dictionary[key_with(i)] != expected;
    }
    CHECK_EQ(wrong, 0);
    uint32_t word = u32_at(dictionary, 20);
    uint32_t capacity = capacities[word >> 26];
    CHECK_EQ(word & ((1U << 25) - 1), [dictionary count]);
    const char *buffer = pointer_at(dictionary, 8);
    unsigned pairs = 0;
    for (uint32_t i = 0; i < capacity; i++) {
        id key = (id)pointer_at(buffer, i * 8);
        id value = (id)pointer_at(buffer, (capacity + i) * 8);
        CHECK(!key == !value);
        pairs += key && dictionary[key] == value;
    }
    CHECK_EQ(pairs, [dictionary count]);
    CHECK_EQ(pairs, 210);
    [dictionary release];
}

static void test_dictionary_copies_keys_and_retains_values(void) {
    CopiedKey *key = key_with(1);
    NSObject *value = new_object();
    NSMutableDictionary *dictionary = [[NSMutableDictionary alloc] init];
    [dictionary setObject:value forKey:key];
    CHECK_EQ([value retainCount], 2);
    for (id own in dictionary) {
        CHECK(own != key);
        CHECK_EQ([own retainCount], 1);
    }
    [dictionary setObject:value forKey:key];
    CHECK_EQ([value retainCount], 2);
    [dictionary release];
    CHECK_EQ([value retainCount], 1);
    [value release];
}

static void test_sets_in_memory(void) {
    NSSet *set = [NSSet setWithObjects:@"a", @"b", @"a", @"c", nil];
    CHECK_STR(class_of(set), "__NSSetI");
    uint64_t bits = u64_at(set, 8);
    CHECK_EQ(bits & ((1UL << 58) - 1), 3);
    unsigned members = 0;
    for (uint32_t i = 0; i < capacities[bits >> 58]; i++)
        members += u64_at(set, 16 + i * 8) != 0;
    CHECK_EQ(members, 3);
    CHECK([set containsObject:@"b"] && ![set containsObject:@"d"]);

    NSMutableSet *changing = [[NSMutableSet alloc] init];
    CHECK_STR(class_of(changing), "__NSSetM");
    for (int i = 0; i < 200; i++)
        [changing addObject:key_with(i)];
    for (int i = 0; i < 200; i += 2)
        [changing removeObject:key_with(i)];
    uint32_t word = u32_at(changing, 28);
    CHECK_EQ(word & ((1U << 26) - 1), 100);
    members = 0;
    for (uint32_t i = 0; i < capacities[word >> 26]; i++)
        members += u64_at(pointer_at(changing, 16), i * 8) != 0;
    CHECK_EQ(members, 100);
    int wrong = 0;
    for (int i = 0; i < 200; i++)
        wrong += [changing containsObject:key_with(i)] != i % 2;
    CHECK_EQ(wrong, 0);
    [changing release];
}

static void test_fast_enumeration_sees_everything_once(void) {
    NSMutableArray *array = [NSMutableArray array];
    NSMutableDictionary *dictionary = [NSMutableDictionary dictionary];
    NSMutableSet *set = [NSMutableSet set];
    for (int i = 1; i <= 100; i++) {
        [array addObject:@(i)];
        dictionary[@(i)] = @(-i);
        [set addObject:@(i)];
    }
    int sums[6] = {0};
    for (NSNumber *number in array)
        sums[0] += [number intValue];
    for (NSNumber *number in [[array copy] autorelease])
        sums[1] += [number intValue];
    for (NSNumber *number in dictionary)
        sums[2] += [number intValue] + [dictionary[number] intValue] + 50;
    for (NSNumber *number in set)
        sums[3] += [number intValue];
    for (NSNumber *number in [set objectEnumerator])
        sums[4] += [number intValue];
    NSEnumerator *enumerator = [array objectEnumerator];
    for (NSNumber *number; (number = [enumerator nextObject]);)
        sums[5] += [number intValue];
    CHECK_EQ(sums[0], 5050);
    CHECK_EQ(sums[1], 5050);
    CHECK_EQ(sums[2], 5000);
    CHECK_EQ(sums[3], 5050);
    CHECK_EQ(sums[4], 5050);
    CHECK_EQ(sums[5], 5050);
}

static void test_enumeration_with_a_block(void) {
    __block int sum = 0;
    [@[ @1, @2, @3 ] enumerateObjectsUsingBlock:^(NSNumber *number, NSUInteger i, BOOL *stop) {
        sum += [number intValue] * (int)(i + 1);
        *stop = i == 1;
    }];
    CHECK_EQ(sum, 5);
    [@{@"a" : @10, @"b" : @20} enumerateKeysAndObjectsUsingBlock:^(id key, id value, BOOL *stop) {
        (void)key;
        (void)stop;
        sum += [value intValue];
    }];
    CHECK_EQ(sum, 35);
}

static void test_equality(void) {
    CHECK([(@[ @1, @"a" ]) isEqual:(@[ @1, @"a" ])]);
    CHECK(![(@[ @1, @"a" ]) isEqual:(@[ @"a", @1 ])]);
    CHECK([(@{@"x" : @1, @"y" : @[]}) isEqual:(@{@"y" : @[], @"x" : @1})]);
    NSSet *set = [NSSet setWithObjects:@1, @2, nil];
    CHECK([set isEqual:([NSSet setWithObjects:@2, @1, @2, nil])]);
}

static void test_framework_classes_say_nothing_about_ownership(void) {
    for (id object in @[ @[ @1, @2 ], @{@1 : @2}, [NSMutableSet set] ]) {
        CHECK(class_getIvarLayout([object class]) == NULL);
        CHECK_EQ(u32_at(ro_of([object class]), 0) & 0x80, 0);
    }
}

int main(void) {
    size_t alive = loupe_test_live_object_count();
    @autoreleasepool {
        RUN(test_array_classes);
        RUN(test_immutable_arrays_in_memory);
        RUN(test_mutable_array_in_memory_after_many_changes);
        RUN(test_mutable_array_owns_what_is_in_it);
        RUN(test_dictionary_classes);
        RUN(test_immutable_dictionaries_in_memory);
        RUN(test_mutable_dictionary_in_memory_after_many_changes);
        RUN(test_dictionary_copies_keys_and_retains_values);
        RUN(test_sets_in_memory);
        RUN(test_fast_enumeration_sees_everything_once);
        RUN(test_enumeration_with_a_block);
        RUN(test_equality);
        RUN(test_framework_classes_say_nothing_about_ownership);
    }
    CHECK_EQ(loupe_test_live_object_count(), alive);
    return check_report();
}
