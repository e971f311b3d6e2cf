/* A layout that clang merges wrongly, under ARC: the probe tells what is owned all the same. */
#include "block_probing.h"

#include <Foundation/Foundation.h>

struct with_bits {
    NSObject *first;
    int few : 3, more : 5;
    NSObject *last;
};

static void test_bit_fields_between_objects_are_called_strong(void) {
    struct with_bits bits = {[NSObject new], 1, 2, [NSObject new]};
    void (^block)(void) = ^{
        (void)bits;
    };
    const void *address = (__bridge const void *)block;
    CHECK_STR(layout_of(address), "0x300");
    CHECK_STR(released_by(address), "32 strong, 48 strong");
}

int main(void) {
    @autoreleasepool {
        RUN(test_bit_fields_between_objects_are_called_strong);
    }
    return check_report();
}
