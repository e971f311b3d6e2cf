/* __block variables as clang lays them out, on every runtime, in both pointer sizes. */
#include "blocks/byref.h"
#include "check.h"
#include "objects/drawn_block.h"
#include "objects/show_captures.h"

static const struct loupe_block_traits apple = {
    .byref_count_mask = 0xfffe, .byref_count_unit = 2, .has_layouts = true};
static const struct loupe_block_traits libobjc2 = {.byref_count_mask = 0xffffff,
                                                   .byref_count_unit = 1};

static struct drawn_heap heap;
static struct loupe_memory memory;
static struct loupe_arena arena;
static struct loupe_byref byref;
static struct loupe_error err;

static void open_heap(uint8_t pointer_size) {
    drawn_heap_init(&heap, pointer_size);
    drawn_memory(&heap, &memory);
    loupe_arena_init(&arena, &drawn_chunks);
    byref = (struct loupe_byref){0};
    err = (struct loupe_error){0};
}

static void close_heap(void) {
    loupe_arena_deinit(&arena);
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
}

static enum loupe_status read_byref(loupe_addr address, const struct loupe_block_traits *traits) {
    loupe_memory_forget(&memory); /* more may have been drawn */
    return loupe_byref_read(&memory, &arena, address, traits, &byref, &err);
}

/* What a drawn one holds. */
static const char *show(const struct drawn_byref *shape, const struct loupe_block_traits *traits) {
    CHECK_EQ(read_byref(drawn_byref(&heap, shape), traits), LOUPE_OK);
    return show_captures(&byref.variable);
}

static const char *show_plain(uint32_t flags, uint32_t size) {
    return show(&(struct drawn_byref){.flags = flags, .size = size}, &apple);
}

static void test_variables_of_every_kind(void) {
    open_heap(8);
    CHECK_STR(show_plain(0x32000000, 48), "S40"); /* id, or a block, under ARC */
    CHECK_EQ(byref.kind, LOUPE_BYREF_STRONG);
    CHECK_STR(show_plain(0x42000000, 48), "W40");
    CHECK_EQ(byref.kind, LOUPE_BYREF_WEAK);
    CHECK_STR(show_plain(0x50000000, 32), "U24");
    CHECK_EQ(byref.kind, LOUPE_BYREF_UNRETAINED);
    CHECK_STR(show_plain(0x20000000, 28), "D24+4");
    CHECK_EQ(byref.kind, LOUPE_BYREF_NON_OBJECT);
    CHECK_STR(show_plain(0x52000000, 48), "U40"); /* manual retain/release does not retain it */
    close_heap();
}

static void test_variables_of_a_32_bit_target(void) {
    open_heap(4);
    CHECK_STR(show_plain(0x32000000, 28), "S24");
    CHECK_STR(show_plain(0x42000000, 28), "W24");
    CHECK_STR(show_plain(0x50000000, 20), "U16");
    CHECK_STR(show_plain(0x20000000, 20), "D16+4");
    close_heap();
}

static void test_over_aligned_object_is_the_last_word(void) {
    open_heap(8);
    CHECK_STR(show_plain(0x32000000, 72), "S64");
    CHECK_EQ(byref.variable_offset, 64);
    close_heap();
}

static void test_strong_without_helpers_is_not_owned(void) {
    open_heap(8);
    CHECK_STR(show_plain(0x30000000, 32), "U24");
    close_heap();
}

static void test_variable_of_an_old_compiler_is_unknown(void) {
    open_heap(8);
    CHECK_STR(show_plain(0x02000000, 48), "?40+8!");
    CHECK_STR(show_plain(0x00000000, 32), "?24+8"); /* without helpers it owns nothing */
    CHECK_STR(show_plain(0x62000000, 48), "?40+8!");
    CHECK_EQ(byref.kind, LOUPE_BYREF_RESERVED);
    close_heap();
}

/* ---- Records ---- */

static void test_layout_of_a_record_counts_from_the_variable(void) {
    open_heap(8);
    struct drawn_byref shape = {.flags = 0x12000000, .size = 64, .layout = 0x200};
    CHECK_STR(show(&shape, &apple), "S48 S56");
    CHECK_EQ(byref.variable_offset, 48);
    shape = (struct drawn_byref){.flags = 0x12000000, .size = 56, .layout = 0x100};
    CHECK_STR(show(&shape, &apple), "S48");
    shape = (struct drawn_byref){.flags = 0x12000000, .size = 72, .layout_bytes = "\x20\x30\x50"};
    CHECK_STR(show(&shape, &apple), "D48+8 S56 W64");
    shape = (struct drawn_byref){
        .flags = 0x12000000, .size = 88, .layout_bytes = "\x30\x50\x20\x60\x30"};
    CHECK_STR(show(&shape, &apple), "S48 W56 D64+8 U72 S80");
    CHECK_EQ(byref.kind, LOUPE_BYREF_EXTENDED);
    close_heap();
}

static void test_record_of_a_32_bit_target(void) {
    open_heap(4);
    struct drawn_byref shape = {.flags = 0x12000000, .size = 40, .layout_bytes = "\x20\x30\x50"};
    CHECK_STR(show(&shape, &apple), "D28+4 S32 W36");
    close_heap();
}

static void test_record_without_helpers(void) {
    open_heap(8);
    struct drawn_byref shape = {.flags = 0x10000000, .size = 48, .layout_bytes = ""};
    CHECK_STR(show(&shape, &apple), "D32+16");
    shape.layout_bytes = "\x30"; /* manual retain/release: the record does not own it */
    CHECK_STR(show(&shape, &apple), "U32 D40+8");
    CHECK_STR(show_conflicts(&byref.variable), "32:U(flags)/S(layout)");
    close_heap();
}

static void test_record_without_a_layout_word(void) {
    open_heap(8);
    struct drawn_byref shape = {.flags = 0x12000000, .size = 64};
    CHECK_STR(show(&shape, &libobjc2), "?48+16!");
    CHECK_STR(show(&shape, &apple), "?48+16!"); /* its helpers have a reason that is not said */
    shape.flags = 0x10000000;
    CHECK_STR(show(&shape, &apple), "D32+32");
    close_heap();
}

static void test_cxx_object_whose_members_are_not_shown_may_own(void) {
    open_heap(8);
    struct drawn_byref shape = {.flags = 0x12000000, .size = 72, .layout_bytes = ""};
    CHECK_STR(show(&shape, &apple), "?48+24!");
    close_heap();
}

static void test_record_of_an_alignment_that_is_not_known_starts_behind_the_header(void) {
    open_heap(4);
    /* struct { id; } at 28, or struct { id; long long; } at 32: both are 48 bytes. */
    struct drawn_byref shape = {.flags = 0x12000000, .size = 48, .layout = 0x100};
    CHECK_STR(show(&shape, &apple), "S28 D32+16");
    CHECK_EQ(byref.variable_offset, 28);
    close_heap();
}

static void test_layout_that_cannot_be_read_leaves_the_record_unknown(void) {
    open_heap(8);
    struct drawn_byref shape = {.flags = 0x12000000, .size = 64, .layout = 0x900000};
    CHECK_STR(show(&shape, &apple), "?48+16!");
    CHECK_EQ(byref.variable.unread, LOUPE_EFAULT);
    close_heap();
}

static void test_layout_longer_than_the_record_is_cut(void) {
    open_heap(8);
    struct drawn_byref shape = {.flags = 0x12000000, .size = 56, .layout = 0x300};
    CHECK_STR(show(&shape, &apple), "S48");
    close_heap();
}

/* ---- Forwarding, counts ---- */

static void test_forwarding_is_followed_once(void) {
    open_heap(8);
    loupe_addr on_stack =
        drawn_byref(&heap, &(struct drawn_byref){.flags = 0x32000000, .size = 48});
    loupe_addr on_heap = drawn_byref(&heap, &(struct drawn_byref){.flags = 0x33000004, .size = 48});
    loupe_addr third = drawn_byref(&heap, &(struct drawn_byref){.flags = 0x20000000, .size = 28});
    drawn_put_word(&heap, on_stack + 8, on_heap);
    drawn_put_word(&heap, on_heap + 8, third);
    CHECK_EQ(read_byref(on_stack, &apple), LOUPE_OK);
    CHECK_EQ(byref.address, on_heap);
    CHECK_EQ(byref.flags, 0x33000004);
    CHECK(byref.on_heap);
    close_heap();
}

static void test_owners_are_counted_as_the_runtime_does(void) {
    open_heap(8);
    loupe_addr address = drawn_byref(&heap, &(struct drawn_byref){.flags = 0x33000004, .size = 48});
    CHECK_EQ(read_byref(address, &apple), LOUPE_OK);
    CHECK(byref.has_retain_count);
    CHECK_EQ(byref.retain_count, 2);
    CHECK_EQ(read_byref(address, &libobjc2), LOUPE_OK);
    CHECK_EQ(byref.retain_count, 4);
    loupe_addr on_stack =
        drawn_byref(&heap, &(struct drawn_byref){.flags = 0x32000000, .size = 48});
    CHECK_EQ(read_byref(on_stack, &apple), LOUPE_OK);
    CHECK(!byref.has_retain_count && !byref.on_heap);
    close_heap();
}

static void test_helpers_are_read_where_the_flags_say_so(void) {
    open_heap(8);
    loupe_addr address = drawn_byref(&heap, &(struct drawn_byref){.flags = 0x32000000, .size = 48});
    drawn_put_word(&heap, address + 24, 0x1f00);
    drawn_put_word(&heap, address + 32, 0x2f00);
    CHECK_EQ(read_byref(address, &apple), LOUPE_OK);
    CHECK(byref.has_helpers);
    CHECK_EQ(byref.keep_helper, 0x1f00);
    CHECK_EQ(byref.destroy_helper, 0x2f00);
    close_heap();
}

/* ---- What is no byref ---- */

static void test_sizes_that_no_byref_has(void) {
    static const struct {
        uint32_t flags, size;
    } cases[] = {{0x20000000, 23}, {0x30000000, 31}, {0x32000000, 47},
                 {0x12000000, 47}, {0x10000000, 31}, {0x20000000, LOUPE_BLOCK_MAX_SIZE + 1},
                 {0x32000000, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_heap(8);
        loupe_addr address =
            drawn_byref(&heap, &(struct drawn_byref){.flags = cases[i].flags, .size = 64});
        drawn_put_u32(&heap, address + 20, cases[i].size);
        CHECK_EQ(read_byref(address, &apple), LOUPE_ENOTOBJECT);
        CHECK_EQ(err.address, address);
        close_heap();
    }
}

static void test_unreadable_parts_are_faults(void) {
    open_heap(8);
    CHECK_EQ(read_byref(0x900000, &apple), LOUPE_EFAULT);
    CHECK_EQ(read_byref(UINT64_MAX - 4, &apple), LOUPE_EFAULT);
    loupe_addr address = drawn_byref(&heap, &(struct drawn_byref){.flags = 0x32000000, .size = 48});
    drawn_put_word(&heap, address + 8, 0x900000);
    CHECK_EQ(read_byref(address, &apple), LOUPE_EFAULT);
    drawn_put_word(&heap, address + 8, 0);
    CHECK_EQ(read_byref(address, &apple), LOUPE_EFAULT);
    CHECK_EQ(byref.address, 0); /* untouched */
    close_heap();
}

static void test_every_failing_allocation_is_no_memory(void) {
    open_heap(8);
    loupe_addr record = drawn_byref(
        &heap, &(struct drawn_byref){.flags = 0x12000000, .size = 88, .layout_bytes = "\x30\x50"});
    loupe_addr object = drawn_byref(&heap, &(struct drawn_byref){.flags = 0x32000000, .size = 48});
    unsigned failed = 0;
    for (size_t room = 0; room < 4096; room += 16) {
        struct drawn_failing_chunks state;
        struct loupe_chunk_ops chunks;
        struct loupe_arena tight;
        drawn_tight_arena(&tight, &chunks, &state, room);
        enum loupe_status of_object =
            loupe_byref_read(&memory, &tight, object, &apple, &byref, NULL);
        enum loupe_status of_record =
            loupe_byref_read(&memory, &tight, record, &apple, &byref, NULL);
        CHECK(of_object == LOUPE_OK || of_object == LOUPE_ENOMEM);
        CHECK(of_record == LOUPE_OK || of_record == LOUPE_ENOMEM);
        failed += of_record != LOUPE_OK;
        loupe_arena_deinit(&tight);
        CHECK_EQ(state.outstanding, 0);
    }
    CHECK(failed > 10 && failed < 256);
    close_heap();
}

int main(void) {
    RUN(test_variables_of_every_kind);
    RUN(test_variables_of_a_32_bit_target);
    RUN(test_over_aligned_object_is_the_last_word);
    RUN(test_strong_without_helpers_is_not_owned);
    RUN(test_variable_of_an_old_compiler_is_unknown);
    RUN(test_layout_of_a_record_counts_from_the_variable);
    RUN(test_record_of_a_32_bit_target);
    RUN(test_record_without_helpers);
    RUN(test_record_without_a_layout_word);
    RUN(test_cxx_object_whose_members_are_not_shown_may_own);
    RUN(test_record_of_an_alignment_that_is_not_known_starts_behind_the_header);
    RUN(test_layout_that_cannot_be_read_leaves_the_record_unknown);
    RUN(test_layout_longer_than_the_record_is_cut);
    RUN(test_forwarding_is_followed_once);
    RUN(test_owners_are_counted_as_the_runtime_does);
    RUN(test_helpers_are_read_where_the_flags_say_so);
    RUN(test_sizes_that_no_byref_has);
    RUN(test_unreadable_parts_are_faults);
    RUN(test_every_failing_allocation_is_no_memory);
    return check_report();
}
