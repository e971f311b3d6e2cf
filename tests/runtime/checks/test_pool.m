/*
 * test_pool.m - autorelease pool pages in memory, and results handed over without them. No ARC.
 */
#import "raw.h"

#include <pthread.h>

OBJC_EXTERN void *objc_autoreleasePoolPush(void);
OBJC_EXTERN void objc_autoreleasePoolPop(void *token);
OBJC_EXTERN const uint32_t objc_debug_autoreleasepoolpage_magic_offset;
OBJC_EXTERN const uint32_t objc_debug_autoreleasepoolpage_next_offset;
OBJC_EXTERN const uint32_t objc_debug_autoreleasepoolpage_parent_offset;
OBJC_EXTERN const uint32_t objc_debug_autoreleasepoolpage_child_offset;
OBJC_EXTERN const uint32_t objc_debug_autoreleasepoolpage_depth_offset;
OBJC_EXTERN const uint32_t objc_debug_autoreleasepoolpage_begin_offset;
OBJC_EXTERN const uintptr_t objc_debug_autoreleasepoolpage_ptr_mask;

#define PAGE 4096UL

static void test_offsets(void) {
    CHECK_EQ(objc_debug_autoreleasepoolpage_magic_offset, 0);
    CHECK_EQ(objc_debug_autoreleasepoolpage_next_offset, 16);
    CHECK_EQ(objc_debug_autoreleasepoolpage_parent_offset, 32);
    CHECK_EQ(objc_debug_autoreleasepoolpage_child_offset, 40);
    CHECK_EQ(objc_debug_autoreleasepoolpage_depth_offset, 48);
    CHECK_EQ(objc_debug_autoreleasepoolpage_begin_offset, 56);
}

static void test_first_pool_of_a_thread_needs_no_page(void) {
    void *token = objc_autoreleasePoolPush();
    CHECK_EQ((uintptr_t)token, 1);
    objc_autoreleasePoolPop(token);
}

static void test_entries_of_a_page(void) {
    void *outer = objc_autoreleasePoolPush();
    NSObject *a = [[NSObject alloc] init], *b = [[NSObject alloc] init];
    [[a retain] autorelease];
    uint64_t *token = objc_autoreleasePoolPush();
    const char *page = (const char *)((uintptr_t)token & ~(PAGE - 1));
    CHECK_EQ(u32_at(page, 0), 0xa1a1a1a1);
    CHECK(memcmp(page + 4, "AUTORELEASE!", 12) == 0);
    CHECK_EQ(u64_at(page, 56), 0); /* the first pool begins, now that there is a page */
    CHECK_EQ(u64_at(page, 64), (uintptr_t)a);
    CHECK_EQ(*token, 0); /* a pool begins */
    [[b retain] autorelease];
    [[b retain] autorelease];
    [[b retain] autorelease];
    [[a retain] autorelease];
    CHECK_EQ(token[1] & objc_debug_autoreleasepoolpage_ptr_mask, (uintptr_t)b);
    CHECK_EQ(token[1] >> 48, 2); /* two more of the same */
    CHECK_EQ(token[2], (uintptr_t)a);
    CHECK_EQ(u64_at(page, 16), (uintptr_t)(token + 3));
    CHECK_EQ([b retainCount], 4);
    objc_autoreleasePoolPop(token);
    CHECK_EQ([b retainCount], 1);
    CHECK_EQ([a retainCount], 2);
    CHECK_EQ(u64_at(page, 16), (uintptr_t)token);
    objc_autoreleasePoolPop(outer);
    CHECK_EQ([a retainCount], 1);
    [a release];
    [b release];
}

static void test_pools_are_nested(void) {
    @autoreleasepool {
        NSObject *late = [[[NSObject alloc] init] autorelease];
        loupe_test_watch(late, "late");
        @autoreleasepool {
            NSObject *early = [[[NSObject alloc] init] autorelease];
            loupe_test_watch(early, "early");
            CHECK(!loupe_test_deallocated("early"));
        }
        CHECK(loupe_test_deallocated("early") && !loupe_test_deallocated("late"));
    }
    CHECK(loupe_test_deallocated("late"));
}

static void test_pages_are_chained(void) {
    size_t alive = loupe_test_live_object_count();
    void *outer = objc_autoreleasePoolPush();
    for (int i = 0; i < 2000; i++)
        [[[NSObject alloc] init] autorelease];
    uint64_t *token = objc_autoreleasePoolPush();
    const char *page = (const char *)((uintptr_t)token & ~(PAGE - 1));
    CHECK_EQ(u32_at(page, 48), 2000 / ((PAGE - 56) / 8));
    const char *parent = pointer_at(page, 32);
    CHECK(parent && pointer_at(parent, 40) == page);
    CHECK_EQ(u64_at(parent, 16), (uintptr_t)parent + PAGE);
    CHECK_EQ(loupe_test_live_object_count(), alive + 2000);
    objc_autoreleasePoolPop(token);
    objc_autoreleasePoolPop(outer);
    CHECK_EQ(loupe_test_live_object_count(), alive);
}

static void *autorelease_without_pool(void *unused) {
    NSObject *object = [[NSObject alloc] init];
    loupe_test_watch(object, "object of a thread");
    [object autorelease];
    return unused;
}

static void test_thread_that_ends_drains_its_pool(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, autorelease_without_pool, NULL);
    pthread_join(thread, NULL);
    CHECK(loupe_test_deallocated("object of a thread"));
}

int main(void) {
    RUN(test_offsets);
    RUN(test_first_pool_of_a_thread_needs_no_page);
    RUN(test_entries_of_a_page);
    RUN(test_pools_are_nested);
    RUN(test_pages_are_chained);
    RUN(test_thread_that_ends_drains_its_pool);
    return check_report();
}
