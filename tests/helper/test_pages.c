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

static bool is_filled(const uint8_t *chunk, size_t size, uint8_t with) {
    return chunk[0] == with && memcmp(chunk, chunk + 1, size - 1) == 0;
}

static void test_small_chunks_are_given_out_again(void) {
    void *first = get(SMALL);
    memset(first, 0xff, SMALL);
    put(first, SMALL);
    void *second = get(SMALL);
    CHECK(second == first);
    CHECK(is_filled(second, SMALL, 0));
    CHECK(get(SMALL) != second);
    loupe_pages_reclaim();
}

/* A table that grew leaves its old place to what comes next, so that no fresh page is touched. */
static void test_chunks_are_cut_from_a_larger_one_that_came_back(void) {
    uint8_t *table = get(4 * SMALL), *larger = get(8 * SMALL);
    put(table, 4 * SMALL);
    for (unsigned i = 0; i < 4; i++)
        CHECK(get(SMALL) == table + i * SMALL);
    uint8_t *next = get(SMALL);
    CHECK(next < table || next >= table + 4 * SMALL);
    CHECK(next < larger || next >= larger + 8 * SMALL);
    loupe_pages_reclaim();
}

enum { CHUNKS = 64 };

/* Whatever comes back in whatever order. */
static void test_no_two_chunks_overlap(void) {
    static uint8_t *chunks[CHUNKS];
    static size_t sizes[CHUNKS];
    uint64_t random = 7;
    for (unsigned turn = 0; turn < 4000; turn++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned i = (unsigned)(random >> 58);
        if (chunks[i]) {
            CHECK(is_filled(chunks[i], sizes[i], (uint8_t)i));
            put(chunks[i], sizes[i]);
            chunks[i] = NULL;
        } else {
            sizes[i] = 1 + (random >> 30 & 0x3fff);
            chunks[i] = get(sizes[i]);
            CHECK(is_filled(chunks[i], sizes[i], 0));
            memset(chunks[i], (int)i, sizes[i]);
        }
    }
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
    CHECK(is_filled(chunk, LARGE, 0));
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
    RUN(test_chunks_are_cut_from_a_larger_one_that_came_back);
    RUN(test_no_two_chunks_overlap);
    RUN(test_reclaimed_chunks_are_not_given_out);
    RUN(test_large_chunks_go_back_to_the_kernel);
    RUN(test_pages_begin_with_a_mark_behind_what_nobody_can_read);
    return check_report();
}
