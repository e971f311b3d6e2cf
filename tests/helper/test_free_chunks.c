/*
 * The free memory of this process's own malloc: chunks that are in use are never taken for free
 * ones, and those on its lists are found.
 */
#include "check.h"
#include "memory/pages.h"
#include "runtime/free_chunks.h"
#include "self_reader.h"

#include <stdlib.h>

enum { WORD = 8, COUNT = 4000, SKIPPED = 77 };

static void *blocks[COUNT];
static size_t sizes[COUNT];
static unsigned found_free, missed_free, wrongly_free;

static uint32_t next_random(void) {
    static uint32_t state = 12345;
    return state = state * 1664525u + 1013904223u;
}

static size_t some_size(void) {
    uint32_t random = next_random() >> 8;
    return random % 8 ? 16 + random % 200 : 16 + random % 5000;
}

/* As a runtime leaves it whose isa comes after words_before words. */
static void fill(void *block, size_t size) {
    uint64_t *words = block;
    for (size_t i = 0; i < size / WORD; i++)
        words[i] = i == 0 ? 1 : (uint64_t)(uintptr_t)blocks;
}

static bool is_free(struct loupe_memory *memory, const void *block, size_t size,
                    unsigned words_before) {
    return loupe_is_in_free_chunk(memory,
                                  (loupe_addr)(uintptr_t)block + (loupe_addr)WORD * words_before,
                                  words_before, size - (size_t)WORD * words_before);
}

static void look_at_all(const bool *in_use) {
    struct loupe_self self;
    struct loupe_memory memory;
    CHECK_EQ(loupe_self_init(&self, &loupe_pages), LOUPE_OK);
    loupe_memory_init(&memory, &loupe_self_ops, &self, loupe_own_machine, &loupe_pages);
    for (unsigned i = 0; i < COUNT; i++) {
        bool shown_free = is_free(&memory, blocks[i], sizes[i], i % 2);
        if (in_use[i])
            wrongly_free += shown_free;
        else if (shown_free)
            found_free++;
        else
            missed_free++;
    }
    loupe_memory_deinit(&memory);
    loupe_self_deinit(&self);
}

static void test_free_chunks_of_this_process(void) {
    static bool in_use[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        sizes[i] = some_size();
        blocks[i] = malloc(sizes[i]);
        fill(blocks[i], sizes[i]);
        in_use[i] = true;
    }
    void *last = malloc(64); /* so that none borders on memory that was never given out */
    look_at_all(in_use);
    CHECK_EQ(wrongly_free, 0);
    for (unsigned i = 0; i < COUNT; i++) {
        if (next_random() >> 16 & 1) {
            free(blocks[i]);
            in_use[i] = false;
        }
    }
    look_at_all(in_use);
    CHECK_EQ(wrongly_free, 0);
    /* Neighbours that were freed one after another became one chunk, whose parts may not show. */
    CHECK(found_free > 9 * missed_free);
    printf("%u found, %u missed\n", found_free, missed_free);
    for (unsigned i = 0; i < COUNT; i++) {
        if (in_use[i])
            free(blocks[i]);
    }
    free(last);
}

int main(void) {
#ifndef __GLIBC__
    printf("skipped: malloc is not glibc's\n");
    return SKIPPED;
#endif
    RUN(test_free_chunks_of_this_process);
    return check_report();
}
