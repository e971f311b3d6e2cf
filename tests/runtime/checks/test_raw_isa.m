/*
 * test_raw_isa.m - objects whose isa is the class and nothing else, as Apple's runtime makes them
 * when the program is started with OBJC_DISABLE_NONPOINTER_ISA=YES: all else is in the side tables.
 */
#import "raw.h"

#include <stdlib.h>

OBJC_EXTERN void *const objc_debug_side_tables_map;

@interface Plain : NSObject
@end
@implementation Plain
@end

/* The word beside the object in the DenseMap of counts: weakly referenced, deallocating, count. */
static uint64_t refcount_word(id object) {
    uint64_t address = (uintptr_t)object;
    uint64_t stripe = ((address >> 4) ^ (address >> 9)) % 64;
    const char *map = (const char *)objc_debug_side_tables_map + stripe * 64 + 8;
    for (uint32_t i = 0; i < u32_at(map, 16); i++) {
        if (u64_at(pointer_at(map, 0), i * 16) == -address)
            return u64_at(pointer_at(map, 0), i * 16 + 8);
    }
    return 0;
}

static void test_isa_is_the_class(void) {
    Plain *object = [[Plain alloc] init];
    CHECK_EQ(u64_at(object, 0), (uintptr_t)[Plain class]);
    [object release];
}

static void test_side_table_holds_what_is_beyond_one_reference(void) {
    Plain *object = [[Plain alloc] init];
    CHECK_EQ(refcount_word(object), 0);
    CHECK_EQ([object retainCount], 1);
    for (int i = 0; i < 1000; i++)
        [object retain];
    CHECK_EQ(refcount_word(object), 1000 << 2);
    CHECK_EQ([object retainCount], 1001);
    for (int i = 0; i < 1000; i++)
        [object release];
    loupe_test_watch(object, "object");
    [object release];
    CHECK(loupe_test_deallocated("object"));
    CHECK_EQ(refcount_word(object), 0);
}

static void test_weak_reference_and_association_end_with_the_object(void) {
    static const char key;
    Plain *object = [[Plain alloc] init];
    Plain *value = [[Plain alloc] init];
    id weak = nil;
    objc_storeWeak(&weak, object);
    CHECK_EQ(refcount_word(object), 1);
    objc_setAssociatedObject(object, &key, value, OBJC_ASSOCIATION_RETAIN_NONATOMIC);
    CHECK_EQ([value retainCount], 2);
    [object release];
    CHECK(weak == nil);
    CHECK_EQ([value retainCount], 1);
    [value release];
}

int main(void) {
    setenv("OBJC_DISABLE_NONPOINTER_ISA", "YES", 1); /* looked at when the first object is made */
    RUN(test_isa_is_the_class);
    RUN(test_side_table_holds_what_is_beyond_one_reference);
    RUN(test_weak_reference_and_association_end_with_the_object);
    return check_report();
}
