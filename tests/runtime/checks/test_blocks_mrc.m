/*
 * test_blocks_mrc.m - blocks in code that counts references by hand: copy helpers retain objects
 * and copy blocks, __block variables do neither.
 */
#import "raw.h"

static uint32_t count_in_flags(const void *block) {
    return (u32_at(block, 8) & 0xfffe) >> 1;
}

static void test_copy_retains_objects_and_copies_blocks(void) {
    NSObject *object = [[NSObject alloc] init];
    void (^inner)(void) = ^{
        (void)object;
    };
    void (^outer)(void) = ^{
        (void)object;
        inner();
    };
    CHECK_STR(object_getClassName((id)outer), "__NSStackBlock__");
    CHECK_EQ([object retainCount], 1);
    void (^copy)(void) = [outer copy];
    CHECK_STR(object_getClassName((id)copy), "__NSMallocBlock__");
    CHECK_EQ([object retainCount], 3); /* by the copies of both blocks */
    CHECK_EQ(count_in_flags(copy), 1);
    CHECK_STR(object_getClassName((id)pointer_at(copy, 40)), "__NSMallocBlock__");
    [copy release];
    CHECK_EQ([object retainCount], 1);
    [object release];
}

static void test_block_variable_is_not_retained(void) {
    NSObject *object = [[NSObject alloc] init];
    __block NSObject *variable = object;
    void (^copy)(void) = [^{
        (void)[variable self];
    } copy];
    const char *byref = pointer_at(copy, 32);
    CHECK_EQ(u32_at(byref, 16), 0x53000004);
    CHECK_EQ(u64_at(byref, 40), (uintptr_t)object);
    CHECK_EQ([object retainCount], 1);
    [copy release];
    [object release];
}

static void test_messages_to_blocks(void) {
    int number = 4;
    int (^stack)(void) = ^{
        return number;
    };
    CHECK([stack retain] == stack); /* a stack block cannot be retained */
    int (^heap)(void) = [stack copy];
    CHECK([heap retain] == heap);
    CHECK_EQ(count_in_flags(heap), 2);
    CHECK_EQ([(id)heap retainCount], 1);
    [heap release];
    @autoreleasepool {
        [[heap retain] autorelease];
        CHECK_EQ(count_in_flags(heap), 2);
    }
    CHECK_EQ(count_in_flags(heap), 1);
    loupe_test_watch((id)heap, "heap");
    [heap release];
    CHECK(loupe_test_deallocated("heap"));
}

static void test_plain_functions(void) {
    NSObject *object = [[NSObject alloc] init];
    void (^block)(void) = Block_copy(^{
        (void)[object self];
    });
    CHECK_EQ([object retainCount], 2);
    Block_release(block);
    CHECK_EQ([object retainCount], 1);
    CHECK(_Block_copy(NULL) == NULL);
    _Block_release(NULL);
    [object release];
}

int main(void) {
    @autoreleasepool {
        RUN(test_copy_retains_objects_and_copies_blocks);
        RUN(test_block_variable_is_not_retained);
        RUN(test_messages_to_blocks);
        RUN(test_plain_functions);
    }
    return check_report();
}
