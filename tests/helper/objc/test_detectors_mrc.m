/* The same without ARC: helpers release through _Block_object_dispose(). */
#include "detecting.h"

#include <Block.h>
#include <Foundation/Foundation.h>

static void test_objects_and_blocks_are_told_apart(void) {
    NSObject *object = [NSObject new];
    __unsafe_unretained NSObject *unretained = object;
    long number = 3;
    void (^inner)(void) = Block_copy(^{
        (void)object;
    });
    void (^block)(void) = Block_copy(^{
        (void)object;
        (void)inner;
        (void)unretained;
        (void)number;
    });
    CHECK_EQ(probe(block), 4);
    CHECK_EQ(releases[0], LOUPE_RELEASE_STRONG);
    CHECK_EQ(releases[1], LOUPE_RELEASE_BLOCK);
    CHECK_EQ(releases[2], LOUPE_RELEASE_NONE);
    CHECK_EQ(releases[3], LOUPE_RELEASE_NONE);
    Block_release(block);
    Block_release(inner);
    [object release];
}

static void test_block_variable_is_released_as_such(void) {
    __block NSObject *variable = [NSObject new];
    void (^block)(void) = Block_copy(^{
        (void)variable;
    });
    CHECK_EQ(probe(block), 1);
    CHECK_EQ(releases[0], LOUPE_RELEASE_BYREF);
    Block_release(block);
    [variable release];
}

int main(void) {
    @autoreleasepool {
        RUN(test_objects_and_blocks_are_told_apart);
        RUN(test_block_variable_is_released_as_such);
    }
    return check_report();
}
