/* The helper's own memory: what an analysis gives back is there for its next step. */
#include "check.h"
#include "memory/pages.h"
#include "memory/regions.h"
#include "scene/own_pages.h"

#include <string.h>

enum { SMALL = 64 << 10, LARGE = 4 << 20 };

static void *get(size_t size) {
    void *chunk = loupe_pages.get(loupe_pages.ctx, size);
    CHECK(chunk != NULL);
    return chunk;
}

static void put(void *chunk, size_t size) {
    loupe_pages.put(loupe_pages.ctx, chunk, size);
}

static bool is_zero(const unsigned char *bytes, size_t size) {
    return !bytes[0] && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static void test_small_chunks_are_given_out_again(void) {
    void *first = get(SMALL);
    memset(first, 0xff, SMALL);
    put(first, SMALL);
    void *second = get(SMALL);
    CHECK(second == first);
    CHECK(is_zero(second, SMALL));
    CHECK(get(SMALL) != second);
    loupe_pages_reclaim();
}

static void test_returned_chunk_is_none_of_another_size(void) {
    void *first = get(SMALL);
    put(first, SMALL);
    CHECK(get(SMALL + 64) != first);
    CHECK(get(SMALL - 64) != first);
    CHECK(get(SMALL) == first);
    loupe_pages_reclaim();
}

/* The slab of before is gone with what was returned to it. */
static void test_reclaimed_chunks_are_not_given_out(void) {
    put(get(SMALL), SMALL);
    loupe_pages_reclaim();
    memset(get(SMALL), 0xff, SMALL);
    loupe_pages_reclaim();
}

static void test_large_chunks_go_back_to_the_kernel(void) {
    uintptr_t start, end;
    void *chunk = get(LARGE);
    uintptr_t place = (uintptr_t)chunk;
    CHECK(is_zero(chunk, LARGE));
    CHECK(loupe_pages_find(place, place + 1, &start, &end));
    put(chunk, LARGE);
    CHECK(!loupe_pages_find(place, place + 1, &start, &end));
    loupe_pages_reclaim();
}

/* Whoever looks from outside finds it at the start of a region. */
static void test_pages_begin_with_a_mark_behind_what_nobody_can_read(void) {
    uint8_t before;
    const uint8_t *chunk = get(LARGE);
    const struct loupe_own_pages *mark = (const void *)(chunk - 64);
    CHECK_STR(mark->magic, LOUPE_OWN_PAGES_MAGIC);
    CHECK_EQ(mark->start, (uintptr_t)mark);
    CHECK_EQ(mark->start % LOUPE_OWN_PAGES_ALIGNMENT, 0);
    CHECK(mark->start + mark->size >= (uintptr_t)chunk + LARGE);
    CHECK(loupe_regions_copy(mark->start - 1, &before, 1) == LOUPE_EFAULT);
    loupe_pages_reclaim();
}

int main(void) {
    RUN(test_small_chunks_are_given_out_again);
    RUN(test_returned_chunk_is_none_of_another_size);
    RUN(test_reclaimed_chunks_are_not_given_out);
    RUN(test_large_chunks_go_back_to_the_kernel);
    RUN(test_pages_begin_with_a_mark_behind_what_nobody_can_read);
    return check_report();
}
