/*
 * Layout words and strings: what clang emits (abi of libclosure), every opcode, and what no
 * compiler emits. Runs are written as "strong@0x2": two strong words at offset 0.
 */
#include "blocks/block_layout.h"
#include "check.h"
#include "memory/drawn_heap.h"

static struct loupe_arena arena;

/* "strong@0x1 byref@8x1", and what ended it if that was not a proper end. */
static const char *show(const struct loupe_layout *layout) {
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < layout->run_count; i++)
        used += loupe_format(text + used, sizeof(text) - used, "%s%s@%ux%u", i ? " " : "",
                             loupe_layout_op_name(layout->runs[i].op), layout->runs[i].offset,
                             layout->runs[i].count);
    if (layout->end == LOUPE_LAYOUT_BAD_BYTE)
        loupe_format(text + used, sizeof(text) - used, " bad");
    if (layout->end == LOUPE_LAYOUT_OVERRUN)
        loupe_format(text + used, sizeof(text) - used, " overrun");
    return text;
}

static const char *show_word(uint32_t word, uint8_t pointer_size, uint32_t limit) {
    struct loupe_layout layout = {0};
    CHECK_EQ(loupe_layout_decode_inline(&arena, word, pointer_size, limit, &layout), LOUPE_OK);
    CHECK(layout.is_inline);
    return show(&layout);
}

static const char *show_bytes(struct loupe_span bytes, uint8_t pointer_size, uint32_t limit) {
    struct loupe_layout layout = {0};
    CHECK_EQ(loupe_layout_decode_bytes(&arena, bytes, pointer_size, limit, &layout), LOUPE_OK);
    CHECK(!layout.is_inline);
    return show(&layout);
}

#define BYTES(literal) ((struct loupe_span){.bytes = (literal), .length = sizeof(literal) - 1})
#define ANY            LOUPE_LAYOUT_NO_LIMIT

static void test_inline_words(void) {
    CHECK_STR(show_word(0x111, 8, ANY), "strong@0x1 byref@8x1 weak@16x1");
    CHECK_STR(show_word(0x100, 8, ANY), "strong@0x1");
    CHECK_STR(show_word(0x070, 8, ANY), "byref@0x7");
    CHECK_STR(show_word(0x001, 8, ANY), "weak@0x1");
    CHECK_STR(show_word(0xf10, 8, ANY), "strong@0x15 byref@120x1");
    CHECK_STR(show_word(0x880, 8, ANY), "strong@0x8 byref@64x8");
    CHECK_STR(show_word(0xfff, 8, ANY), "strong@0x15 byref@120x15 weak@240x15");
}

static void test_inline_words_of_a_32_bit_target_count_4_bytes(void) {
    CHECK_STR(show_word(0x120, 4, ANY), "strong@0x1 byref@4x2");
}

static void test_strings_as_clang_writes_them(void) {
    CHECK_STR(show_bytes(BYTES("\x3f\x30\x40\x50\x00"), 8, ANY),
              "strong@0x16 strong@128x1 byref@136x1 weak@144x1");
    CHECK_STR(show_bytes(BYTES("\x3f\x4b\x00"), 8, ANY), "strong@0x16 byref@128x12");
    CHECK_STR(show_bytes(BYTES("\x20\x30\x20\x50\x00"), 8, ANY),
              "non-object-words@0x1 strong@8x1 non-object-words@16x1 weak@24x1");
    CHECK_STR(show_bytes(BYTES("\x20\x30\x50\x00"), 8, ANY),
              "non-object-words@0x1 strong@8x1 weak@16x1");
    CHECK_STR(show_bytes(BYTES("\x30\x50\x20\x60\x30\x00"), 8, ANY),
              "strong@0x1 weak@8x1 non-object-words@16x1 unretained@24x1 strong@32x1");
    CHECK_STR(show_bytes(BYTES("\x00"), 8, ANY), "");
}

static void test_bytes_are_bytes_and_not_words(void) {
    CHECK_STR(show_bytes(BYTES("\x10\x30\x00"), 8, ANY), "non-object-bytes@0x1 strong@1x1");
    CHECK_STR(show_bytes(BYTES("\x1f\x30\x00"), 4, ANY), "non-object-bytes@0x16 strong@16x1");
}

static void test_every_opcode(void) {
    static const char *const expected[16] = {
        [1] = "non-object-bytes@0x3",
        [2] = "non-object-words@0x3",
        [3] = "strong@0x3",
        [4] = "byref@0x3",
        [5] = "weak@0x3",
        [6] = "unretained@0x3",
        [7] = "reserved@0x3",
        [8] = "reserved@0x3",
        [9] = "reserved@0x3",
        [10] = "reserved@0x3",
    };
    for (unsigned op = 0; op < 16; op++) {
        char byte = (char)(op << 4 | 2);
        const char *shown = show_bytes((struct loupe_span){.bytes = &byte, .length = 1}, 8, ANY);
        CHECK_STR(shown, expected[op] ? expected[op] : " bad");
    }
}

static void test_reserved_opcodes_skip_words(void) {
    CHECK_STR(show_bytes(BYTES("\x71\x30\x00"), 8, ANY), "reserved@0x2 strong@16x1");
}

static void test_byte_without_a_meaning_ends_what_is_known(void) {
    CHECK_STR(show_bytes(BYTES("\x30\xb0\x30\x00"), 8, ANY), "strong@0x1 bad");
    CHECK_STR(show_bytes(BYTES("\x30\x05\x30\x00"), 8, ANY), "strong@0x1 bad");
}

static void test_string_may_lack_its_terminator(void) {
    CHECK_STR(show_bytes(BYTES("\x30\x50"), 8, ANY), "strong@0x1 weak@8x1");
    CHECK_STR(show_bytes(BYTES(""), 8, ANY), "");
}

static void test_what_follows_the_terminator_is_not_read(void) {
    CHECK_STR(show_bytes(BYTES("\x30\x00\x30\x00"), 8, ANY), "strong@0x1");
}

static void test_longer_than_the_block_is_cut_and_said(void) {
    CHECK_STR(show_bytes(BYTES("\x33\x00"), 8, 24), "strong@0x3 overrun");
    CHECK_STR(show_bytes(BYTES("\x30\x30\x00"), 8, 12), "strong@0x1 overrun");
    CHECK_STR(show_bytes(BYTES("\x30\x00"), 8, 7), " overrun");
    CHECK_STR(show_word(0x201, 8, 16), "strong@0x2 overrun");
    CHECK_STR(show_word(0x201, 8, 24), "strong@0x2 weak@16x1");
}

/* ---- Generic-helper information ---- */

static void test_generic_inline_word_has_blocks_and_an_order_of_its_own(void) {
    struct loupe_layout layout;
    CHECK_EQ(loupe_generic_decode_inline(&arena, 0x112100, 8, ANY, &layout), LOUPE_OK);
    CHECK_STR(show(&layout), "strong@0x1 block@8x2 byref@24x1 weak@32x1");
    CHECK_EQ(loupe_generic_decode_inline(&arena, 0x1100, 4, ANY, &layout), LOUPE_OK);
    CHECK_STR(show(&layout), "strong@0x1 block@4x1");
}

/* ---- In the target ---- */

static struct drawn_heap heap;
static struct loupe_memory memory;

static void open_heap(uint8_t pointer_size) {
    drawn_heap_init(&heap, pointer_size);
    drawn_memory(&heap, &memory);
}

static void close_heap(void) {
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
}

static void test_word_of_a_descriptor_is_inline_or_an_address(void) {
    open_heap(8);
    loupe_addr string = drawn_string(&heap, "\x3f\x30\x40\x50");
    struct loupe_layout layout;
    CHECK_EQ(loupe_layout_read(&memory, &arena, string, 256, &layout), LOUPE_OK);
    CHECK_STR(show(&layout), "strong@0x16 strong@128x1 byref@136x1 weak@144x1");
    CHECK_EQ(layout.word, string);
    CHECK_EQ(layout.bytes.length, 4);
    CHECK_EQ(loupe_layout_read(&memory, &arena, 0xfff, 1024, &layout), LOUPE_OK);
    CHECK(layout.is_inline);
    CHECK_EQ(loupe_layout_read(&memory, &arena, 0x1000, 1024, &layout), LOUPE_EFAULT);
    close_heap();
}

static const char *show_generic_string(const char *string) {
    struct loupe_layout layout = {0};
    loupe_addr address = drawn_string(&heap, string);
    loupe_memory_forget(&memory); /* what was drawn since the last read */
    CHECK_EQ(loupe_generic_read(&memory, &arena, address, 256, &layout), LOUPE_OK);
    return show(&layout);
}

static void test_generic_string_numbers_its_opcodes_otherwise(void) {
    open_heap(8);
    CHECK_STR(show_generic_string("\x07\x30\x40\x50\x60\x10\x21"),
              "strong@0x1 block@8x1 byref@16x1 weak@24x1 non-object-bytes@32x1 "
              "non-object-words@33x2");
    for (unsigned op = 7; op < 16; op++) {
        char bytes[] = {1, (char)(op << 4), 0};
        CHECK_STR(show_generic_string(bytes), " bad");
    }
    close_heap();
}

static void test_generic_string_in_the_target_skips_its_first_byte(void) {
    open_heap(4);
    loupe_addr string = drawn_string(&heap, "\x30\x30\x40");
    struct loupe_layout layout;
    CHECK_EQ(loupe_generic_read(&memory, &arena, string, 256, &layout), LOUPE_OK);
    CHECK_STR(show(&layout), "strong@0x1 block@4x1");
    close_heap();
}

static void test_string_without_an_end_is_read_no_further_than_it_can_matter(void) {
    open_heap(8);
    loupe_addr endless = drawn_alloc(&heap, 4096);
    for (unsigned i = 0; i < 4096; i++)
        drawn_put(&heap, endless + i, "\x10", 1);
    struct loupe_layout layout;
    CHECK_EQ(loupe_layout_read(&memory, &arena, endless, 100, &layout), LOUPE_OK);
    CHECK_EQ(layout.end, LOUPE_LAYOUT_OVERRUN);
    CHECK_EQ(layout.size, 100);
    CHECK_EQ(layout.bytes.length, 101);
    close_heap();
}

static void test_string_that_runs_into_unreadable_memory_is_a_fault(void) {
    open_heap(8);
    loupe_addr page = 0x10000 + LOUPE_PAGE_SIZE;
    drawn_put(&heap, page - 2, "\x30\x30", 2);
    heap.bad_page = page;
    struct loupe_layout layout;
    CHECK_EQ(loupe_layout_read(&memory, &arena, page - 2, 256, &layout), LOUPE_EFAULT);
    close_heap();
}

int main(void) {
    loupe_arena_init(&arena, &drawn_chunks);
    RUN(test_inline_words);
    RUN(test_inline_words_of_a_32_bit_target_count_4_bytes);
    RUN(test_strings_as_clang_writes_them);
    RUN(test_bytes_are_bytes_and_not_words);
    RUN(test_every_opcode);
    RUN(test_reserved_opcodes_skip_words);
    RUN(test_byte_without_a_meaning_ends_what_is_known);
    RUN(test_string_may_lack_its_terminator);
    RUN(test_what_follows_the_terminator_is_not_read);
    RUN(test_longer_than_the_block_is_cut_and_said);
    RUN(test_generic_inline_word_has_blocks_and_an_order_of_its_own);
    RUN(test_generic_string_numbers_its_opcodes_otherwise);
    RUN(test_word_of_a_descriptor_is_inline_or_an_address);
    RUN(test_generic_string_in_the_target_skips_its_first_byte);
    RUN(test_string_without_an_end_is_read_no_further_than_it_can_matter);
    RUN(test_string_that_runs_into_unreadable_memory_is_a_fault);
    loupe_arena_deinit(&arena);
    return check_report();
}
