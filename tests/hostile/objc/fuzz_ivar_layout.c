/* Any bytes as an ivar layout, at hand and in the memory of a target. */
#include "fuzz_memory.h"
#include "fuzz_target.h"

#include "types/ivar_layout.h"

#include <string.h>

#define IMAGE 0x10000u

/* The words that the bytes mark, one after the other, without a thought for runs. */
static void check_runs(struct loupe_span bytes) {
    struct loupe_ivar_layout_cursor cursor;
    struct loupe_word_run run = {0};
    uint32_t word = 0, left = 0, next = 0;
    loupe_ivar_layout_begin(&cursor, bytes);
    for (size_t i = 0; i < bytes.length && bytes.bytes[i]; i++) {
        word += (uint8_t)bytes.bytes[i] >> 4;
        for (unsigned scan = bytes.bytes[i] & 15; scan; scan--, word++, left--, next++) {
            if (!left) {
                FUZZ_CHECK(loupe_ivar_layout_next(&cursor, &run));
                FUZZ_CHECK(run.count > 0 && (next == 0 || run.first > next));
                left = run.count;
                next = run.first;
            }
            FUZZ_CHECK(next == word);
        }
    }
    FUZZ_CHECK(left == 0 && !loupe_ivar_layout_next(&cursor, &run));
    FUZZ_CHECK(cursor.status == LOUPE_OK);
}

static void check_memory(struct loupe_memory *memory, struct loupe_span bytes) {
    struct loupe_ivar_layout_cursor at_hand, in_memory;
    struct loupe_word_run want, got;
    loupe_ivar_layout_begin(&at_hand, bytes);
    loupe_ivar_layout_begin_at(&in_memory, memory, IMAGE);
    while (loupe_ivar_layout_next(&at_hand, &want)) {
        FUZZ_CHECK(loupe_ivar_layout_next(&in_memory, &got));
        FUZZ_CHECK(got.first == want.first && got.count == want.count);
    }
    FUZZ_CHECK(!loupe_ivar_layout_next(&in_memory, &got));
    bool ends = bytes.length && memchr(bytes.bytes, 0, bytes.length);
    FUZZ_CHECK(in_memory.status == (ends ? LOUPE_OK : LOUPE_EFAULT));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct loupe_span bytes = {.bytes = (const char *)data, .length = size};
    if (size > LOUPE_IVAR_LAYOUT_MAX_BYTES)
        return 0;
    struct fuzz_memory image = {.bytes = data, .start = IMAGE, .size = size};
    struct loupe_machine machine = {.pointer_size = 8, .arch = LOUPE_ARCH_X86_64};
    struct loupe_memory memory;
    loupe_memory_init(&memory, &fuzz_memory_ops, &image, machine, &fuzz_chunks);
    check_runs(bytes);
    check_memory(&memory, bytes);
    loupe_memory_deinit(&memory);
    return 0;
}
