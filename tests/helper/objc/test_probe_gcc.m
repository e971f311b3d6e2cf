/*
 * The probe on GCC's runtime with Debian's blocks: helpers release blocks and the storage of __block
 * variables, and leave objects alone, because that runtime of blocks does not retain them.
 */
#include "block_probing.h"

#include <Block.h>
#include <objc/Object.h>
#include <objc/runtime.h>

@interface Owner : Object {
  @public
    Object *_object;
}
@end
@implementation Owner
@end

static id new_object(const char *class_name) {
    return class_createInstance((Class)objc_getClass(class_name), 0);
}

static void test_blocks_and_variables_are_told_and_objects_stay_silent(void) {
    id object = new_object("Object");
    __block int variable = 1;
    void (^inner)(void) = Block_copy(^{
        (void)object;
    });
    void (^block)(void) = Block_copy(^{
        (void)object;
        (void)inner;
        variable++;
    });
    CHECK_STR(released_by(block), "40 block, 48 byref");
    CHECK_STR(released_by(block), "40 block, 48 byref"); /* as it was remembered */
    block();
    CHECK_EQ(variable, 2);
    Block_release(block);
    Block_release(inner);
    object_dispose(object);
}

static void test_block_of_numbers_has_nothing_to_probe(void) {
    int number = 1;
    void (^block)(void) = Block_copy(^{
        (void)number;
    });
    CHECK_STR(released_by(block), "it has no dispose helper");
    Block_release(block);
}

static void test_classes_have_no_such_method(void) {
    id owner = new_object("Owner");
    CHECK_STR(released_by(owner), "it has no .cxx_destruct");
    object_dispose(owner);
}

int main(void) {
    RUN(test_blocks_and_variables_are_told_and_objects_stay_silent);
    RUN(test_block_of_numbers_has_nothing_to_probe);
    RUN(test_classes_have_no_such_method);
    return check_report();
}
