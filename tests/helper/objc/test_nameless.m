/*
 * A program without symbols: what destroys its blocks has no name. Swift's runtime in the process
 * does not matter, Swift in the program does.
 *
 * usage: test_nameless EXPECTED, what the probe of a block that captures an object says
 */
#include "block_probing.h"

#include <Foundation/Foundation.h>

#ifdef USES_SWIFT
void swift_release(void *object);
#endif

static void check_block(const char *expected) {
    NSObject *object = [NSObject new];
    int number = 7;
    void (^block)(void) = ^{
        (void)object, (void)number;
    };
    CHECK_STR(released_by((__bridge const void *)block), expected);
}

int main(int argc, char **argv) {
#ifdef USES_SWIFT
    if (argc > 9)
        swift_release(NULL);
#endif
    @autoreleasepool {
        check_block(argc > 1 ? argv[1] : "");
    }
    return check_report();
}
