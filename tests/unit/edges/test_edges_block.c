/* What blocks and __block variables hold, as a walk sees it; test_captures.c has the decoders. */
#include "check.h"
#include "show_walk.h"

static struct drawn_heap heap;
static struct drawn_world w;
static loupe_addr a, b;

static void open_world(enum drawn_form form) {
    drawn_world_init(&w, &heap, form);
    drawn_class(&w, "A", "NSObject", "");
    drawn_class(&w, "B", "NSObject", "");
    a = drawn_object(&w, "A");
    b = drawn_object(&w, "B");
}

static void close_world(void) {
    drawn_world_deinit(&w);
}

static void test_owned_captures_are_edges_in_every_form(void) {
    static const enum drawn_form forms[] = {DRAWN_X86_64, DRAWN_ARM64, DRAWN_ARM64E, DRAWN_RAW_ISA};
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        open_world(forms[i]);
        loupe_addr inner = drawn_block_of(&w, "s", b);
        CHECK_WALK(&w, drawn_block_of(&w, "sbwud", a, inner, b, b, b),
                   "__NSMallocBlock__ -- +0x20 --> A (capture)\n"
                   "__NSMallocBlock__ -- +0x28 --> __NSMallocBlock__ (capture)\n"
                   "__NSMallocBlock__ -- +0x20 --> B (capture)\n"
                   "! 1 C pointers to an object\n"); /* the last capture */
        close_world();
    }
}

static void test_captures_of_32_bit_blocks(void) {
    open_world(DRAWN_32_BIT);
    CHECK_WALK(&w, drawn_block_of(&w, "ssw", a, b, a),
               "__NSMallocBlock__ -- +0x14 --> A (capture)\n"
               "__NSMallocBlock__ -- +0x18 --> B (capture)\n");
    close_world();
}

static void test_block_without_helpers_owns_nothing(void) {
    open_world(DRAWN_X86_64);
    CHECK_WALK(&w, drawn_block_flagged(&w, 0xc1000002, "s", a), "");
    close_world();
}

static void test_noescape_block_owns_nothing(void) {
    open_world(DRAWN_X86_64);
    CHECK_WALK(&w, drawn_block_flagged(&w, 0xd0800000, "sr", a, b), "");
    close_world();
}

static void test_stack_block_with_helpers_owns(void) {
    open_world(DRAWN_X86_64);
    CHECK_WALK(&w, drawn_block_flagged(&w, 0xc2000000, "s", a),
               "__NSStackBlock__ -- +0x20 --> A (capture)\n");
    close_world();
}

static void test_global_block_is_a_leaf(void) {
    open_world(DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject", "strong _handler @?");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_handler", drawn_block_flagged(&w, 0x50000000, ""));
    CHECK_WALK(&w, owner, "Owner -- _handler --> __NSGlobalBlock__ (ivar)\n");
    close_world();
}

static void test_captured_nil_and_tagged_pointers_are_no_edges(void) {
    open_world(DRAWN_X86_64);
    CHECK_WALK(&w, drawn_block_of(&w, "ss", (loupe_addr)0, (loupe_addr)0x2a7), "");
    close_world();
}

/* One answer per descriptor must not mix up blocks whose flags differ. */
static void test_blocks_that_share_a_descriptor_and_differ_in_flags(void) {
    open_world(DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject", "strong _x @?; strong _y @?");
    loupe_addr owner = drawn_object(&w, "Owner"), heap_block = drawn_block_of(&w, "s", a),
               noescape = drawn_block_flagged(&w, 0xd2800000, "s", b);
    uint64_t descriptor;
    drawn_get(&heap, heap_block + 24, &descriptor, 8);
    drawn_put_word(&heap, noescape + 24, descriptor);
    drawn_set(&w, owner, "_x", noescape);
    drawn_set(&w, owner, "_y", heap_block);
    CHECK_WALK(
        &w, owner,
        "Owner -- _x --> __NSGlobalBlock__ (ivar)\nOwner -- _y --> __NSMallocBlock__ (ivar)\n"
        "__NSMallocBlock__ -- +0x20 --> A (capture)\n");
    close_world();
}

/* ---- __block variables ---- */

static void test_strong_block_variable_is_a_node_of_its_own(void) {
    open_world(DRAWN_X86_64);
    CHECK_WALK(&w, drawn_block_of(&w, "r", drawn_byref_of(&w, 3, a)),
               "__NSMallocBlock__ -- +0x20 --> __block variable (capture)\n"
               "__block variable -- +0x28 --> A (byref)\n");
    close_world();
}

static void test_block_variable_of_32_bits(void) {
    open_world(DRAWN_32_BIT);
    CHECK_WALK(&w, drawn_block_of(&w, "r", drawn_byref_of(&w, 3, a)),
               "__NSMallocBlock__ -- +0x14 --> __block variable (capture)\n"
               "__block variable -- +0x18 --> A (byref)\n");
    close_world();
}

static void test_block_variables_that_do_not_own(void) {
    open_world(DRAWN_X86_64);
    for (unsigned kind = 2; kind <= 5; kind++) {
        if (kind != 3)
            CHECK_WALK(&w, drawn_block_of(&w, "r", drawn_byref_of(&w, kind, a)),
                       "__NSMallocBlock__ -- +0x20 --> __block variable (capture)\n");
    }
    close_world();
}

static void test_blocks_share_the_variable_that_both_capture(void) {
    open_world(DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject", "strong _x @?; strong _y @?");
    loupe_addr owner = drawn_object(&w, "Owner"), byref = drawn_byref_of(&w, 3, owner);
    drawn_set(&w, owner, "_x", drawn_block_of(&w, "r", byref));
    drawn_set(&w, owner, "_y", drawn_block_of(&w, "r", byref));
    CHECK_WALK(&w, owner,
               "Owner -- _x --> __NSMallocBlock__ (ivar)\n"
               "Owner -- _y --> __NSMallocBlock__ (ivar)\n"
               "__NSMallocBlock__ -- +0x20 --> __block variable (capture)\n"
               "__NSMallocBlock__ -- +0x20 --> __block variable (capture)\n"
               "__block variable -- +0x28 --> Owner (byref)\n");
    close_world();
}

static void test_stack_copy_of_a_variable_leads_to_the_one_on_the_heap(void) {
    open_world(DRAWN_X86_64);
    loupe_addr on_heap = drawn_byref_of(&w, 3, a), on_stack = drawn_byref_of(&w, 3, b);
    drawn_put_word(&heap, on_stack + 8, on_heap);
    CHECK_WALK(&w, drawn_block_of(&w, "rr", on_stack, on_heap),
               "__NSMallocBlock__ -- +0x20 --> __block variable (capture)\n"
               "__NSMallocBlock__ -- +0x28 --> __block variable (capture)\n"
               "__block variable -- +0x28 --> A (byref)\n");
    close_world();
}

/* struct { id x; int n; id y; } with its layout behind the helpers. */
static void test_members_of_a_struct_variable(void) {
    open_world(DRAWN_X86_64);
    loupe_addr byref = drawn_alloc(&heap, 72);
    drawn_put_word(&heap, byref + 8, byref);
    drawn_put_u32(&heap, byref + 16, 0x13000002);
    drawn_put_u32(&heap, byref + 20, 72);
    drawn_put_word(&heap, byref + 40, drawn_string(&heap, "\x30\x20\x30"));
    drawn_put_word(&heap, byref + 48, a);
    drawn_put_word(&heap, byref + 64, b);
    CHECK_WALK(
        &w, drawn_block_of(&w, "r", byref),
        "__NSMallocBlock__ -- +0x20 --> __block variable (capture)\n"
        "__block variable -- +0x30 --> A (byref)\n__block variable -- +0x40 --> B (byref)\n");
    close_world();
}

/* ---- Damage ---- */

static void test_block_of_an_impossible_size_is_counted(void) {
    open_world(DRAWN_X86_64);
    loupe_addr block = drawn_block_of(&w, "s", a), descriptor;
    drawn_get(&heap, block + 24, &descriptor, 8);
    drawn_put_word(&heap, descriptor + 8, (uint64_t)1 << 60);
    CHECK_WALK(&w, block, "! 1 blocks without a layout\n");
    drawn_put_word(&heap, block + 24, 0xdead0000);
    CHECK_WALK(&w, block, "! 1 blocks without a layout\n");
    close_world();
}

static void test_block_variable_that_is_none_is_counted(void) {
    open_world(DRAWN_X86_64);
    CHECK_WALK(&w, drawn_block_of(&w, "rr", (loupe_addr)0xdead0000, drawn_alloc(&heap, 64)),
               "! 2 __block variables without a layout\n");
    close_world();
}

int main(void) {
    RUN(test_owned_captures_are_edges_in_every_form);
    RUN(test_captures_of_32_bit_blocks);
    RUN(test_block_without_helpers_owns_nothing);
    RUN(test_noescape_block_owns_nothing);
    RUN(test_stack_block_with_helpers_owns);
    RUN(test_global_block_is_a_leaf);
    RUN(test_captured_nil_and_tagged_pointers_are_no_edges);
    RUN(test_blocks_that_share_a_descriptor_and_differ_in_flags);
    RUN(test_strong_block_variable_is_a_node_of_its_own);
    RUN(test_block_variable_of_32_bits);
    RUN(test_block_variables_that_do_not_own);
    RUN(test_blocks_share_the_variable_that_both_capture);
    RUN(test_stack_copy_of_a_variable_leads_to_the_one_on_the_heap);
    RUN(test_members_of_a_struct_variable);
    RUN(test_block_of_an_impossible_size_is_counted);
    RUN(test_block_variable_that_is_none_is_counted);
    return check_report();
}
