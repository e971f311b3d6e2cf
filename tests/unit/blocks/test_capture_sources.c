/*
 * The sources of what a block captures, one against the other, missing, foreign and broken:
 * runtimes without layouts, stripped binaries, names of other blocks, layouts that go wrong,
 * generic helpers, memory that fails.
 */
#include "blocks/block_layout.h"
#include "blocks/block_symbol.h"
#include "check.h"
#include "objects/drawn_captures.h"
#include "objects/show_captures.h"

enum { HELPERS = 1 << 25, CXX = 3 << 25 };
#define OBJC     0xc0000000u
#define NOESCAPE 0xd0800000u

/* ---- Runtimes without layouts, and stripped binaries ---- */

/* The captures of a block on a runtime, from the names and the layout that it has. */
static const char *show_on(const struct loupe_block_traits *traits,
                           const struct drawn_block *shape) {
    struct loupe_captures captures = read_captures(shape, traits);
    return show_captures(&captures);
}

static void test_gnustep_has_no_layout_but_names(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS,
                                .size = 60,
                                .descriptor_name = "__block_descriptor_60_e8_32s40r_e5_v8\1?0l"};
    /* Nothing says whether the word at 48 is an object that is not retained; 4 bytes are none. */
    CHECK_STR(show_on(&libobjc2, &shape), "S32 R40 ?48+8 D56+4");
    close_heap();
}

static void test_null_layout_says_nothing_where_there_are_none(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS, .size = 48};
    CHECK_STR(show_on(&libobjc2, &shape), "?32+16!");
    shape.flags = OBJC; /* no helpers: whatever it is, it is not owned */
    CHECK_STR(show_on(&libobjc2, &shape), "?32+16");
    CHECK_STR(show_on(&apple, &shape), "D32+16");
    close_heap();
}

static void test_block_of_plain_c(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = 0x42000000,
                                .size = 48,
                                .descriptor_name = "__block_descriptor_tmp.3",
                                .copy_name = "__copy_helper_block_8_32b40r"};
    CHECK_STR(show_on(&apple, &shape), "B32 R40");
    shape.copy_name = NULL;
    CHECK_STR(show_on(&apple, &shape), "?32+16!");
    close_heap();
}

static void test_helper_names_where_the_descriptor_has_none(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS,
                                .size = 64,
                                .layout_bytes = "\x31\x60\x50",
                                .copy_name = "__copy_helper_block_e8_32s40b56w",
                                .dispose_name = "__destroy_helper_block_e8_32s40s56w"};
    CHECK_STR(show_on(&apple, &shape), "S32 B40 U48 W56");
    shape.copy_name = NULL;
    CHECK_STR(show_on(&apple, &shape), "S32 S40 U48 W56");
    close_heap();
}

static void test_helper_name_alone_may_lack_a_cxx_object(void) {
    /* Copying the object at 48 is trivial, destroying it is not. */
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | CXX,
                                .size = 56,
                                .layout = 0x100,
                                .copy_name = "__copy_helper_block_ea8_32s40c7_ZTS2TC48"};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32 ?40+16!");
    shape.copy_name = "__copy_helper_block_ea8_32s40";
    captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32 ?40+16!");
    close_heap();
}

static void test_stripped_helpers_that_the_layout_does_not_explain(void) {
    /* Something is copied and destroyed, and the layout knows of no object: C++. */
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS, .size = 48};
    CHECK_STR(show_on(&apple, &shape), "?32+16!");
    shape.layout_bytes = "";
    CHECK_STR(show_on(&apple, &shape), "?32+16!");
    close_heap();
}

static void test_swift_names_say_nothing(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = 0x42000000,
                                .size = 48,
                                .descriptor_name = "block_descriptor",
                                .copy_name = "block_copy_helper"};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "?32+16!");
    CHECK_EQ(captures.symbol.length, 0);
    close_heap();
}

static void test_bytes_too_few_for_a_pointer_are_data_without_a_layout_too(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS,
                                .size = 44,
                                .descriptor_name = "__block_descriptor_44_e8_32s_e5_v8\1?0l"};
    CHECK_STR(show_on(&libobjc2, &shape), "S32 D40+4");
    shape = (struct drawn_block){.flags = OBJC | HELPERS,
                                 .size = 57,
                                 .descriptor_name =
                                     "__block_descriptor_57_e8_32n11_8_8_t0w1_s1_e5_v8\1?0l"};
    CHECK_STR(show_on(&libobjc2, &shape), "D32+1 S33 D41+7 ?48+8 D56+1");
    close_heap();
}

/* ---- One source alone, as at a terminal ---- */

static void test_layout_alone_covers_what_it_describes(void) {
    open_heap(8);
    struct loupe_layout layout;
    struct loupe_captures captures;
    struct loupe_span bytes = loupe_span_of("\x12\x30\x71\x60");
    CHECK_EQ(loupe_layout_decode_bytes(&arena, bytes, 8, LOUPE_LAYOUT_NO_LIMIT, &layout), LOUPE_OK);
    CHECK_EQ(loupe_captures_of_layout(&arena, &layout, 8, &captures), LOUPE_OK);
    CHECK_STR(show_captures(&captures), "D32+3 S35 ?43+8! ?51+8! U59");
    CHECK_EQ(loupe_layout_decode_inline(&arena, 0x111, 4, LOUPE_LAYOUT_NO_LIMIT, &layout),
             LOUPE_OK);
    CHECK_EQ(loupe_captures_of_layout(&arena, &layout, 4, &captures), LOUPE_OK);
    CHECK_STR(show_captures(&captures), "S20 R24 W28");
    close_heap();
}

static const char *show_name(const char *name, uint8_t pointer_size) {
    struct loupe_symbol_context context = {.pointer_size = pointer_size};
    struct loupe_block_symbol symbol;
    struct loupe_captures captures = {0};
    CHECK_EQ(loupe_block_symbol_parse(&arena, loupe_span_of(name), &context, &symbol, NULL),
             LOUPE_OK);
    enum loupe_status status = loupe_captures_of_symbol(&arena, &symbol, pointer_size, &captures);
    return status ? loupe_status_name(status) : show_captures(&captures);
}

static void test_helper_name_alone_covers_up_to_its_last_capture(void) {
    open_heap(8);
    CHECK_STR(show_name("__copy_helper_block_e8_32s48w", 8), "S32 ?40+8 W48");
    CHECK_STR(show_name("__copy_helper_block_ea8_32s40c6_ZTS1T", 8), "S32 ?40+8!");
    CHECK_STR(show_name("__copy_helper_block_e4_20s24r", 4), "S20 R24");
    CHECK_STR(show_name("__copy_helper_block_", 8), "");
    close_heap();
}

static void test_name_that_contradicts_its_own_size(void) {
    open_heap(8);
    CHECK_STR(show_name("__block_descriptor_40_e8_40s_e5_v8@?0l", 8), "usage");
    CHECK_STR(show_name("__block_descriptor_40_e8_24s_e5_v8@?0l", 8), "usage");
    CHECK_STR(show_name("__block_descriptor_48_e5_v8@?0lu32l7", 8), "usage");
    CHECK_STR(show_name("__block_descriptor_48_e5_v8@?0lu32l16", 8), "U32 U40");
    close_heap();
}

/* ---- Names that do not belong to the block ---- */

static void test_name_that_does_not_fit_is_shown_and_not_used(void) {
    static const char *const names[] = {
        "__block_descriptor_56_e8_32s_e5_v8\1?0l",    /* another size */
        "__block_descriptor_48_e8_32s48s_e5_v8\1?0l", /* a capture behind the end */
        "__block_descriptor_48_e8_32s41s_e5_v8\1?0l", /* one that reaches over it */
        "__block_descriptor_48_e8_24s_e5_v8\1?0l",    /* one in the header */
        "__block_descriptor_48_e5_v8\1?0ls32l8",      /* of a block without helpers */
        "__block_descriptor_48_e8_32z_e5_v8\1?0l",    /* no name at all */
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        open_heap(8);
        struct drawn_block shape = {
            .flags = OBJC | HELPERS, .size = 48, .layout = 0x101, .descriptor_name = names[i]};
        struct loupe_captures captures = read_captures(&shape, &apple);
        CHECK_STR(show_captures(&captures), "S32 W40");
        CHECK(loupe_span_equals(captures.symbol, names[i]));
        CHECK(!captures.symbol_was_used);
        close_heap();
    }
}

static void test_name_of_a_neighbour_is_not_used(void) {
    /* Stripped of local symbols, an address gets the name of what stands in front of it. */
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS, .size = 48, .layout = 0x101};
    loupe_addr address = drawn_block(&heap, &shape);
    loupe_addr descriptor = 0;
    loupe_memory_read_word(&memory, address + 24, &descriptor);
    drawn_symbol_add(&heap, "__block_descriptor_48_e8_32s40s_e5_v8\1?0l", descriptor - 8);
    struct loupe_block block;
    struct loupe_captures captures;
    CHECK_EQ(loupe_block_read(&memory, address, &apple, &block, NULL), LOUPE_OK);
    CHECK_EQ(loupe_captures_read(&memory, &arena, &block, &apple, &captures), LOUPE_OK);
    CHECK_STR(show_captures(&captures), "S32 W40");
    close_heap();
}

static void test_name_longer_than_a_line(void) {
    open_heap(8);
    static char name[4096];
    size_t used = loupe_format(name, sizeof(name), "__block_descriptor_40_e8_32s_e2005_v8@?0");
    memset(name + used, 'x', 2000);
    memcpy(name + used + 2000, "l", 2);
    struct drawn_block shape = {.flags = OBJC | HELPERS, .size = 40, .descriptor_name = name};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK(captures.symbol_was_used);
    CHECK_EQ(captures.symbol.length, used + 2001);
    CHECK_STR(show_captures(&captures), "S32");
    close_heap();
}

/* ---- Layouts that go wrong ---- */

static void test_byte_without_a_meaning_leaves_the_rest_unknown(void) {
    open_heap(8);
    struct drawn_block shape = {
        .flags = OBJC | HELPERS, .size = 64, .layout_bytes = "\x30\x20\xb0"};
    CHECK_STR(show_on(&apple, &shape), "S32 D40+8 ?48+16!");
    close_heap();
}

static void test_reserved_opcode_is_unknown(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS, .size = 56, .layout_bytes = "\x30\x71"};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32 ?40+8! ?48+8!");
    close_heap();
}

static void test_reserved_opcode_that_the_name_excludes_is_not_owned(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS,
                                .size = 48,
                                .layout_bytes = "\x30\x70",
                                .descriptor_name = "__block_descriptor_48_e8_32s_e5_v8\1?0l"};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32 ?40+8");
    CHECK_STR(show_conflicts(&captures), "");
    close_heap();
}

static void test_strong_in_the_layout_of_who_knows_what_compiler(void) {
    /* Only a block is named: under manual retain/release as under ARC. */
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS,
                                .size = 48,
                                .layout = 0x110,
                                .copy_name = "__copy_helper_block_e8_40r"};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "?32+8 R40");
    CHECK_STR(show_conflicts(&captures), "32:?(symbol)/S(layout)");
    close_heap();
}

static void test_layout_longer_than_the_block_is_cut(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS, .size = 52, .layout = 0x500};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32 S40 D48+4");
    CHECK_EQ(captures.layout->end, LOUPE_LAYOUT_OVERRUN);
    close_heap();
}

static void test_layout_that_cannot_be_read_is_noted(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS, .size = 48, .layout = 0x900000};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "?32+16!");
    CHECK_EQ(captures.unread, LOUPE_EFAULT);
    CHECK(captures.layout == NULL);
    close_heap();
}

/* ---- Generic helpers ---- */

static void test_generic_helpers_that_follow_the_layout(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC,
                                .size = 64,
                                .layout_bytes = "\x30\x40\x60",
                                .in_descriptor_flags = 0xc0004000};
    CHECK_STR(show_on(&apple, &shape), "S32 R40 U48 D56+8");
    shape.descriptor_name = "__block_descriptor_64_e5_v8\1?0ls32l8r40l8u48l8";
    CHECK_STR(show_on(&apple, &shape), "S32 R40 U48 D56+8");
    close_heap();
}

static void test_generic_helpers_that_follow_an_inline_word(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC,
                                .size = 80,
                                .layout_bytes = "\x32\x40\x50",
                                .in_descriptor_flags = 0xc0008000,
                                .generic_info = 0x112100};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32 B40 B48 R56 W64 D72+8");
    CHECK_EQ(captures.items[0].evidence, LOUPE_EVIDENCE_GENERIC | LOUPE_EVIDENCE_LAYOUT);
    CHECK_STR(show_conflicts(&captures), "");
    close_heap();
}

static void test_generic_helpers_with_a_name_of_either_form(void) {
    static const char *const names[] = {"__block_descriptor_48_e8_32s40w_e5_v8\1?0l",
                                        "__block_descriptor_48_e5_v8\1?0ls32l8w40l8"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        open_heap(8);
        struct drawn_block shape = {.flags = OBJC,
                                    .size = 48,
                                    .layout = 0x101,
                                    .in_descriptor_flags = 0xc0008000,
                                    .generic_info = 0x100100,
                                    .descriptor_name = names[i]};
        struct loupe_captures captures = read_captures(&shape, &apple);
        CHECK_STR(show_captures(&captures), "S32 W40");
        CHECK_EQ(captures.items[0].evidence,
                 LOUPE_EVIDENCE_SYMBOL | LOUPE_EVIDENCE_GENERIC | LOUPE_EVIDENCE_LAYOUT);
        close_heap();
    }
}

static void test_generic_helpers_that_follow_a_string(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC,
                                .size = 72,
                                .in_descriptor_flags = 0xc000c000,
                                .generic_bytes = "\x01\x20\x30\x40\x50\x60"};
    CHECK_STR(show_on(&apple, &shape), "D32+8 S40 B48 R56 W64");
    CHECK_STR(show_on(&libobjc2, &shape), "?32+8 S40 B48 R56 W64");
    close_heap();
}

static void test_layout_against_generic_helpers(void) {
    /* What the generic helpers do not name is not owned, even if the layout says strong. */
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC,
                                .size = 48,
                                .layout = 0x200,
                                .in_descriptor_flags = 0xc0008000,
                                .generic_info = 0x100};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32 ?40+8");
    CHECK_STR(show_conflicts(&captures), "40:?(generic)/S(layout)");
    close_heap();
}

static void test_own_helpers_beside_generic_ones_handle_cxx(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | CXX,
                                .size = 56,
                                .layout = 0x100,
                                .in_descriptor_flags = 0xc6008000,
                                .generic_info = 0x100,
                                .copy_name = "__copy_helper_block_ea8_40c6_ZTS1V"};
    CHECK_STR(show_on(&apple, &shape), "S32 ?40+16!");
    close_heap();
}

/* ---- Evidence ---- */

static void test_every_capture_says_who_knows_of_it(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS,
                                .size = 56,
                                .layout = 0x200,
                                .descriptor_name = "__block_descriptor_56_e8_32o_e5_v8\1?0l"};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32 U40 D48+8");
    CHECK_EQ(captures.items[0].evidence, LOUPE_EVIDENCE_SYMBOL | LOUPE_EVIDENCE_LAYOUT);
    CHECK_EQ(captures.items[1].evidence, LOUPE_EVIDENCE_SYMBOL);
    CHECK_EQ(captures.items[2].evidence, LOUPE_EVIDENCE_SYMBOL | LOUPE_EVIDENCE_LAYOUT);
    close_heap();
    open_heap(8);
    shape = (struct drawn_block){.flags = NOESCAPE, .size = 40, .layout = 0x100};
    captures = read_captures(&shape, &apple);
    CHECK_EQ(captures.items[0].evidence, LOUPE_EVIDENCE_FLAGS | LOUPE_EVIDENCE_LAYOUT);
    close_heap();
}

static void test_type_of_a_cxx_object_is_kept(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | CXX,
                                .size = 56,
                                .layout = 0x200,
                                .descriptor_name =
                                    "__block_descriptor_56_ea8_32s40c6_ZTS1T_e5_v8\1?0l"};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32 S40 ?48+8!");
    CHECK_EQ(captures.items[0].type.length, 0);
    CHECK(loupe_span_equals(captures.items[1].type, "_ZTS1T"));
    CHECK(loupe_span_equals(captures.items[2].type, "_ZTS1T"));
    CHECK_EQ(captures.items[1].evidence, LOUPE_EVIDENCE_LAYOUT);
    close_heap();
}

static void test_words_that_overlap_are_a_conflict(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS,
                                .size = 57,
                                .layout_bytes = "\x13\x30",
                                .descriptor_name = "__block_descriptor_57_e8_32s_e5_v8\1?0l"};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32 D40+17");
    CHECK_STR(show_conflicts(&captures), "36:S(symbol)/S(layout)");
    close_heap();
}

static void test_two_claims_of_one_name_are_a_conflict(void) {
    open_heap(8);
    struct drawn_block shape = {.flags = OBJC | HELPERS,
                                .size = 40,
                                .descriptor_name = "__block_descriptor_40_e8_32s_e5_v8\1?0lu32l8"};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), "S32");
    CHECK_STR(show_conflicts(&captures), "32:S(symbol)/U(symbol)");
    close_heap();
}

static void test_names_of_the_protocol(void) {
    static const char *const kinds[] = {"strong",     "block", "byref",  "weak",
                                        "unretained", "data",  "unknown"};
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        CHECK_STR(loupe_capture_kind_name((enum loupe_capture_kind)i), kinds[i]);
    CHECK_STR(loupe_evidence_name(LOUPE_EVIDENCE_SYMBOL), "symbol");
    CHECK_STR(loupe_evidence_name(LOUPE_EVIDENCE_GENERIC), "generic");
    CHECK_STR(loupe_evidence_name(LOUPE_EVIDENCE_LAYOUT), "layout");
    CHECK_STR(loupe_evidence_name(LOUPE_EVIDENCE_DEBUG_INFO), "debug-info");
    CHECK_STR(loupe_evidence_name(LOUPE_EVIDENCE_PROBE), "probe");
    CHECK_STR(loupe_evidence_name(LOUPE_EVIDENCE_FLAGS), "flags");
}

/* ---- Failures ---- */

static const struct drawn_block everything = {
    .flags = OBJC | CXX,
    .size = 80,
    .layout_bytes = "\x30\x40\x50",
    .in_descriptor_flags = 0xc600c000,
    .generic_bytes = "\x01\x30\x50\x60",
    .descriptor_name = "__block_descriptor_80_ea8_32s40r48w56c6_ZTS1T_e5_v8\1?0l"};

/* Layout and name agree on nothing. */
static const struct drawn_block conflicting = {
    .flags = OBJC | HELPERS,
    .size = 128,
    .layout_bytes = "\x32\x42\x14\x52\x61",
    .descriptor_name = "__block_descriptor_128_e8_32w40w48w56s64s72b80w88w_e5_v8\1?0lu120l8"};

static void test_every_failing_page_leaves_a_whole_list(void) {
    for (loupe_addr bad = 0x10000, end = bad + 1; bad < end; bad += LOUPE_PAGE_SIZE) {
        open_heap(8);
        heap.alignment = LOUPE_PAGE_SIZE;
        loupe_addr address = drawn_block(&heap, &everything);
        end = heap.next;
        struct loupe_block block;
        struct loupe_captures captures;
        CHECK_EQ(loupe_block_read(&memory, address, &apple, &block, NULL), LOUPE_OK);
        loupe_memory_forget(&memory);
        heap.bad_page = bad;
        CHECK_EQ(loupe_captures_read(&memory, &arena, &block, &apple, &captures), LOUPE_OK);
        check_cover(&captures, 32, 80);
        CHECK_EQ(captures.items[0].kind, LOUPE_CAPTURE_STRONG); /* the name says so */
        close_heap();
    }
}

static void test_every_failing_allocation_is_no_memory(void) {
    static const struct drawn_block *const shapes[] = {&everything, &conflicting};
    for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        open_heap(8);
        struct loupe_block block;
        loupe_addr address = drawn_block(&heap, shapes[i]);
        CHECK_EQ(loupe_block_read(&memory, address, &apple, &block, NULL), LOUPE_OK);
        unsigned failed = 0;
        for (size_t room = 0; room < 16384; room += 16) {
            struct drawn_failing_chunks state;
            struct loupe_chunk_ops chunks;
            struct loupe_arena tight;
            struct loupe_captures captures = {0};
            drawn_tight_arena(&tight, &chunks, &state, room);
            enum loupe_status status =
                loupe_captures_read(&memory, &tight, &block, &apple, &captures);
            CHECK(status == LOUPE_OK || status == LOUPE_ENOMEM);
            CHECK(status || captures.count > 0);
            failed += status != LOUPE_OK;
            loupe_arena_deinit(&tight);
            CHECK_EQ(state.outstanding, 0);
        }
        CHECK(failed > 10 && failed < 1000);
        close_heap();
    }
}

int main(void) {
    RUN(test_gnustep_has_no_layout_but_names);
    RUN(test_null_layout_says_nothing_where_there_are_none);
    RUN(test_block_of_plain_c);
    RUN(test_helper_names_where_the_descriptor_has_none);
    RUN(test_helper_name_alone_may_lack_a_cxx_object);
    RUN(test_stripped_helpers_that_the_layout_does_not_explain);
    RUN(test_swift_names_say_nothing);
    RUN(test_bytes_too_few_for_a_pointer_are_data_without_a_layout_too);
    RUN(test_layout_alone_covers_what_it_describes);
    RUN(test_helper_name_alone_covers_up_to_its_last_capture);
    RUN(test_name_that_contradicts_its_own_size);
    RUN(test_name_that_does_not_fit_is_shown_and_not_used);
    RUN(test_name_of_a_neighbour_is_not_used);
    RUN(test_name_longer_than_a_line);
    RUN(test_byte_without_a_meaning_leaves_the_rest_unknown);
    RUN(test_reserved_opcode_is_unknown);
    RUN(test_reserved_opcode_that_the_name_excludes_is_not_owned);
    RUN(test_strong_in_the_layout_of_who_knows_what_compiler);
    RUN(test_layout_longer_than_the_block_is_cut);
    RUN(test_layout_that_cannot_be_read_is_noted);
    RUN(test_generic_helpers_that_follow_the_layout);
    RUN(test_generic_helpers_that_follow_an_inline_word);
    RUN(test_generic_helpers_with_a_name_of_either_form);
    RUN(test_generic_helpers_that_follow_a_string);
    RUN(test_layout_against_generic_helpers);
    RUN(test_own_helpers_beside_generic_ones_handle_cxx);
    RUN(test_every_capture_says_who_knows_of_it);
    RUN(test_type_of_a_cxx_object_is_kept);
    RUN(test_words_that_overlap_are_a_conflict);
    RUN(test_two_claims_of_one_name_are_a_conflict);
    RUN(test_names_of_the_protocol);
    RUN(test_every_failing_page_leaves_a_whole_list);
    RUN(test_every_failing_allocation_is_no_memory);
    return check_report();
}
