/* What arena.h promises: alignment, zeroes, no overflow, every chunk given back. */
#include "base/arena.h"
#include "check.h"
#include "memory/drawn_heap.h"

#include <stdlib.h>

static bool is_zero(const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (((const uint8_t *)bytes)[i])
            return false;
    }
    return true;
}

static void test_memory_is_zeroed_aligned_and_apart(void) {
    struct loupe_arena arena;
    uint8_t *places[300];
    loupe_arena_init(&arena, &drawn_chunks);
    for (size_t size = 0; size < 300; size++) {
        places[size] = loupe_arena_alloc(&arena, size);
        CHECK(places[size] != NULL && (uintptr_t)places[size] % 16 == 0);
        CHECK(is_zero(places[size], size));
        memset(places[size], (int)(size & 0xff), size);
    }
    for (size_t size = 0; size < 300; size++) {
        for (size_t i = 0; i < size; i++) {
            if (places[size][i] != (size & 0xff) && CHECK(places[size][i] == (size & 0xff)))
                return;
        }
    }
    loupe_arena_deinit(&arena);
}

static void test_memory_of_a_recycled_chunk_is_zeroed(void) {
    struct loupe_arena arena;
    for (int round = 0; round < 3; round++) {
        loupe_arena_init(&arena, &drawn_chunks);
        uint8_t *place = loupe_arena_alloc(&arena, 30000);
        CHECK(place && is_zero(place, 30000));
        if (place)
            memset(place, 0xee, 30000);
        loupe_arena_deinit(&arena);
    }
}

static void test_small_allocations_share_a_chunk_and_large_ones_get_their_own(void) {
    struct drawn_failing_chunks state = {.fail_at = 1000};
    struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
    struct loupe_arena arena;
    loupe_arena_init(&arena, &chunks);
    CHECK_EQ(arena.total, 0);
    for (int i = 0; i < 100; i++)
        CHECK(loupe_arena_alloc(&arena, 100) != NULL);
    CHECK_EQ(state.outstanding, 1);
    CHECK(loupe_arena_alloc(&arena, 1 << 20) != NULL);
    CHECK_EQ(state.outstanding, 2);
    CHECK(arena.total >= (1 << 20) + 100 * 100);
    loupe_arena_deinit(&arena);
    CHECK_EQ(state.outstanding, 0);
    CHECK_EQ(arena.total, 0);
}

static void test_arena_can_be_used_again_after_deinit(void) {
    struct loupe_arena arena;
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK(loupe_arena_alloc(&arena, 10) != NULL);
    loupe_arena_deinit(&arena);
    CHECK(loupe_arena_alloc(&arena, 10) != NULL);
    loupe_arena_deinit(&arena);
    loupe_arena_deinit(&arena); /* of nothing */
}

static void test_sizes_that_overflow_are_refused(void) {
    struct loupe_arena arena;
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK(loupe_arena_alloc(&arena, SIZE_MAX) == NULL);
    CHECK(loupe_arena_alloc(&arena, SIZE_MAX - 15) == NULL);
    CHECK(loupe_arena_alloc(&arena, SIZE_MAX / 2 + 1) == NULL);
    CHECK(loupe_arena_alloc_array(&arena, SIZE_MAX, 2) == NULL);
    CHECK(loupe_arena_alloc_array(&arena, 2, SIZE_MAX) == NULL);
    CHECK(loupe_arena_alloc_array(&arena, SIZE_MAX / 8 + 2, 8) == NULL); /* 8 after the overflow */
    CHECK(loupe_arena_alloc_array(&arena, (size_t)1 << 32, (size_t)1 << 32) == NULL);
    CHECK(loupe_arena_alloc_array(&arena, 0, 8) != NULL);
    CHECK(loupe_arena_alloc_array(&arena, 8, 0) != NULL);
    loupe_arena_deinit(&arena);
}

static void test_every_failing_chunk_leaves_the_arena_whole(void) {
    for (uint64_t n = 1; n < 12; n++) {
        struct drawn_failing_chunks state = {.fail_at = n};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        struct loupe_arena arena;
        uint64_t got = 0;
        loupe_arena_init(&arena, &chunks);
        for (int i = 0; i < 10; i++) {
            uint8_t *place = loupe_arena_alloc(&arena, 40000); /* one to a chunk */
            if (place)
                memset(place, 1, 40000);
            got += place != NULL;
        }
        CHECK_EQ(got, n - 1 < 10 ? n - 1 : 10);
        CHECK_EQ((uint64_t)state.outstanding, got);
        CHECK_EQ(arena.total != 0, got != 0);
        loupe_arena_deinit(&arena);
        CHECK_EQ(state.outstanding, 0);
    }
}

static void test_small_allocation_after_a_failed_large_one_still_fits(void) {
    struct drawn_failing_chunks state = {.fail_at = 2};
    struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
    struct loupe_arena arena;
    loupe_arena_init(&arena, &chunks);
    CHECK(loupe_arena_alloc(&arena, 100) != NULL);
    CHECK(loupe_arena_alloc(&arena, 1 << 20) == NULL);
    CHECK(loupe_arena_alloc(&arena, 100) != NULL);
    loupe_arena_deinit(&arena);
    CHECK_EQ(state.outstanding, 0);
}

static void test_growing_array_keeps_its_elements(void) {
    struct loupe_arena arena;
    uint64_t *items = NULL;
    uint32_t capacity = 0;
    loupe_arena_init(&arena, &drawn_chunks);
    for (uint32_t count = 0; count < 5000; count++) {
        items = loupe_arena_grow(&arena, items, count, &capacity, sizeof(*items));
        if (!CHECK(items != NULL && capacity > count))
            return;
        items[count] = count * 7u;
    }
    bool same = true;
    for (uint32_t i = 0; i < 5000; i++)
        same = same && items[i] == i * 7u;
    CHECK(same);
    loupe_arena_deinit(&arena);
}

static void test_array_that_cannot_grow_stays_as_it_is(void) {
    struct drawn_failing_chunks state = {.fail_at = 2};
    struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
    struct loupe_arena arena;
    uint32_t capacity = 0;
    char *items = NULL, *larger = NULL;
    uint32_t count = 0;
    loupe_arena_init(&arena, &chunks);
    for (; count < 1000; count++) {
        larger = loupe_arena_grow(&arena, items, count, &capacity, 1000);
        if (!larger)
            break;
        items = larger;
        memset(items + count * 1000, (int)(count & 0xff), 1000);
    }
    CHECK(larger == NULL && count > 0);
    CHECK_EQ(capacity, count);
    CHECK_EQ((uint8_t)items[(count - 1) * 1000], (count - 1) & 0xff);
    uint32_t full = 0x80000000u; /* twice as many cannot be counted */
    CHECK(loupe_arena_grow(&arena, items, full, &full, 1) == NULL);
    CHECK_EQ(full, 0x80000000u);
    loupe_arena_deinit(&arena);
}

static void test_copied_strings_end_in_a_nul(void) {
    struct loupe_arena arena;
    loupe_arena_init(&arena, &drawn_chunks);
    struct loupe_span part = {.bytes = "handlers", .length = 7};
    CHECK_STR(loupe_arena_copy_string(&arena, part), "handler");
    CHECK_STR(loupe_arena_copy_string(&arena, (struct loupe_span){0}), "");
    loupe_arena_deinit(&arena);
}

/* ---- Chunks of another size ---- */

static void *resize_malloc(void *ctx, void *chunk, size_t size, size_t wanted) {
    (void)ctx, (void)size;
    return realloc(chunk, wanted);
}

static void *resize_nothing(void *ctx, void *chunk, size_t size, size_t wanted) {
    (void)ctx, (void)chunk, (void)size, (void)wanted;
    return NULL;
}

/* Of providers that resize chunks, that cannot do so this time, and that never do. */
static void test_chunk_that_grows_keeps_what_stands_in_it(void) {
    void *(*const resizers[])(void *, void *, size_t, size_t) = {resize_malloc, resize_nothing,
                                                                 NULL};
    for (size_t i = 0; i < sizeof(resizers) / sizeof(resizers[0]); i++) {
        struct loupe_chunk_ops chunks = drawn_chunks;
        chunks.resize = resizers[i];
        uint8_t *chunk = loupe_chunk_grow(&chunks, NULL, 0, 100);
        CHECK(chunk != NULL);
        memset(chunk, 7, 100);
        chunk = loupe_chunk_grow(&chunks, chunk, 100, 100000);
        CHECK(chunk && chunk[0] == 7 && chunk[99] == 7);
        chunk = loupe_chunk_exchange(&chunks, chunk, 100000, 200000);
        CHECK(chunk != NULL);
        memset(chunk, 8, 200000);
        loupe_chunk_put(&chunks, chunk, 200000);
    }
}

static void test_chunk_without_memory_to_grow_stays(void) {
    struct drawn_failing_chunks state = {.fail_at = 2};
    struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
    uint8_t *chunk = loupe_chunk_get(&chunks, 100);
    chunk[99] = 7;
    CHECK(!loupe_chunk_grow(&chunks, chunk, 100, 1000));
    CHECK_EQ(state.outstanding, 1);
    CHECK_EQ(chunk[99], 7);
    state.fail_at = 3;
    CHECK(!loupe_chunk_exchange(&chunks, chunk, 100, 1000));
    CHECK_EQ(state.outstanding, 0);
}

int main(void) {
    RUN(test_memory_is_zeroed_aligned_and_apart);
    RUN(test_memory_of_a_recycled_chunk_is_zeroed);
    RUN(test_small_allocations_share_a_chunk_and_large_ones_get_their_own);
    RUN(test_arena_can_be_used_again_after_deinit);
    RUN(test_sizes_that_overflow_are_refused);
    RUN(test_every_failing_chunk_leaves_the_arena_whole);
    RUN(test_small_allocation_after_a_failed_large_one_still_fits);
    RUN(test_growing_array_keeps_its_elements);
    RUN(test_array_that_cannot_grow_stays_as_it_is);
    RUN(test_copied_strings_end_in_a_nul);
    RUN(test_chunk_that_grows_keeps_what_stands_in_it);
    RUN(test_chunk_without_memory_to_grow_stays);
    return check_report();
}
