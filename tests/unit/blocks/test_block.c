/* The literal and its descriptor: both pointer sizes, every optional field, every runtime. */
#include "blocks/block.h"
#include "check.h"
#include "objects/drawn_block.h"

static const struct loupe_block_traits apple = {
    .byref_count_mask = 0xfffe, .byref_count_unit = 2, .has_layouts = true};

static struct drawn_heap heap;
static struct loupe_memory memory;
static struct loupe_block block;
static struct loupe_error err;

static void open_heap(uint8_t pointer_size) {
    drawn_heap_init(&heap, pointer_size);
    drawn_memory(&heap, &memory);
    block = (struct loupe_block){0};
    err = (struct loupe_error){0};
}

static void close_heap(void) {
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
}

static enum loupe_status read_block(loupe_addr address, const struct loupe_block_traits *traits) {
    return loupe_block_read(&memory, address, traits, &block, &err);
}

/* Draws and reads one that must be good. */
static void read_drawn(const struct drawn_block *shape, const struct loupe_block_traits *traits) {
    CHECK_EQ(read_block(drawn_block(&heap, shape), traits), LOUPE_OK);
}

/* ---- Fields ---- */

static void check_all_fields(uint8_t pointer_size, unsigned header_size) {
    open_heap(pointer_size);
    struct drawn_block shape = {.isa = 0x5000,
                                .flags = 0xc3000004,
                                .reserved = 7,
                                .invoke = 0x1f00,
                                .size = header_size + pointer_size,
                                .signature = "v8@?0",
                                .layout = 0x100,
                                .copy_name = "__copy_helper_block_e8_32s"};
    read_drawn(&shape, &apple);
    CHECK_EQ(block.pointer_size, pointer_size);
    CHECK_EQ(block.header_size, header_size);
    CHECK_EQ(block.isa, 0x5000);
    CHECK_EQ(block.flags, 0xc3000004);
    CHECK_EQ(block.reserved, 7);
    CHECK_EQ(block.invoke, 0x1f00);
    CHECK_EQ(block.size, header_size + pointer_size);
    loupe_addr copy_helper = 0;
    CHECK_EQ(loupe_memory_find_symbol(&memory, shape.copy_name, &copy_helper), LOUPE_OK);
    CHECK_EQ(block.copy_helper, copy_helper);
    CHECK_EQ(block.dispose_helper, copy_helper + 16);
    CHECK_EQ(block.layout, 0x100);
    CHECK(block.has_layout);
    char signature[16];
    CHECK_EQ(loupe_memory_read_string(&memory, block.signature, signature, sizeof(signature), NULL),
             LOUPE_OK);
    CHECK_STR(signature, "v8@?0");
    close_heap();
}

static void test_all_fields_of_a_64_bit_block(void) {
    check_all_fields(8, 32);
}

static void test_all_fields_of_a_32_bit_block(void) {
    check_all_fields(4, 20);
}

static void test_without_helpers_the_other_words_move_up(void) {
    open_heap(8);
    read_drawn(&(struct drawn_block){.flags = 0xc0000000, .size = 40, .layout = 0x001}, &apple);
    CHECK_EQ(block.copy_helper, 0);
    CHECK_EQ(block.dispose_helper, 0);
    CHECK_EQ(block.layout, 0x001);
    close_heap();
}

static void test_block_of_plain_c_has_no_layout(void) {
    open_heap(8);
    read_drawn(&(struct drawn_block){.flags = 0x42000000, .size = 40, .layout = 0x100}, &apple);
    CHECK(!block.has_layout);
    CHECK_EQ(block.layout, 0); /* the word would be the layout of a garbage collector */
    CHECK(block.owns_captures);
    close_heap();
}

static void test_layout_without_a_signature(void) {
    /* clang 22 with -fdisable-block-signature-string */
    open_heap(8);
    read_drawn(&(struct drawn_block){.flags = 0x82000000, .size = 40, .layout = 0x100}, &apple);
    CHECK(block.has_layout);
    CHECK_EQ(block.layout, 0x100);
    CHECK_EQ(block.signature, 0);
    close_heap();
}

static void test_block_that_says_nothing_has_no_words_behind_its_helpers(void) {
    open_heap(8);
    read_drawn(&(struct drawn_block){.flags = 0x02000000, .size = 40, .signature = "v8@?0"},
               &apple);
    CHECK_EQ(block.signature, 0);
    CHECK(!block.has_layout);
    close_heap();
}

static loupe_addr strip_high(void *ctx, loupe_addr addr) {
    (void)ctx;
    return addr & 0x7fffffffff;
}

static void test_signed_pointers_are_stripped(void) {
    open_heap(8);
    struct loupe_reader_ops ops = *memory.ops;
    ops.strip = strip_high;
    memory.ops = &ops;
    struct drawn_block shape = {.isa = 0x1230000000005000,
                                .flags = 0xc2000000,
                                .invoke = 0xabcd000000001f00,
                                .size = 40,
                                .copy_name = "copy"};
    loupe_addr address = drawn_block(&heap, &shape);
    loupe_addr copy_helper = 0, descriptor = 0;
    loupe_memory_find_symbol(&memory, "copy", &copy_helper);
    loupe_memory_read_word(&memory, address + 24, &descriptor);
    drawn_put_word(&heap, address + 24, descriptor | 0x1230000000000000);
    drawn_put_word(&heap, descriptor + 16, copy_helper | 0x4560000000000000);
    loupe_memory_forget(&memory);
    struct loupe_block_traits traits = {.heap_isa = 0x5000};
    CHECK_EQ(read_block(address, &traits), LOUPE_OK);
    CHECK_EQ(block.isa, 0x1230000000005000);
    CHECK_EQ(block.invoke, 0x1f00);
    CHECK_EQ(block.descriptor, descriptor);
    CHECK_EQ(block.copy_helper, copy_helper);
    CHECK_EQ(block.storage, LOUPE_BLOCK_ON_HEAP);
    close_heap();
}

/* ---- What is no block ---- */

static void test_sizes_that_no_block_has(void) {
    static const struct {
        uint32_t size;
        enum loupe_status status;
    } cases[] = {{0, LOUPE_ENOTOBJECT},
                 {31, LOUPE_ENOTOBJECT},
                 {32, LOUPE_OK},
                 {33, LOUPE_OK},
                 {LOUPE_BLOCK_MAX_SIZE, LOUPE_OK},
                 {LOUPE_BLOCK_MAX_SIZE + 1, LOUPE_ENOTOBJECT},
                 {UINT32_MAX, LOUPE_ENOTOBJECT}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_heap(8);
        loupe_addr address =
            drawn_block(&heap, &(struct drawn_block){.flags = 0xc0000000, .size = 40});
        loupe_addr descriptor = 0;
        loupe_memory_read_word(&memory, address + 24, &descriptor);
        drawn_put_word(&heap, descriptor + 8, cases[i].size);
        loupe_memory_forget(&memory);
        CHECK_EQ(read_block(address, &apple), cases[i].status);
        CHECK_EQ(err.code, cases[i].status);
        close_heap();
    }
}

static void test_size_of_more_than_32_bits_is_none(void) {
    open_heap(8);
    loupe_addr address = drawn_block(&heap, &(struct drawn_block){.flags = 0xc0000000, .size = 40});
    loupe_addr descriptor = 0;
    loupe_memory_read_word(&memory, address + 24, &descriptor);
    drawn_put_word(&heap, descriptor + 8, 0x100000028);
    loupe_memory_forget(&memory);
    CHECK_EQ(read_block(address, &apple), LOUPE_ENOTOBJECT);
    close_heap();
}

static void test_missing_and_unreadable_parts(void) {
    open_heap(8);
    CHECK_EQ(read_block(0x900000, &apple), LOUPE_EFAULT);
    CHECK_STR(err.message, "0x900000 is a block that cannot be read");
    loupe_addr address = drawn_alloc(&heap, 64);
    CHECK_EQ(read_block(address, &apple), LOUPE_ENOTOBJECT);
    CHECK_STR(err.message, "0x10000 is not a block: its descriptor is nil");
    drawn_put_word(&heap, address + 24, 0x900000);
    loupe_memory_forget(&memory);
    CHECK_EQ(read_block(address, &apple), LOUPE_EFAULT);
    CHECK_EQ(err.address, 0x900000);
    CHECK_STR(err.message, "0x10000 is a block whose descriptor at 0x900000 cannot be read");
    CHECK_EQ(read_block(UINT64_MAX - 8, &apple), LOUPE_EFAULT);
    CHECK_EQ(block.address, 0); /* untouched */
    close_heap();
}

/* ---- Where it lives, who counts ---- */

static void check_storage(uint32_t flags, loupe_addr isa, loupe_addr heap_isa,
                          enum loupe_block_storage storage) {
    open_heap(8);
    struct loupe_block_traits traits = apple;
    traits.heap_isa = heap_isa;
    read_drawn(&(struct drawn_block){.isa = isa, .flags = flags, .size = 40}, &traits);
    CHECK_EQ(block.storage, storage);
    CHECK_EQ(block.has_retain_count, storage == LOUPE_BLOCK_ON_HEAP);
    close_heap();
}

static void test_storage(void) {
    check_storage(0xc3000002, 0x5000, 0, LOUPE_BLOCK_ON_HEAP);
    check_storage(0xc2000000, 0x5000, 0, LOUPE_BLOCK_ON_STACK);
    check_storage(0x50000000, 0x5000, 0, LOUPE_BLOCK_GLOBAL);
    check_storage(0xd0800000, 0x5000, 0, LOUPE_BLOCK_ON_STACK); /* noescape, for all its flags */
    check_storage(0xc2000000, 0x5000, 0x5000, LOUPE_BLOCK_ON_HEAP); /* libobjc2 */
    check_storage(0xc2000000, 0x6000, 0x5000, LOUPE_BLOCK_ON_STACK);
}

static void check_owners(enum loupe_block_count where, uint32_t flags, uint32_t reserved,
                         uint32_t count) {
    open_heap(8);
    struct loupe_block_traits traits = {.count = where, .heap_isa = 0x5000};
    read_drawn(
        &(struct drawn_block){.isa = 0x5000, .flags = flags, .reserved = reserved, .size = 40},
        &traits);
    CHECK(block.has_retain_count);
    CHECK_EQ(block.retain_count, count);
    close_heap();
}

static void test_retain_count_of_every_runtime(void) {
    check_owners(LOUPE_BLOCK_COUNT_IN_FLAGS_BY_2, 0xc3000002, 9, 1);
    check_owners(LOUPE_BLOCK_COUNT_IN_FLAGS_BY_2, 0xc3000006, 0, 3);
    check_owners(LOUPE_BLOCK_COUNT_IN_FLAGS_BY_2, 0xc3000007, 0, 3); /* deallocating */
    check_owners(LOUPE_BLOCK_COUNT_IN_FLAGS_BY_2, 0xc300fffe, 0, 0x7fff);
    check_owners(LOUPE_BLOCK_COUNT_IN_FLAGS_BY_1, 0xc3000003, 0, 3);
    check_owners(LOUPE_BLOCK_COUNT_IN_RESERVED, 0xc2000000, 4, 4);
    check_owners(LOUPE_BLOCK_COUNT_IN_RESERVED, 0xc2000000, 0xffffffff, 0);
}

/* ---- Names of flags ---- */

static void check_named_flags(enum loupe_block_count count, uint32_t flags, uint32_t named) {
    const struct loupe_block_traits traits = {.count = count};
    open_heap(8);
    read_drawn(&(struct drawn_block){.flags = flags, .size = 32}, &traits);
    CHECK_EQ(block.named_flags, named);
    close_heap();
}

static void test_bits_that_count_owners_have_no_name(void) {
    check_named_flags(LOUPE_BLOCK_COUNT_IN_FLAGS_BY_2, 0xc3000007, 0xc3000001);
    check_named_flags(LOUPE_BLOCK_COUNT_IN_FLAGS_BY_1, 0xc3000007, 0xc3000000);
    check_named_flags(LOUPE_BLOCK_COUNT_IN_RESERVED, 0xc2000001, 0xc2000000);
}

/* ---- Ownership and generic helpers ---- */

static void check_ownership(uint32_t flags, uint64_t in_descriptor_flags, bool owns,
                            enum loupe_generic_mode generic) {
    open_heap(8);
    read_drawn(&(struct drawn_block){.flags = flags,
                                     .size = 40,
                                     .in_descriptor_flags = in_descriptor_flags},
               &apple);
    CHECK_EQ(block.owns_captures, owns);
    CHECK_EQ(block.generic, generic);
    close_heap();
}

static void test_only_blocks_with_helpers_own_what_they_capture(void) {
    check_ownership(0xc3000002, 0, true, LOUPE_GENERIC_NONE);
    check_ownership(0xc2000000, 0, true, LOUPE_GENERIC_NONE); /* on the stack, under ARC */
    check_ownership(0xc1000002, 0, false, LOUPE_GENERIC_NONE);
    check_ownership(0xd0800000, 0, false, LOUPE_GENERIC_NONE);
    check_ownership(0xd2800000, 0, false, LOUPE_GENERIC_NONE);
    check_ownership(0x50000000, 0, false, LOUPE_GENERIC_NONE);
}

static void test_generic_helpers_own_too(void) {
    check_ownership(0xc1000002, 0xc0004000, true, LOUPE_GENERIC_FROM_LAYOUT);
    check_ownership(0xc1000002, 0xc0008000, true, LOUPE_GENERIC_INLINE);
    check_ownership(0xc1000002, 0xc000c000, true, LOUPE_GENERIC_OUT_OF_LINE);
    check_ownership(0xc1000002, 0xc0000000, false, LOUPE_GENERIC_NONE);
    check_ownership(0xd0800000, 0xd0808000, false, LOUPE_GENERIC_INLINE);
}

static void test_reserved_word_that_is_no_copy_of_flags_says_nothing(void) {
    check_ownership(0xc1000002, 0xc0008002, false, LOUPE_GENERIC_NONE);  /* a count */
    check_ownership(0xc1000002, 0xc1008000, false, LOUPE_GENERIC_NONE);  /* on the heap */
    check_ownership(0xc1000002, 0x100008000, false, LOUPE_GENERIC_NONE); /* an address */
}

static void test_generic_information_stands_in_front_of_the_descriptor(void) {
    open_heap(8);
    read_drawn(&(struct drawn_block){.flags = 0xc0000000,
                                     .size = 56,
                                     .in_descriptor_flags = 0xc0008000,
                                     .generic_info = 0x112100},
               &apple);
    CHECK_EQ(block.generic_info, 0x112100);
    close_heap();
    open_heap(4);
    read_drawn(&(struct drawn_block){.flags = 0xc0000000,
                                     .size = 28,
                                     .in_descriptor_flags = 0xc000c000,
                                     .generic_bytes = "\x01\x31"},
               &apple);
    char bytes[4];
    CHECK_EQ(loupe_memory_read_string(&memory, block.generic_info, bytes, sizeof(bytes), NULL),
             LOUPE_OK);
    CHECK_STR(bytes, "\x01\x31");
    close_heap();
}

/* ---- Small descriptors ---- */

/* A block whose descriptor is 5 relative ints, at an address of its own. */
static loupe_addr draw_small(uint32_t flags, loupe_addr *descriptor_ret) {
    loupe_addr before = drawn_alloc(&heap, 16);
    *descriptor_ret = drawn_alloc(&heap, 32);
    loupe_addr address = drawn_alloc(&heap, 64);
    unsigned word = heap.machine.pointer_size;
    drawn_put_u32(&heap, address + word, flags | LOUPE_BLOCK_SMALL_DESCRIPTOR);
    drawn_put_word(&heap, address + 2 * word + 8, *descriptor_ret);
    drawn_put_u32(&heap, *descriptor_ret, 48);
    drawn_put_u32(&heap, *descriptor_ret + 4, (uint32_t)(before - (*descriptor_ret + 4)));
    return address;
}

static void check_small_descriptor(uint8_t pointer_size) {
    open_heap(pointer_size);
    loupe_addr descriptor;
    loupe_addr address = draw_small(0xc2000000, &descriptor);
    drawn_put_u32(&heap, descriptor + 8, 0x100);
    drawn_put_u32(&heap, descriptor + 12, 0x200);
    drawn_put_u32(&heap, descriptor + 16, 0x300);
    CHECK_EQ(read_block(address, &apple), LOUPE_OK);
    CHECK_EQ(block.size, 48);
    CHECK_EQ(block.signature, 0x10000); /* in front of the descriptor */
    CHECK_EQ(block.layout, descriptor + 8 + 0x100);
    CHECK_EQ(block.copy_helper, descriptor + 12 + 0x200);
    CHECK_EQ(block.dispose_helper, descriptor + 16 + 0x300);
    close_heap();
}

static void test_small_descriptor_is_relative_to_its_fields(void) {
    check_small_descriptor(8);
    check_small_descriptor(4);
}

static void test_small_descriptor_with_an_inline_layout(void) {
    open_heap(8);
    loupe_addr descriptor;
    loupe_addr address = draw_small(0xc0200000, &descriptor);
    drawn_put_u32(&heap, descriptor + 8, 0x110);
    CHECK_EQ(read_block(address, &apple), LOUPE_OK);
    CHECK_EQ(block.layout, 0x110);
    CHECK_EQ(block.copy_helper, 0);
    close_heap();
}

static void test_small_descriptor_with_generic_helpers(void) {
    open_heap(8);
    loupe_addr descriptor;
    loupe_addr address = draw_small(0xc0000000, &descriptor);
    drawn_put_u32(&heap, descriptor, 0x80000000 | 48);
    drawn_put_u32(&heap, descriptor - 4, 0xc0408000);
    drawn_put_u32(&heap, descriptor - 8, 0x1100);
    CHECK_EQ(read_block(address, &apple), LOUPE_OK);
    CHECK_EQ(block.size, 48);
    CHECK_EQ(block.generic, LOUPE_GENERIC_INLINE);
    CHECK_EQ(block.generic_info, 0x1100);
    CHECK(block.owns_captures);
    drawn_put_u32(&heap, descriptor - 4, 0xc040c000);
    loupe_memory_forget(&memory);
    CHECK_EQ(read_block(address, &apple), LOUPE_OK);
    CHECK_EQ(block.generic, LOUPE_GENERIC_OUT_OF_LINE);
    CHECK_EQ(block.generic_info, descriptor - 8 + 0x1100);
    close_heap();
}

/* ---- Names ---- */

static void test_flag_names_are_those_of_single_ascending_bits(void) {
    uint32_t before = 0;
    for (unsigned i = 0; i < loupe_block_flag_name_count; i++) {
        uint32_t mask = loupe_block_flag_names[i].mask;
        CHECK(mask > before && (mask & (mask - 1)) == 0);
        CHECK(loupe_block_flag_names[i].name[0] != '\0');
        before = mask;
    }
    CHECK_EQ(before, LOUPE_BLOCK_HAS_EXTENDED_LAYOUT);
    CHECK_STR(loupe_block_storage_name(LOUPE_BLOCK_ON_HEAP), "heap");
    CHECK_STR(loupe_block_storage_name(LOUPE_BLOCK_ON_STACK), "stack");
    CHECK_STR(loupe_block_storage_name(LOUPE_BLOCK_GLOBAL), "global");
}

int main(void) {
    RUN(test_all_fields_of_a_64_bit_block);
    RUN(test_all_fields_of_a_32_bit_block);
    RUN(test_without_helpers_the_other_words_move_up);
    RUN(test_block_of_plain_c_has_no_layout);
    RUN(test_layout_without_a_signature);
    RUN(test_block_that_says_nothing_has_no_words_behind_its_helpers);
    RUN(test_signed_pointers_are_stripped);
    RUN(test_sizes_that_no_block_has);
    RUN(test_size_of_more_than_32_bits_is_none);
    RUN(test_missing_and_unreadable_parts);
    RUN(test_storage);
    RUN(test_retain_count_of_every_runtime);
    RUN(test_bits_that_count_owners_have_no_name);
    RUN(test_only_blocks_with_helpers_own_what_they_capture);
    RUN(test_generic_helpers_own_too);
    RUN(test_reserved_word_that_is_no_copy_of_flags_says_nothing);
    RUN(test_generic_information_stands_in_front_of_the_descriptor);
    RUN(test_small_descriptor_is_relative_to_its_fields);
    RUN(test_small_descriptor_with_an_inline_layout);
    RUN(test_small_descriptor_with_generic_helpers);
    RUN(test_flag_names_are_those_of_single_ascending_bits);
    return check_report();
}
