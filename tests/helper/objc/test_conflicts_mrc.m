/* Without ARC extended layouts call strong what no helper retains. The probe tells what is owned. */
#include "block_probing.h"

#include <Block.h>
#include <Foundation/Foundation.h>

struct objects {
    NSObject *first;
    long number;
    NSObject *last;
};

static void test_unretained_variable_is_called_strong(void) {
    NSObject *object = [NSObject new];
    __unsafe_unretained NSObject *unretained = object;
    void (^block)(void) = Block_copy(^{
        (void)object;
        (void)unretained;
    });
    CHECK_STR(layout_of(block), "0x200");
    CHECK_STR(released_by(block), "32 strong");
    Block_release(block);
    [object release];
}

static void test_members_of_structs_are_called_strong(void) {
    NSObject *object = [NSObject new];
    struct objects objects = {object, 1, object};
    void (^block)(void) = Block_copy(^{
        (void)object;
        (void)objects;
    });
    CHECK_STR(layout_of(block), "31 20 30");
    CHECK_STR(released_by(block), "32 strong");
    Block_release(block);
    [object release];
}

static void test_block_without_helpers_owns_nothing_whatever_its_layout(void) {
    NSObject *object = [NSObject new];
    __unsafe_unretained NSObject *unretained = object;
    void (^block)(void) = Block_copy(^{
        (void)unretained;
    });
    CHECK_STR(layout_of(block), "0x100");
    CHECK_STR(released_by(block), "it has no dispose helper");
    Block_release(block);
    [object release];
}

static void test_variable_that_retains_nothing_is_released_itself(void) {
    __block NSObject *variable = [NSObject new];
    NSObject *object = variable;
    void (^inner)(void) = Block_copy(^{
        (void)object;
    });
    void (^block)(void) = Block_copy(^{
        (void)variable;
        (void)inner;
    });
    CHECK_STR(layout_of(block), "0x110");
    CHECK_STR(released_by(block), "32 block, 40 byref");
    Block_release(block);
    Block_release(inner);
    [object release];
}

int main(void) {
    @autoreleasepool {
        RUN(test_unretained_variable_is_called_strong);
        RUN(test_members_of_structs_are_called_strong);
        RUN(test_block_without_helpers_owns_nothing_whatever_its_layout);
        RUN(test_variable_that_retains_nothing_is_released_itself);
    }
    return check_report();
}
