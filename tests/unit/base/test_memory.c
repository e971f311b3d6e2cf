/* What memory.h promises on top of a reader: pieces, split pieces, budget, strings, both sizes. */
#include "check.h"
#include "memory/drawn_heap.h"

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

static void test_regions_that_share_a_piece_are_read_once_each(void) {
    open_heap_with_regions();
    drawn_region_add(&heap, 0x70001000, 3 * LOUPE_PAGE_SIZE);
    drawn_region_add(&heap, 0x70004000, 5 * LOUPE_PAGE_SIZE);
    drawn_region_add(&heap, 0x7000a000, 6 * LOUPE_PAGE_SIZE);
    drawn_put_word(&heap, 0x70008ff8, 42);
    uint64_t word = 0;
    for (loupe_addr addr = 0x70006000; addr < 0x70010000; addr += 8)
        if (addr < 0x70009000 || addr >= 0x7000a000)
            CHECK_EQ(loupe_memory_read_word(&memory, addr, &word), LOUPE_OK);
    CHECK_EQ(heap.reads, 2);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70001008, &word), LOUPE_OK);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70008ff8, &word), LOUPE_OK);
    CHECK_EQ(word, 42);
    CHECK_EQ(heap.reads, 3);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x70009000, &word), LOUPE_EFAULT);
    CHECK_EQ(heap.reads, 3); /* between regions there is nothing to ask for */
    CHECK_EQ(memory.bytes, 14 * LOUPE_PAGE_SIZE);
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

static void test_dense_walk_reads_long_runs(void) {
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
    CHECK(memory.reads < 400); /* 1024 pieces, 16384 pages */
    close_heap();
}

static void test_sparse_walk_reads_a_page_for_each_object(void) {
    open_heap_with_regions();
    size_t size = 64u << 20;
    enum { OBJECTS = 100 };
    drawn_region_add(&heap, 0x40000000, size);
    uint64_t word;
    for (size_t i = 0; i < OBJECTS; i++)
        CHECK_EQ(loupe_memory_read_word(&memory, 0x40000000 + i * (size / OBJECTS / 8 * 8), &word),
                 LOUPE_OK);
    CHECK_EQ(memory.bytes, OBJECTS * LOUPE_PAGE_SIZE);
    close_heap();
}

static void test_what_is_read_once_is_not_kept(void) {
    open_heap_with_regions();
    uint8_t bytes[3 * LOUPE_PAGE_SIZE];
    uint64_t word = 0;
    drawn_put_word(&heap, 0x14008, 42);
    for (uint64_t i = 1; i <= 2; i++) {
        CHECK_EQ(loupe_memory_read_once(&memory, 0x13ff8, bytes, sizeof(bytes)), LOUPE_OK);
        memcpy(&word, bytes + 16, sizeof(word));
        CHECK_EQ(word, 42);
        CHECK_EQ(heap.reads, i);
        CHECK_EQ(memory.bytes, i * sizeof(bytes));
    }
    CHECK_EQ(memory.pieces.count, 0);
    close_heap();
}

static void test_what_is_at_hand_is_not_read_once_more(void) {
    open_heap_with_regions();
    uint8_t bytes[3 * LOUPE_PAGE_SIZE];
    uint64_t word = 0;
    drawn_put_word(&heap, 0x14008, 42);
    memory.page_reads = 1;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x14010, &word), LOUPE_OK);
    CHECK_EQ(memory.bytes, LOUPE_PAGE_SIZE);
    CHECK_EQ(loupe_memory_read_once(&memory, 0x13000, bytes, sizeof(bytes)), LOUPE_OK);
    memcpy(&word, bytes + LOUPE_PAGE_SIZE + 8, sizeof(word));
    CHECK_EQ(word, 42);
    CHECK_EQ(heap.reads, 3); /* what is before it and behind it */
    CHECK_EQ(memory.bytes, 3 * LOUPE_PAGE_SIZE);
    close_heap();
}

static void test_few_bytes_are_all_that_is_asked_for_where_calls_are_cheap(void) {
    for (int cheap = 0; cheap < 2; cheap++) {
        uint64_t word = 0;
        open_heap_with_regions();
        heap.ops.calls_are_cheap = cheap;
        drawn_put_word(&heap, 0x14008, 42);
        CHECK_EQ(loupe_memory_read_few(&memory, 0x14008, &word, sizeof(word)), LOUPE_OK);
        CHECK_EQ(word, 42);
        CHECK_EQ(memory.bytes, cheap ? sizeof(word) : LOUPE_PAGE_SIZE);
        close_heap();
    }
}

static void test_question_that_may_be_small_fetches_single_pages(void) {
    open_heap_with_regions();
    memory.page_reads = 2;
    drawn_put_word(&heap, 0x13000, 1);
    drawn_put_word(&heap, 0x17008, 2);
    uint64_t word = 0;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x13000, &word), LOUPE_OK);
    CHECK_EQ(word, 1);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x13008, &word), LOUPE_OK);
    CHECK_EQ(memory.bytes, LOUPE_PAGE_SIZE);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x17008, &word), LOUPE_OK);
    CHECK_EQ(word, 2);
    CHECK_EQ(heap.reads, 2);
    CHECK_EQ(memory.bytes, 2 * LOUPE_PAGE_SIZE);
    close_heap();
}

static void test_question_that_proves_larger_fetches_what_is_left_of_a_piece(void) {
    open_heap_with_regions();
    memory.page_reads = 2;
    drawn_put_word(&heap, 0x15000, 5);
    uint64_t word = 0;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x13000, &word), LOUPE_OK);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x17000, &word), LOUPE_OK);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x15000, &word), LOUPE_OK);
    CHECK_EQ(word, 5);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x16000, &word), LOUPE_OK);
    CHECK_EQ(heap.reads, 3); /* the pages between the two */
    CHECK_EQ(loupe_memory_read_word(&memory, 0x18000, &word), LOUPE_OK);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x1f000, &word), LOUPE_OK);
    CHECK_EQ(heap.reads, 4); /* from there to the end */
    CHECK_EQ(loupe_memory_read_word(&memory, 0x10000, &word), LOUPE_OK);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x20000, &word), LOUPE_OK);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x21000, &word), LOUPE_OK);
    CHECK_EQ(memory.bytes, 2 * LOUPE_PIECE_SIZE);
    close_heap();
}

static void test_bad_page_spoils_only_itself_after_single_pages_too(void) {
    open_heap(8);
    memory.page_reads = 1;
    heap.bad_page = 0x15000;
    uint64_t word;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x13000, &word), LOUPE_OK);
    for (loupe_addr addr = 0x10000; addr < 0x20000; addr += LOUPE_PAGE_SIZE)
        CHECK_EQ(loupe_memory_read_word(&memory, addr, &word),
                 addr == heap.bad_page ? LOUPE_EFAULT : LOUPE_OK);
    uint64_t reads = heap.reads;
    CHECK_EQ(loupe_memory_read_word(&memory, heap.bad_page + 8, &word), LOUPE_EFAULT);
    CHECK_EQ(heap.reads, reads);
    close_heap();
}

/* A region of as many bytes whose words are their own numbers. */
static void draw_numbers(loupe_addr start, size_t size) {
    uint64_t *words = (uint64_t *)(void *)drawn_region_add(&heap, start, size);
    for (size_t i = 0; i < size / sizeof(*words); i++)
        words[i] = i;
}

static void test_hole_costs_no_more_than_short_reads_around_it(void) {
    open_heap_with_regions();
    loupe_addr start = 0x40000000;
    size_t size = 16u << 20;
    draw_numbers(start, size);
    heap.bad_page = start + size / 2 + 5 * LOUPE_PAGE_SIZE;
    uint64_t unreadable = 0, wrong = 0;
    for (loupe_addr addr = start; addr < start + size; addr += LOUPE_PAGE_SIZE) {
        uint64_t word = 0;
        if (loupe_memory_read_word(&memory, addr, &word))
            unreadable++;
        else
            wrong += word != (addr - start) / 8;
    }
    CHECK_EQ(unreadable, 1);
    CHECK_EQ(wrong, 0);
    CHECK_EQ(memory.bytes, size - LOUPE_PAGE_SIZE);
    CHECK(memory.reads < 150); /* 256 pieces, 4096 pages */
    close_heap();
}

static void test_dense_memory_is_seen_in_one_window(void) {
    open_heap_with_regions();
    loupe_addr start = LOUPE_CELL_SIZE;
    size_t size = 2 * LOUPE_DENSE_CELL;
    draw_numbers(start, size);
    uint64_t word;
    for (loupe_addr addr = start; addr < start + size; addr += LOUPE_PAGE_SIZE)
        CHECK_EQ(loupe_memory_read_word(&memory, addr, &word), LOUPE_OK);
    static uint64_t bounce[2 * LOUPE_DENSE_CELL / sizeof(uint64_t)];
    const uint8_t *view = loupe_memory_view(&memory, start, size, bounce);
    CHECK(view && view != (const uint8_t *)bounce);
    CHECK(loupe_memory_peek(&memory, start + size - 8, 8) == view + size - 8);
    CHECK(loupe_memory_peek(&memory, start + size, 1) == NULL);
    CHECK(loupe_memory_peek(&memory, start - 1, 1) == NULL);
    bool same = true;
    for (size_t i = 0; view && i < size / 8; i++)
        same = same && memcmp(view + i * 8, &(uint64_t){i}, 8) == 0;
    CHECK(same);
    close_heap();
}

static void test_window_ends_where_nothing_was_fetched(void) {
    open_heap_with_regions();
    loupe_addr start = LOUPE_CELL_SIZE, gap = start + 3 * LOUPE_DENSE_CELL / 2;
    draw_numbers(start, gap - start);
    drawn_region_add(&heap, gap + LOUPE_PIECE_SIZE, LOUPE_DENSE_CELL);
    uint64_t word;
    for (loupe_addr addr = start; addr < gap; addr += LOUPE_PAGE_SIZE)
        CHECK_EQ(loupe_memory_read_word(&memory, addr, &word), LOUPE_OK);
    loupe_addr beyond = gap + LOUPE_PIECE_SIZE;
    for (loupe_addr addr = beyond; addr < beyond + LOUPE_DENSE_CELL; addr += LOUPE_PAGE_SIZE)
        CHECK_EQ(loupe_memory_read_word(&memory, addr, &word), LOUPE_OK);
    CHECK_EQ(loupe_memory_read_word(&memory, gap - 8, &word), LOUPE_OK);
    CHECK_EQ(word, (gap - 8 - start) / 8);
    CHECK(loupe_memory_peek(&memory, gap - 1, 1) != NULL);
    CHECK(loupe_memory_peek(&memory, gap, 1) == NULL);
    CHECK_EQ(loupe_memory_read_word(&memory, gap, &word), LOUPE_EFAULT);
    CHECK_EQ(loupe_memory_read_word(&memory, beyond, &word), LOUPE_OK);
    CHECK_EQ(memory.window.start, beyond);
    close_heap();
}

static loupe_addr no_zeroes_but_one_page(void *ctx, loupe_addr addr) {
    (void)ctx;
    return addr >= 0x14000 && addr < 0x15000 ? 0x15000 : addr;
}

/* A gigabyte of addresses without memory costs a step for each page, not for each word. */
static void test_words_of_pages_that_cannot_be_read_are_passed_over(void) {
    struct loupe_reader_ops ops;
    open_heap(8);
    drawn_put_word(&heap, 0x13000, 1);
    drawn_put_word(&heap, 0x14000, 1);
    drawn_put_word(&heap, 0x15000, 1);
    heap.bad_page = 0x13000;
    ops = *memory.ops;
    ops.zeroes = no_zeroes_but_one_page;
    memory.ops = &ops;
    CHECK_EQ(loupe_memory_next_word(&memory, 0x13008, 0x20000), 0x13008);
    CHECK_EQ(loupe_memory_next_word(&memory, 0x13000, 0x20000), 0x15000);
    CHECK_EQ(loupe_memory_next_word(&memory, 0x13000, 0x14800), 0x14800);
    CHECK_EQ(loupe_memory_next_word(&memory, 0x16000, 0x16000), 0x16000);
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

/* Pieces that were fetched before and those that are fetched later, with and without regions. */
static void test_unused_stack_cannot_be_read(void) {
    enum { END = 0x10000 + 3 * LOUPE_PIECE_SIZE + 0x808, START = END - LOUPE_UNUSED_STACK };
    for (unsigned regions = 0; regions < 2; regions++) {
        drawn_heap_init(&heap, 8);
        heap.tells_regions = regions;
        drawn_memory(&heap, &memory);
        uint8_t bytes[64];
        CHECK_EQ(loupe_memory_read(&memory, START, bytes, 8), LOUPE_OK);
        loupe_memory_leave_out_stack(&memory, END + 3);
        CHECK(loupe_memory_peek(&memory, START, 8) == NULL);
        CHECK(loupe_memory_view(&memory, START, 8, bytes) == NULL);
        CHECK_EQ(loupe_memory_read(&memory, START, bytes, 8), LOUPE_EFAULT);
        CHECK_EQ(loupe_memory_read(&memory, END - 8, bytes, 8), LOUPE_EFAULT);
        CHECK_EQ(loupe_memory_read(&memory, START - 8, bytes, 8), LOUPE_OK);
        CHECK_EQ(loupe_memory_read(&memory, START - 8, bytes, 9), LOUPE_EFAULT);
        CHECK_EQ(loupe_memory_read(&memory, END, bytes, sizeof(bytes)), LOUPE_OK);
        CHECK_EQ(loupe_memory_read(&memory, END - 8, bytes, sizeof(bytes)), LOUPE_EFAULT);
        CHECK_EQ(loupe_memory_read(&memory, START - 8, bytes, 8), LOUPE_OK);
        CHECK(loupe_memory_peek(&memory, START, 8) == NULL);
        close_heap();
    }
}

static void test_unused_stack_at_the_bottom_of_memory(void) {
    open_heap(8);
    loupe_memory_leave_out_stack(&memory, 0x10010);
    uint64_t word;
    CHECK_EQ(loupe_memory_read_word(&memory, 0x10008, &word), LOUPE_EFAULT);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x10010, &word), LOUPE_OK);
    loupe_memory_leave_out_stack(&memory, 0);
    CHECK_EQ(loupe_memory_read_word(&memory, 0x10008, &word), LOUPE_OK);
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
    for (uint64_t n = 1; n < 60; n++) {
        drawn_heap_init(&heap, 8);
        draw_numbers(LOUPE_CELL_SIZE, 2 * LOUPE_DENSE_CELL);
        struct drawn_failing_chunks state = {.fail_at = n};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        drawn_memory(&heap, &memory);
        loupe_memory_init(&memory, memory.ops, memory.ctx, memory.machine, &chunks);
        uint64_t word;
        enum loupe_status status = LOUPE_OK;
        for (loupe_addr addr = 0x10000; addr < 0x110000 && !status; addr += LOUPE_PIECE_SIZE)
            status = loupe_memory_read_word(&memory, addr, &word);
        for (size_t i = 0; i < 2 * LOUPE_DENSE_CELL / 8 && !status; i += LOUPE_PIECE_SIZE / 8) {
            status = loupe_memory_read_word(&memory, LOUPE_CELL_SIZE + i * 8, &word);
            CHECK(status || word == i);
        }
        CHECK(status == LOUPE_OK || status == LOUPE_ENOMEM);
        close_heap();
        CHECK_EQ(state.outstanding, 0);
    }
}

/* ---- Time: the clock of a reader that goes on with every look at it ---- */

static uint64_t ticking;

static uint64_t tick(void *ctx) {
    (void)ctx;
    return ticking += 10;
}

static bool give_up(void *ctx) {
    return *(bool *)ctx;
}

static enum loupe_status read_zeros(void *ctx, loupe_addr addr, void *dst, size_t len) {
    (void)ctx, (void)addr;
    memset(dst, 0, len);
    return LOUPE_OK;
}

static void open_ticking(bool *unwanted, uint64_t limit) {
    static const struct loupe_reader_ops ops = {
        .read = read_zeros, .interrupted = give_up, .microseconds = tick};
    ticking = 0;
    loupe_memory_init(&memory, &ops, unwanted, (struct loupe_machine){.pointer_size = 8},
                      &drawn_chunks);
    loupe_memory_set_limit(&memory, limit);
}

/* Reads words that are far apart until that fails. */
static enum loupe_status read_on(void) {
    uint64_t word;
    enum loupe_status status = LOUPE_OK;
    for (loupe_addr at = 0; !status && at < 1 << 26; at += LOUPE_PIECE_SIZE)
        status = loupe_memory_read_word(&memory, at, &word);
    return status;
}

static void test_reads_of_a_walk_fail_when_its_time_is_over(void) {
    bool unwanted = false;
    uint64_t word;
    open_ticking(&unwanted, 20);
    CHECK_EQ(read_on(), LOUPE_ETIMEOUT);
    CHECK_EQ(loupe_memory_read_word(&memory, 0, &word), LOUPE_ETIMEOUT);
    loupe_memory_begin_phase(&memory, LOUPE_PHASE_SEARCH);
    CHECK(loupe_memory_interrupted(&memory));
    CHECK_EQ(read_on(), LOUPE_OK);
    loupe_memory_deinit(&memory);
    open_ticking(&unwanted, 0);
    CHECK_EQ(read_on(), LOUPE_OK);
    loupe_memory_deinit(&memory);
}

static void test_each_phase_has_time_of_its_own(void) {
    bool unwanted = false;
    open_ticking(&unwanted, 1000000);
    memory.reserved = 500000;
    ticking = 400000;
    CHECK(loupe_memory_interrupted(&memory)); /* the search will need the rest */
    loupe_memory_begin_phase(&memory, LOUPE_PHASE_SEARCH);
    CHECK(!loupe_memory_interrupted(&memory));
    ticking = 900000;
    CHECK(loupe_memory_interrupted(&memory));
    loupe_memory_begin_phase(&memory, LOUPE_PHASE_REPORT);
    CHECK(!loupe_memory_interrupted(&memory));
    loupe_memory_deinit(&memory);
}

static void test_who_gives_up_still_gets_what_was_found_soon(void) {
    bool unwanted = true;
    open_ticking(&unwanted, 0);
    CHECK(loupe_memory_interrupted(&memory));
    loupe_memory_begin_phase(&memory, LOUPE_PHASE_SEARCH);
    CHECK(!loupe_memory_interrupted(&memory));
    ticking += 1000000;
    CHECK(loupe_memory_interrupted(&memory));
    loupe_memory_deinit(&memory);
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
    RUN(test_regions_that_share_a_piece_are_read_once_each);
    RUN(test_page_that_is_partly_there_is_read_in_parts);
    RUN(test_address_outside_of_all_regions_is_not_asked_for);
    RUN(test_dense_walk_reads_long_runs);
    RUN(test_sparse_walk_reads_a_page_for_each_object);
    RUN(test_what_is_read_once_is_not_kept);
    RUN(test_what_is_at_hand_is_not_read_once_more);
    RUN(test_few_bytes_are_all_that_is_asked_for_where_calls_are_cheap);
    RUN(test_question_that_may_be_small_fetches_single_pages);
    RUN(test_question_that_proves_larger_fetches_what_is_left_of_a_piece);
    RUN(test_bad_page_spoils_only_itself_after_single_pages_too);
    RUN(test_hole_costs_no_more_than_short_reads_around_it);
    RUN(test_dense_memory_is_seen_in_one_window);
    RUN(test_window_ends_where_nothing_was_fetched);
    RUN(test_words_of_pages_that_cannot_be_read_are_passed_over);
    RUN(test_range_that_wraps_around_is_refused);
    RUN(test_budget_ends_reading);
    RUN(test_string_ends_at_its_nul_or_at_the_limit);
    RUN(test_forgotten_memory_is_read_again);
    RUN(test_unused_stack_cannot_be_read);
    RUN(test_unused_stack_at_the_bottom_of_memory);
    RUN(test_every_failing_read_is_a_clean_failure);
    RUN(test_every_failing_chunk_is_a_clean_failure);
    RUN(test_reads_of_a_walk_fail_when_its_time_is_over);
    RUN(test_each_phase_has_time_of_its_own);
    RUN(test_who_gives_up_still_gets_what_was_found_soon);
    return check_report();
}
