/* What memory.h promises on top of a reader: pieces, split pieces, budget, strings, both sizes. */
#include "check.h"
#include "drawn_heap.h"

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

static void test_reads_what_was_drawn(void) {
    open_heap(8);
    drawn_put_word(&heap, 0x10008, 0x1122334455667788);
    uint64_t word = 0;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x10008, &word), LOUPE_OK);
    CHECK_EQ(word, 0x1122334455667788);
    close_heap();
}

static void test_word_of_a_32_bit_target_is_4_bytes(void) {
    open_heap(4);
    drawn_put_word(&heap, 0x10008, 0x55667788);
    drawn_put_word(&heap, 0x1000c, 0x11223344);
    uint64_t word = 0;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x10008, &word), LOUPE_OK);
    CHECK_EQ(word, 0x55667788);
    close_heap();
}

static void test_many_reads_of_a_piece_ask_the_reader_once(void) {
    open_heap(8);
    uint64_t word;
    for (loupe_addr addr = 0x10000; addr < 0x10000 + LOUPE_PIECE_SIZE; addr += 8)
        CHECK_EQ(loupe_memory_read_word(&memory, addr, &word), LOUPE_OK);
    CHECK_EQ(heap.reads, 1);
    CHECK_EQ(memory.bytes, LOUPE_PIECE_SIZE);
    close_heap();
}

static void test_range_across_pieces_is_joined(void) {
    open_heap(8);
    loupe_addr border = 0x10000 + LOUPE_PIECE_SIZE;
    drawn_put_word(&heap, border - 4, 0x1122334455667788);
    uint64_t word = 0;
    CHECK_EQ(loupe_memory_read_word(&memory, border - 4, &word), LOUPE_OK);
    CHECK_EQ(word, 0x1122334455667788);
    uint8_t bounce[8];
    const uint8_t *view = loupe_memory_view(&memory, border - 4, sizeof(bounce), bounce);
    CHECK(view == bounce && memcmp(view, &word, sizeof(word)) == 0);
    close_heap();
}

static void test_view_inside_a_piece_copies_nothing(void) {
    open_heap(8);
    uint8_t bounce[16];
    const uint8_t *view = loupe_memory_view(&memory, 0x10010, sizeof(bounce), bounce);
    CHECK(view != NULL && view != bounce);
    close_heap();
}

static void test_bad_page_spoils_only_itself(void) {
    open_heap(8);
    heap.bad_page = 0x10000 + 3 * LOUPE_PAGE_SIZE;
    uint64_t word;
    CHECK_EQ(loupe_memory_read_word(&memory, heap.bad_page - 8, &word), LOUPE_OK);
    CHECK_EQ(loupe_memory_read_word(&memory, heap.bad_page + LOUPE_PAGE_SIZE, &word), LOUPE_OK);
    CHECK_EQ(loupe_memory_read_word(&memory, heap.bad_page, &word), LOUPE_EFAULT);
    CHECK_EQ(loupe_memory_read_word(&memory, heap.bad_page - 4, &word), LOUPE_EFAULT);
    uint64_t reads = heap.reads;
    CHECK_EQ(loupe_memory_read_word(&memory, heap.bad_page + 8, &word), LOUPE_EFAULT);
    CHECK_EQ(heap.reads, reads); /* what cannot be read is remembered too */
    close_heap();
}

static void test_region_smaller_than_a_piece_is_read_by_pages(void) {
    open_heap(8);
    drawn_region_add(&heap, 0x70003000, 2 * LOUPE_PAGE_SIZE);
    drawn_put_word(&heap, 0x70003ffc, 42);
    uint64_t word = 0;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70003ffc, &word), LOUPE_OK);
    CHECK_EQ(word, 42);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70002ff8, &word), LOUPE_EFAULT);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70005000, &word), LOUPE_EFAULT);
    close_heap();
}

static void open_heap_with_regions(void) {
    drawn_heap_init(&heap, 8);
    heap.tells_regions = true;
    drawn_memory(&heap, &memory);
}

static void test_known_region_smaller_than_a_piece_is_read_once(void) {
    open_heap_with_regions();
    drawn_region_add(&heap, 0x70003000, 2 * LOUPE_PAGE_SIZE);
    drawn_put_word(&heap, 0x70003ffc, 42);
    uint64_t word = 0;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70003ffc, &word), LOUPE_OK);
    CHECK_EQ(word, 42);
    CHECK_EQ(heap.reads, 1);
    CHECK_EQ(memory.bytes, 2 * LOUPE_PAGE_SIZE);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70002ff8, &word), LOUPE_EFAULT);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70005000, &word), LOUPE_EFAULT);
    close_heap();
}

/* A region that a reader tells whole although its first page is there only in part. */
static bool find_page_of_a_stack(void *ctx, loupe_addr addr, loupe_addr *start_ret,
                                 loupe_addr *end_ret) {
    (void)ctx;
    *start_ret = addr / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
    *end_ret = *start_ret + LOUPE_PAGE_SIZE;
    return true;
}

static void test_page_that_is_partly_there_is_read_in_parts(void) {
    open_heap_with_regions();
    struct loupe_reader_ops ops = *memory.ops;
    ops.region = find_page_of_a_stack;
    memory.ops = &ops;
    drawn_region_add(&heap, 0x70000800, 0x1800);
    drawn_put_word(&heap, 0x70000800, 42);
    drawn_put_word(&heap, 0x70000ffc, 43);
    uint64_t word = 0;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70000800, &word), LOUPE_OK);
    CHECK_EQ(word, 42);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70000ffc, &word), LOUPE_OK);
    CHECK_EQ(word, 43);
    uint8_t bounce[8];
    CHECK(loupe_memory_view(&memory, 0x70000800, sizeof(bounce), bounce) == bounce);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x700007fc, &word), LOUPE_EFAULT);
    close_heap();
}

static void test_address_outside_of_all_regions_is_not_asked_for(void) {
    open_heap_with_regions();
    uint64_t word;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x7fff00000000, &word), LOUPE_EFAULT);
    CHECK_EQ(heap.reads, 0);
    close_heap();
}

static void test_large_question_reads_long_runs(void) {
    open_heap_with_regions();
    size_t size = 64u << 20;
    uint64_t *words = (uint64_t *)(void *)drawn_region_add(&heap, 0x40000000, size);
    for (size_t i = 0; i < size / sizeof(*words); i += LOUPE_PAGE_SIZE / sizeof(*words))
        words[i] = i;
    bool same = true;
    for (size_t i = 0; i < size / sizeof(*words); i += LOUPE_PAGE_SIZE / sizeof(*words)) {
        uint64_t word = 0;
        same = same && !loupe_memory_read_word(&memory, 0x40000000 + i * 8, &word) && word == i;
    }
    CHECK(same);
    CHECK_EQ(memory.bytes, size);
    CHECK(memory.reads < 100); /* 1024 pieces */
    close_heap();
}

static void test_range_that_wraps_around_is_refused(void) {
    open_heap(8);
    uint8_t bytes[16];
    CHECK_EQ(loupe_memory_read(&memory, UINT64_MAX - 8, bytes, sizeof(bytes)), LOUPE_EFAULT);
    CHECK(loupe_memory_view(&memory, UINT64_MAX - 8, sizeof(bytes), bytes) == NULL);
    CHECK_EQ(loupe_memory_read(&memory, UINT64_MAX, bytes, 0), LOUPE_OK);
    close_heap();
}

static void test_budget_ends_reading(void) {
    open_heap(8);
    memory.bytes_left = LOUPE_PIECE_SIZE + LOUPE_PAGE_SIZE;
    uint64_t word;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x10000, &word), LOUPE_OK);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x20000, &word), LOUPE_OK); /* one page is left */
    CHECK_EQ(loupe_memory_read_word(&memory, 0x30000, &word), LOUPE_ELIMIT);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x10008, &word), LOUPE_OK); /* cached */
    close_heap();
}

static void test_string_ends_at_its_nul_or_at_the_limit(void) {
    open_heap(8);
    loupe_addr text = drawn_string(&heap, "handler");
    char buffer[8];
    size_t length = 0;
    CHECK_EQ(loupe_memory_read_string(&memory, text, buffer, sizeof(buffer), &length), LOUPE_OK);
    CHECK_STR(buffer, "handler");
    CHECK_EQ(length, 7);
    CHECK_EQ(loupe_memory_read_string(&memory, text, buffer, 5, NULL), LOUPE_ELIMIT);
    CHECK_STR(buffer, "hand");
    CHECK_EQ(loupe_memory_read_string(&memory, 0, buffer, 5, NULL), LOUPE_EFAULT);
    close_heap();
}

static void test_forgotten_memory_is_read_again(void) {
    open_heap(8);
    uint64_t word;
    loupe_memory_read_word(&memory, 0x10000, &word);
    drawn_put_word(&heap, 0x10000, 7);
    loupe_memory_forget(&memory);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x10000, &word), LOUPE_OK);
    CHECK_EQ(word, 7);
    close_heap();
}

static void test_every_failing_read_is_a_clean_failure(void) {
    for (uint64_t n = 1; n < 8; n++) {
        open_heap(8);
        heap.fail_at = n;
        uint64_t word = 99;
        for (loupe_addr addr = 0x10000; addr < 0x60000; addr += LOUPE_PIECE_SIZE) {
            enum loupe_status status = loupe_memory_read_word(&memory, addr, &word);
            CHECK(status == LOUPE_OK || status == LOUPE_EFAULT);
        }
        close_heap();
    }
}

static void test_every_failing_chunk_is_a_clean_failure(void) {
    for (uint64_t n = 1; n < 12; n++) {
        drawn_heap_init(&heap, 8);
        struct drawn_failing_chunks state = {.fail_at = n};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        drawn_memory(&heap, &memory);
        loupe_memory_init(&memory, memory.ops, memory.ctx, memory.machine, &chunks);
        uint64_t word;
        enum loupe_status status = LOUPE_OK;
        for (loupe_addr addr = 0x10000; addr < 0x110000 && !status; addr += LOUPE_PIECE_SIZE)
            status = loupe_memory_read_word(&memory, addr, &word);
        CHECK(status == LOUPE_OK || status == LOUPE_ENOMEM);
        close_heap();
        CHECK_EQ(state.outstanding, 0);
    }
}

int main(void) {
    RUN(test_reads_what_was_drawn);
    RUN(test_word_of_a_32_bit_target_is_4_bytes);
    RUN(test_many_reads_of_a_piece_ask_the_reader_once);
    RUN(test_range_across_pieces_is_joined);
    RUN(test_view_inside_a_piece_copies_nothing);
    RUN(test_bad_page_spoils_only_itself);
    RUN(test_region_smaller_than_a_piece_is_read_by_pages);
    RUN(test_known_region_smaller_than_a_piece_is_read_once);
    RUN(test_page_that_is_partly_there_is_read_in_parts);
    RUN(test_address_outside_of_all_regions_is_not_asked_for);
    RUN(test_large_question_reads_long_runs);
    RUN(test_range_that_wraps_around_is_refused);
    RUN(test_budget_ends_reading);
    RUN(test_string_ends_at_its_nul_or_at_the_limit);
    RUN(test_forgotten_memory_is_read_again);
    RUN(test_every_failing_read_is_a_clean_failure);
    RUN(test_every_failing_chunk_is_a_clean_failure);
    return check_report();
}
