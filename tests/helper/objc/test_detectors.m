/*
 * Detectors under a real runtime: what clang's dispose helpers do to them, for every kind of
 * capture under ARC, and that nothing of the program notices.
 */
#include "detecting.h"

#include <Foundation/Foundation.h>

OBJC_EXTERN uintptr_t _objc_rootRetainCount(id object);

static void test_objects_blocks_weak_slots_and_data_are_told_apart(void) {
    NSObject *object = [NSObject new];
    void (^inner)(void) = ^{
        (void)object;
    };
    __weak NSObject *weak = object;
    __unsafe_unretained NSObject *unretained = object;
    long number = 7;
    void (^block)(void) = ^{
        (void)object;
        (void)inner;
        (void)weak;
        (void)unretained;
        (void)number;
    };
    uintptr_t count_before = _objc_rootRetainCount(object);
    CHECK_EQ(probe((__bridge void *)block), 5);
    CHECK(tested_weak);
    CHECK_EQ(releases[0], LOUPE_RELEASE_STRONG);
    CHECK_EQ(releases[1], LOUPE_RELEASE_STRONG);
    CHECK_EQ(releases[2], LOUPE_RELEASE_WEAK);
    CHECK_EQ(releases[3], LOUPE_RELEASE_NONE);
    CHECK_EQ(releases[4], LOUPE_RELEASE_NONE);
    CHECK_EQ(_objc_rootRetainCount(object), count_before);
    CHECK(weak == object);
    block();
}

static void test_block_variables_are_released_as_such(void) {
    __block NSObject *variable = [NSObject new];
    __block int number = 1;
    NSObject *object = variable;
    void (^block)(void) = ^{
        number++;
        variable = nil;
        (void)object;
    };
    CHECK_EQ(probe((__bridge void *)block), 3);
    CHECK_EQ(releases[0], LOUPE_RELEASE_STRONG);
    CHECK_EQ(releases[1], LOUPE_RELEASE_BYREF);
    CHECK_EQ(releases[2], LOUPE_RELEASE_BYREF);
    block();
    CHECK_EQ(number, 2);
}

struct pair {
    NSObject *strong;
    long number;
    __weak NSObject *weak;
    __unsafe_unretained NSObject *unretained;
    NSObject *last;
};

static void test_members_of_captured_structs_are_told_apart(void) {
    NSObject *object = [NSObject new];
    struct pair pair = {object, 1, object, object, object};
    void (^block)(void) = ^{
        (void)pair;
    };
    CHECK_EQ(probe((__bridge void *)block), 5);
    CHECK_EQ(releases[0], LOUPE_RELEASE_STRONG);
    CHECK_EQ(releases[1], LOUPE_RELEASE_NONE);
    CHECK_EQ(releases[2], LOUPE_RELEASE_WEAK);
    CHECK_EQ(releases[3], LOUPE_RELEASE_NONE);
    CHECK_EQ(releases[4], LOUPE_RELEASE_STRONG);
    block();
}

static void test_weak_slots_only(void) {
    NSObject *object = [NSObject new];
    __weak NSObject *first = object;
    __weak NSObject *second = object;
    void (^block)(void) = ^{
        (void)first;
        (void)second;
    };
    for (unsigned i = 0; i < 100; i++) {
        CHECK_EQ(probe((__bridge void *)block), 2);
        CHECK_EQ(releases[0], LOUPE_RELEASE_WEAK);
        CHECK_EQ(releases[1], LOUPE_RELEASE_WEAK);
    }
    object = nil;
    CHECK(first == nil && second == nil);
    block();
}

static void test_as_many_words_as_there_are_detectors(void) {
    NSObject *object = [NSObject new];
    struct {
        NSObject *objects[LOUPE_DETECTORS_MAX];
    } many = {.objects = {object}};
    void (^block)(void) = ^{
        (void)many;
    };
    CHECK_EQ(probe((__bridge void *)block), LOUPE_DETECTORS_MAX);
    unsigned strong = 0;
    for (unsigned i = 0; i < LOUPE_DETECTORS_MAX; i++)
        strong += releases[i] == LOUPE_RELEASE_STRONG;
    CHECK_EQ(strong, LOUPE_DETECTORS_MAX);
    block();
}

int main(void) {
    @autoreleasepool {
        RUN(test_objects_blocks_weak_slots_and_data_are_told_apart);
        RUN(test_block_variables_are_released_as_such);
        RUN(test_members_of_captured_structs_are_told_apart);
        RUN(test_weak_slots_only);
        RUN(test_as_many_words_as_there_are_detectors);
    }
    return check_report();
}
