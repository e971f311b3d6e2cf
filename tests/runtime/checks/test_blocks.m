/*
 * test_blocks.m - blocks and __block variables in memory, and what copying them keeps alive. ARC.
 */
#import "raw.h"

OBJC_EXTERN char _NSConcreteMallocBlock[];
OBJC_EXTERN uintptr_t _objc_rootRetainCount(id object);

struct big {
    long words[10];
};

struct held {
    id strong;
    __weak id weak;
    int number;
    __unsafe_unretained id unretained;
    id second;
};

static uint32_t flags_of(const void *block) {
    return u32_at(block, 8);
}

static const void *word_of(const void *block, size_t offset) {
    return pointer_at(block, offset);
}

static void test_heap_block_word_for_word(void) {
    NSObject *object = [[NSObject alloc] init];
    void (^block)(void) = ^{
        (void)object;
    };
    const char *address = ADDRESS(block);
    CHECK_EQ(u64_at(address, 0), (uintptr_t)_NSConcreteMallocBlock);
    CHECK_EQ(flags_of(address), 0xc3000002);
    CHECK_EQ(u32_at(address, 12), 0);
    CHECK_EQ(u64_at(address, 32), (uintptr_t)ADDRESS(object));
    const char *descriptor = pointer_at(address, 24);
    CHECK_EQ(u64_at(descriptor, 0), 0);
    CHECK_EQ(u64_at(descriptor, 8), 40);
    CHECK(u64_at(descriptor, 16) != 0 && u64_at(descriptor, 24) != 0);
    CHECK_STR(pointer_at(descriptor, 32), "v8@?0");
    CHECK_EQ(u64_at(descriptor, 40), 0x100);
    CHECK_STR(object_getClassName(block), "__NSMallocBlock__");
    CHECK_STR(class_getName(class_getSuperclass(object_getClass(block))), "NSBlock");
}

static void test_block_without_objects_has_no_helpers(void) {
    int number = 5;
    int (^block)(void) = ^{
        return number;
    };
    const char *address = ADDRESS(block);
    CHECK_EQ(flags_of(address), 0xc1000002);
    const char *descriptor = pointer_at(address, 24);
    CHECK_EQ(u64_at(descriptor, 8), 36);
    CHECK_STR(pointer_at(descriptor, 24), "");
    CHECK_EQ(block(), 5);
}

static void test_global_block_is_not_copied(void) {
    void (^block)(void) = ^{
    };
    const char *address = ADDRESS(block);
    CHECK_EQ(u64_at(address, 0), (uintptr_t)_NSConcreteGlobalBlock);
    CHECK_EQ(flags_of(address), 0x50000000);
    CHECK_EQ(u64_at(pointer_at(address, 24), 8), 32);
    CHECK(_Block_copy(address) == address);
    CHECK_STR(object_getClassName(block), "__NSGlobalBlock__");
}

static void test_struct_result_is_noted(void) {
    NSObject *object = [[NSObject alloc] init];
    struct big (^block)(void) = ^{
        struct big big = {{object != nil, 2}};
        return big;
    };
#if defined(__x86_64__)
    CHECK_EQ(flags_of(ADDRESS(block)), 0xe3000002);
#endif
    CHECK_EQ(block().words[0], 1);
}

static void look_at_noescape(__attribute__((noescape)) void (^block)(void), NSObject *object) {
    const char *address = ADDRESS(block);
    CHECK_EQ(u64_at(address, 0), (uintptr_t)_NSConcreteGlobalBlock);
    CHECK_EQ(flags_of(address), 0xd0800000);
    CHECK_EQ(u64_at(address, 32), (uintptr_t)ADDRESS(object));
    CHECK(_Block_copy(address) == address);
    block();
}

static void test_noescape_block_stays_where_it_is(void) {
    NSObject *object = [[NSObject alloc] init];
    look_at_noescape(
        ^{
            (void)object;
        },
        object);
}

static void test_stack_block_moves_to_the_heap_when_copied(void) {
    NSObject *object = [[NSObject alloc] init];
    __unsafe_unretained void (^block)(void) = ^{
        (void)object;
    };
    const char *stack = ADDRESS(block);
    CHECK_EQ(u64_at(stack, 0), (uintptr_t)_NSConcreteStackBlock);
    CHECK_EQ(flags_of(stack), 0xc2000000);
    uintptr_t count = _objc_rootRetainCount(object);
    char *heap = _Block_copy(stack);
    CHECK(heap != stack);
    CHECK_EQ(flags_of(heap), 0xc3000002);
    CHECK_EQ(_objc_rootRetainCount(object), count + 1);
    CHECK(_Block_copy(heap) == heap);
    CHECK_EQ(flags_of(heap), 0xc3000004);
    _Block_release(heap);
    CHECK_EQ(flags_of(heap), 0xc3000002);
    _Block_release(heap);
    CHECK_EQ(_objc_rootRetainCount(object), count);
}

static void test_count_that_is_full_stays(void) {
    static void (^block)(void);
    int number = 1;
    block = ^{
        (void)number;
    };
    for (int i = 0; i < 40000; i++)
        _Block_copy(ADDRESS(block));
    CHECK_EQ(flags_of(ADDRESS(block)) & 0xffff, 0xfffe);
    for (int i = 0; i < 40000; i++)
        _Block_release(ADDRESS(block));
    CHECK_EQ(flags_of(ADDRESS(block)) & 0xffff, 0xfffe);
}

/* In a function of its own: the literals, on its stack, hold their captures until it returns. */
static void (^block_in_block(void))(void) {
    NSObject *object = [[NSObject alloc] init];
    loupe_test_watch(object, "captured");
    void (^inner)(void) = ^{
        (void)object;
    };
    return ^{
        inner();
    };
}

static void test_captures_end_with_the_block(void) {
    void (^outer)(void);
    @autoreleasepool {
        outer = block_in_block();
    }
    CHECK(!loupe_test_deallocated("captured"));
    outer();
    outer = nil;
    CHECK(loupe_test_deallocated("captured"));
}

static void test_weak_capture_becomes_nil(void) {
    NSObject *object = [[NSObject alloc] init];
    __weak NSObject *weak = object;
    bool (^is_alive)(void) = ^bool {
        return weak != nil;
    };
    CHECK(is_alive());
    object = nil;
    CHECK(!is_alive());
}

static void test_weak_reference_to_a_block_becomes_nil(void) {
    int number = 1;
    void (^block)(void) = ^{
        (void)number;
    };
    __weak void (^weak)(void) = block;
    CHECK(weak != nil);
    block = nil;
    CHECK(weak == nil);
}

static void test_block_is_an_object(void) {
    int number = 3;
    int (^block)(void) = ^{
        return number;
    };
    NSArray *array = @[ block, [block copy] ];
    CHECK_EQ(flags_of(ADDRESS(block)) & 0xfffe, 6);
    CHECK_EQ(((int (^)(void))array[1])(), 3);
    array = nil;
    CHECK_EQ(flags_of(ADDRESS(block)) & 0xfffe, 2);
}

static void test_extended_layout_of_many_kinds(void) {
    NSObject *object = [[NSObject alloc] init];
    __weak NSObject *weak = object;
    __block id shared = object;
    void (^block)(void) = ^{
        (void)object;
        (void)weak;
        shared = nil;
    };
    CHECK_EQ(u64_at(pointer_at(ADDRESS(block), 24), 40), 0x111);
    CHECK((uintptr_t)_Block_extended_layout((void *)ADDRESS(block)) == 0x111);
    CHECK_EQ(Block_size((void *)ADDRESS(block)), 56);
}

/* ---- __block variables; the byref is found through the capture ---- */

static void test_byref_of_an_object_moves_to_the_heap(void) {
    size_t byrefs = loupe_test_live_byref_count();
    @autoreleasepool {
        NSObject *object = [[NSObject alloc] init];
        __block id variable = object;
        __unsafe_unretained void (^stack)(void) = ^{
            variable = nil;
        };
        const char *on_stack = word_of(ADDRESS(stack), 32);
        CHECK_EQ(u64_at(on_stack, 0), 0);
        CHECK_EQ(u64_at(on_stack, 8), (uintptr_t)on_stack);
        CHECK_EQ(u32_at(on_stack, 16), 0x32000000);
        CHECK_EQ(u32_at(on_stack, 20), 48);

        void (^block)(void) = [stack copy];
        const char *byref = word_of(ADDRESS(block), 32);
        CHECK(byref != on_stack);
        CHECK_EQ(u64_at(on_stack, 8), (uintptr_t)byref);
        CHECK_EQ(u64_at(byref, 0), 0);
        CHECK_EQ(u64_at(byref, 8), (uintptr_t)byref);
        CHECK_EQ(u32_at(byref, 16), 0x33000004);
        CHECK_EQ(u32_at(byref, 20), 48);
        CHECK_EQ(u64_at(byref, 40), (uintptr_t)ADDRESS(object));
        CHECK_EQ(loupe_test_live_byref_count(), byrefs + 1);

        int number = 0;
        void (^second)(void) = ^{
            (void)number;
            variable = nil;
        };
        CHECK(word_of(ADDRESS(second), 32) == byref);
        CHECK_EQ(u32_at(byref, 16), 0x33000006);
        block();
        CHECK_EQ(u64_at(byref, 40), 0);
    }
    CHECK_EQ(loupe_test_live_byref_count(), byrefs);
}

static void (^escaped)(void);

static void let_byref_escape(NSObject *object) {
    __block id variable = object;
    escaped = ^{
        variable = nil;
    };
}

static void test_byref_that_left_its_frame_has_one_reference(void) {
    NSObject *object = [[NSObject alloc] init];
    let_byref_escape(object);
    const char *byref = word_of(ADDRESS(escaped), 32);
    CHECK_EQ(u32_at(byref, 16), 0x33000002);
    CHECK_EQ(u64_at(byref, 40), (uintptr_t)ADDRESS(object));
    loupe_test_watch(object, "held by byref");
    object = nil;
    CHECK(!loupe_test_deallocated("held by byref"));
    escaped = nil;
    CHECK(loupe_test_deallocated("held by byref"));
}

static void test_byref_of_a_structure(void) {
    NSObject *object = [[NSObject alloc] init];
    __block struct held variable = {object, object, 4, object, nil};
    void (^block)(void) = ^{
        variable.number++;
    };
    const char *byref = word_of(ADDRESS(block), 32);
    CHECK_EQ(u32_at(byref, 16), 0x13000004);
    CHECK_EQ(u32_at(byref, 20), 88);
    CHECK_STR(pointer_at(byref, 40), "\x30\x50\x20\x60\x30");
    CHECK_EQ(u64_at(byref, 48), (uintptr_t)ADDRESS(object));
    block();
    CHECK_EQ(variable.number, 5);
    CHECK(variable.weak == object);
}

static void test_byref_that_is_weak(void) {
    NSObject *object = [[NSObject alloc] init];
    __block __weak id variable = object;
    bool (^is_alive)(void) = ^bool {
        return variable != nil;
    };
    const char *byref = word_of(ADDRESS(is_alive), 32);
    CHECK_EQ(u32_at(byref, 16), 0x43000004);
    CHECK(is_alive());
    object = nil;
    CHECK(!is_alive());
    CHECK_EQ(u64_at(byref, 40), 0);
}

static void test_byrefs_without_helpers(void) {
    NSObject *object = [[NSObject alloc] init];
    __block int number = 6;
    __block __unsafe_unretained id unretained = object;
    void (^block)(void) = ^{
        number++;
        unretained = nil;
    };
    const char *first = word_of(ADDRESS(block), 32);
    const char *second = word_of(ADDRESS(block), 40);
    CHECK_EQ(u32_at(first, 16), 0x21000004);
    CHECK_EQ(u32_at(second, 16), 0x51000004);
    CHECK_EQ(u32_at(first, 20), 32);
    CHECK_EQ(u32_at(second, 20), 32);
    block();
    CHECK_EQ(u32_at(first, 24), 7);
    CHECK_EQ(number, 7);
}

static void test_byref_of_a_block_that_calls_itself(void) {
    __block int (^factorial)(int);
    factorial = ^(int n) {
        return n < 2 ? 1 : n * factorial(n - 1);
    };
    CHECK_EQ(u32_at(word_of(ADDRESS(factorial), 32), 16), 0x33000004);
    CHECK_EQ(factorial(5), 120);
    factorial = nil;
}

int main(void) {
    @autoreleasepool {
        RUN(test_heap_block_word_for_word);
        RUN(test_block_without_objects_has_no_helpers);
        RUN(test_global_block_is_not_copied);
        RUN(test_struct_result_is_noted);
        RUN(test_noescape_block_stays_where_it_is);
        RUN(test_stack_block_moves_to_the_heap_when_copied);
        RUN(test_count_that_is_full_stays);
        RUN(test_captures_end_with_the_block);
        RUN(test_weak_capture_becomes_nil);
        RUN(test_weak_reference_to_a_block_becomes_nil);
        RUN(test_block_is_an_object);
        RUN(test_extended_layout_of_many_kinds);
        RUN(test_byref_of_an_object_moves_to_the_heap);
        RUN(test_byref_that_left_its_frame_has_one_reference);
        RUN(test_byref_of_a_structure);
        RUN(test_byref_that_is_weak);
        RUN(test_byrefs_without_helpers);
        RUN(test_byref_of_a_block_that_calls_itself);
    }
    return check_report();
}
