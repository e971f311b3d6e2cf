/*
 * test_isa.m - the isa word and the side tables, in code without ARC so that every count is known.
 */
#import "raw.h"

#include <pthread.h>
#include <stdlib.h>

OBJC_EXTERN const uintptr_t objc_debug_isa_class_mask;
OBJC_EXTERN const uintptr_t objc_debug_isa_magic_mask;
OBJC_EXTERN const uintptr_t objc_debug_isa_magic_value;
OBJC_EXTERN const uint32_t objc_class_abi_version;
OBJC_EXTERN void *const objc_debug_side_tables_map;

@interface Plain : NSObject
@end
@implementation Plain
@end

static uint64_t isa_of(id object) {
    return u64_at(ADDRESS(object), 0);
}

/* ---- side tables, by the numbers ---- */

static uint64_t disguised(const void *pointer) {
    return -(uint64_t)pointer;
}

static const char *side_table_of(id object) {
    uint64_t address = (uintptr_t)object;
    uint64_t stripe = ((address >> 4) ^ (address >> 9)) % 64;
    return (const char *)objc_debug_side_tables_map + stripe * 64;
}

/* The word beside the object in the DenseMap of counts, or UINT64_MAX. */
static uint64_t refcount_word(id object) {
    const char *map = side_table_of(object) + 8;
    for (uint32_t i = 0; i < u32_at(map, 16); i++) {
        if (u64_at(pointer_at(map, 0), i * 16) == disguised(object))
            return u64_at(pointer_at(map, 0), i * 16 + 8);
    }
    return UINT64_MAX;
}

static const char *weak_entry(id object) {
    const char *table = side_table_of(object) + 32;
    if (!u64_at(table, 0))
        return NULL;
    for (uint64_t i = 0; i <= u64_at(table, 16); i++) {
        const char *entry = pointer_at(table, 0) + i * 40;
        if (u64_at(entry, 0) == disguised(object))
            return entry;
    }
    return NULL;
}

static bool is_among(const char *words, uint64_t count, uint64_t wanted) {
    for (uint64_t i = 0; i < count; i++) {
        if (u64_at(words, i * 8) == wanted)
            return true;
    }
    return false;
}

/* ---- */

static void test_constants_for_debuggers(void) {
    CHECK_EQ(objc_debug_isa_class_mask, CLASS_MASK);
    CHECK_EQ(objc_debug_isa_magic_mask, MAGIC_MASK);
    CHECK_EQ(objc_debug_isa_magic_value, MAGIC_VALUE);
    CHECK_EQ(objc_class_abi_version, 1);
}

static void test_new_object_has_a_packed_isa_with_one_reference(void) {
    Plain *object = [[Plain alloc] init];
    uint64_t isa = isa_of(object);
    CHECK_EQ(isa & CLASS_MASK, (uintptr_t)[Plain class]);
    CHECK_EQ(isa & MAGIC_MASK, MAGIC_VALUE);
    CHECK_EQ(EXTRA_RC(isa), 1);
    CHECK_EQ(isa & (HAS_ASSOC | HAS_CXX_DTOR | WEAKLY_REFERENCED | HAS_SIDETABLE_RC), 0);
    CHECK_EQ(refcount_word(object), UINT64_MAX);
    [object release];
}

static void test_class_objects_have_a_plain_isa(void) {
    CHECK_EQ(isa_of([Plain class]) & 1, 0);
    CHECK_EQ(isa_of([Plain class]), (uintptr_t)objc_getMetaClass("Plain"));
}

static void test_retain_and_release_count_in_the_isa(void) {
    Plain *object = [[Plain alloc] init];
    [object retain];
    [object retain];
    CHECK_EQ(EXTRA_RC(isa_of(object)), 3);
    CHECK_EQ([object retainCount], 3);
    [object release];
    CHECK_EQ(EXTRA_RC(isa_of(object)), 2);
    [object release];
    loupe_test_watch(object, "object");
    [object release];
    CHECK(loupe_test_deallocated("object"));
}

static void test_large_count_overflows_to_the_side_table_and_back(void) {
    Plain *object = [[Plain alloc] init];
    for (int i = 0; i < 254; i++)
        [object retain];
    CHECK_EQ(EXTRA_RC(isa_of(object)), 255);
    CHECK_EQ(isa_of(object) & HAS_SIDETABLE_RC, 0);
    [object retain];
    CHECK_EQ(EXTRA_RC(isa_of(object)), 128);
    CHECK(isa_of(object) & HAS_SIDETABLE_RC);
    CHECK_EQ(refcount_word(object) >> 2, 128);
    for (int i = 0; i < 744; i++)
        [object retain];
    CHECK_EQ([object retainCount], 1000);
    CHECK_EQ(EXTRA_RC(isa_of(object)) + (refcount_word(object) >> 2), 1000);
    for (int i = 0; i < 999; i++)
        [object release];
    CHECK_EQ([object retainCount], 1);
    CHECK_EQ(EXTRA_RC(isa_of(object)), 1);
    CHECK_EQ(isa_of(object) & HAS_SIDETABLE_RC, 0);
    CHECK_EQ(refcount_word(object), UINT64_MAX); /* the entry goes with its count, as on a Mac */
    loupe_test_watch(object, "object");
    [object release];
    CHECK(loupe_test_deallocated("object"));
}

static void test_weak_reference_is_entered_by_address(void) {
    Plain *object = [[Plain alloc] init];
    id weak = nil;
    objc_storeWeak(&weak, object);
    CHECK_EQ((uintptr_t)weak, (uintptr_t)object);
    CHECK(isa_of(object) & WEAKLY_REFERENCED);
    const char *entry = weak_entry(object);
    CHECK(entry && is_among(entry + 8, 4, disguised(&weak)));
    objc_storeWeak(&weak, nil);
    CHECK(!weak_entry(object));
    [object release];
}

static void test_many_weak_references_move_out_of_line_and_all_become_nil(void) {
    enum { COUNT = 100 };
    Plain *object = [[Plain alloc] init];
    id weak[COUNT] = {nil};
    for (int i = 0; i < 4; i++)
        objc_storeWeak(&weak[i], object);
    CHECK((u64_at(weak_entry(object), 16) & 3) != 2);
    for (int i = 4; i < COUNT; i++)
        objc_storeWeak(&weak[i], object);
    const char *entry = weak_entry(object);
    CHECK_EQ(u64_at(entry, 16) & 3, 2);
    CHECK_EQ(u64_at(entry, 16) >> 2, COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK(is_among(pointer_at(entry, 8), u64_at(entry, 24) + 1, disguised(&weak[i])));
    [object release];
    for (int i = 0; i < COUNT; i++)
        CHECK(weak[i] == nil);
}

static void test_many_weakly_referenced_objects_grow_the_tables(void) {
    enum { COUNT = 20000 };
    id *objects = calloc(COUNT, sizeof *objects);
    id *weak = calloc(COUNT, sizeof *weak);
    for (int i = 0; i < COUNT; i++) {
        objects[i] = [[Plain alloc] init];
        objc_storeWeak(&weak[i], objects[i]);
    }
    for (int i = 0; i < COUNT; i += 2)
        [objects[i] release];
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += weak[i] != (i % 2 ? objects[i] : nil);
    CHECK_EQ(wrong, 0);
    CHECK(weak_entry(objects[1]) != NULL);
    for (int i = 1; i < COUNT; i += 2)
        [objects[i] release];
    free(objects);
    free(weak);
}

static void test_association_is_noted_in_the_isa(void) {
    static const char key;
    Plain *object = [[Plain alloc] init];
    Plain *value = [[Plain alloc] init];
    objc_setAssociatedObject(object, &key, value, OBJC_ASSOCIATION_RETAIN_NONATOMIC);
    CHECK(isa_of(object) & HAS_ASSOC);
    CHECK_EQ([value retainCount], 2);
    [object release];
    CHECK_EQ([value retainCount], 1);
    [value release];
}

/* Often beyond what the isa holds, so that the side table is in play too. */
static void *retain_and_release(void *object) {
    for (int turn = 0; turn < 100; turn++) {
        for (int i = 0; i < 300; i++)
            [(id)object retain];
        for (int i = 0; i < 300; i++)
            [(id)object release];
    }
    return NULL;
}

static void test_counts_are_atomic(void) {
    Plain *object = [[Plain alloc] init];
    pthread_t thread;
    pthread_create(&thread, NULL, retain_and_release, object);
    retain_and_release(object);
    pthread_join(thread, NULL);
    CHECK_EQ([object retainCount], 1);
    [object release];
}

int main(void) {
    RUN(test_constants_for_debuggers);
    RUN(test_new_object_has_a_packed_isa_with_one_reference);
    RUN(test_class_objects_have_a_plain_isa);
    RUN(test_retain_and_release_count_in_the_isa);
    RUN(test_large_count_overflows_to_the_side_table_and_back);
    RUN(test_weak_reference_is_entered_by_address);
    RUN(test_many_weak_references_move_out_of_line_and_all_become_nil);
    RUN(test_many_weakly_referenced_objects_grow_the_tables);
    RUN(test_association_is_noted_in_the_isa);
    RUN(test_counts_are_atomic);
    return check_report();
}
