/*
 * Names of descriptors and helpers as clang 14 and 22 write them, and names that no compiler
 * writes. Captures are shown as letter and offset: S strong, O strong by manual retain, B block, R
 * byref, W weak, U unretained, D data with "+size", C a C++ object with its type; small letters:
 * from the suffix, not handled by a helper.
 */
#include "blocks/block_symbol.h"
#include "check.h"
#include "memory/drawn_heap.h"

#include <stdlib.h>

static struct loupe_arena arena;

static char letter_of(const struct loupe_symbol_capture *capture) {
    char letter = capture->by_retain ? 'O' : "SBRWUDC"[capture->kind];
    return (char)(capture->by_helper ? letter : letter + 'a' - 'A');
}

static const char *show(const struct loupe_block_symbol *symbol) {
    static char text[8192];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < symbol->capture_count; i++) {
        const struct loupe_symbol_capture *capture = &symbol->captures[i];
        used += loupe_format(text + used, sizeof(text) - used, "%s%c%u", i ? " " : "",
                             letter_of(capture), capture->offset);
        if (capture->kind == LOUPE_CAPTURE_DATA)
            used += loupe_format(text + used, sizeof(text) - used, "+%u", capture->size);
        if (capture->type.length)
            used += loupe_format(text + used, sizeof(text) - used, ":%.*s",
                                 (int)capture->type.length, capture->type.bytes);
    }
    return text;
}

static struct loupe_symbol_context context = {.pointer_size = 8};
static struct loupe_block_symbol symbol;

static const char *parse(const char *name) {
    symbol = (struct loupe_block_symbol){0};
    struct loupe_error err = {0};
    enum loupe_status status =
        loupe_block_symbol_parse(&arena, loupe_span_of(name), &context, &symbol, &err);
    CHECK_EQ(status, err.code);
    return status ? loupe_status_name(status) : show(&symbol);
}

/* The name of a helper for one struct at 32, whose length is counted here. */
static const char *parse_struct(const char *members) {
    char name[4096];
    loupe_format(name, sizeof(name), "__copy_helper_block_e8_32n%zu_%s", strlen(members), members);
    return parse(name);
}

#define DESCRIPTOR(rest) "__block_descriptor_" rest "_e5_v8\1?0l"

static void test_operations_of_arc(void) {
    CHECK_STR(parse(DESCRIPTOR("40_e8_32s")), "S32");
    CHECK_STR(parse(DESCRIPTOR("56_e8_32s40s48w")), "S32 S40 W48");
    CHECK_STR(parse(DESCRIPTOR("56_e8_32s40r48w")), "S32 R40 W48");
    CHECK_STR(parse(DESCRIPTOR("88_e8_32r40r48r56r64r72r80r")), "R32 R40 R48 R56 R64 R72 R80");
}

static void test_header_of_a_descriptor(void) {
    parse("__block_descriptor_60_e8_32s40r48w_e5_v8@?0l");
    CHECK_EQ(symbol.form, LOUPE_SYMBOL_DESCRIPTOR);
    CHECK_EQ(symbol.size, 60);
    CHECK_EQ(symbol.alignment, 8);
    CHECK(symbol.says_captures && symbol.has_helpers);
    CHECK(!symbol.arc_exceptions);
    CHECK(loupe_span_equals(symbol.signature, "v8@?0"));
    parse(DESCRIPTOR("56_ea16_48s"));
    CHECK(symbol.arc_exceptions);
    CHECK_EQ(symbol.alignment, 16);
    parse(DESCRIPTOR("56_8_32s"));
    CHECK(!symbol.arc_exceptions);
}

static void test_block_captured_under_arc_is_copied_as_block_and_released_as_object(void) {
    CHECK_STR(parse(DESCRIPTOR("48_e8_32s40bs")), "S32 B40");
    CHECK_STR(parse("__copy_helper_block_e8_32s40b"), "S32 B40");
    CHECK_STR(parse("__destroy_helper_block_e8_32s40s"), "S32 S40");
}

static void test_manual_retain_release(void) {
    CHECK_STR(parse(DESCRIPTOR("56_e8_32o40b48r")), "O32 B40 R48");
    CHECK_STR(parse("__copy_helper_block_8_32o40b"), "O32 B40");
}

static void test_byrefs_whose_copies_may_throw(void) {
    CHECK_STR(parse(DESCRIPTOR("64_ea8_32r40rc48rd56rcd")), "R32 R40 R48 R56");
    CHECK_STR(parse(DESCRIPTOR("40_e8_32rw")), "R32");
}

static void test_block_without_helpers(void) {
    CHECK_STR(parse("__block_descriptor_36_e5_v8@?0l"), "");
    CHECK(symbol.says_captures && !symbol.has_helpers);
    CHECK_STR(parse("__block_descriptor_40_e5_v8@?0lu32l8"), "u32");
    CHECK_STR(parse("__block_descriptor_64_e5_v8@?0lr40l8s32l8w48l8u56l8"), "s32 r40 w48 u56");
    CHECK_STR(parse("__block_descriptor_36_e0_l"), "");
}

static void test_signature_of_any_bytes(void) {
    CHECK_STR(parse("__block_descriptor_40_e8_32s_e15_{Big=[10q]}8@?0l"), "S32");
    CHECK(loupe_span_equals(symbol.signature, "{Big=[10q]}8@?0"));
    CHECK_STR(parse("__block_descriptor_32_e11_e8_32s_e1_vl"), "");
    CHECK(loupe_span_equals(symbol.signature, "e8_32s_e1_v"));
    CHECK(!symbol.has_helpers);
}

static void test_what_is_known_of_the_block_decides_between_two_readings(void) {
    /* A signature of 9 bytes, or a block with helpers that is aligned to 9. */
    const char *name = "__block_descriptor_48_e9_32s_e2_abl";
    CHECK_STR(parse(name), "");
    CHECK(!symbol.has_helpers);
    context.helpers = LOUPE_HELPERS_NONE;
    CHECK_STR(parse(name), "");
    context.helpers = LOUPE_HELPERS_PRESENT;
    CHECK_STR(parse(name), "S32");
    CHECK(symbol.has_helpers);
    context.helpers = LOUPE_HELPERS_NONE;
    CHECK_STR(parse("__block_descriptor_48_e8_32s_e2_abl"), "usage");
    context.helpers = LOUPE_HELPERS_PRESENT;
    CHECK_STR(parse("__block_descriptor_48_e2_abl"), "usage");
    context.helpers = LOUPE_HELPERS_UNKNOWN;
}

static void test_unretained_stand_in_the_suffix_beside_helpers(void) {
    CHECK_STR(parse("__block_descriptor_48_e8_32s_e5_v8@?0lu40l8"), "S32 u40");
}

static void test_members_of_a_struct(void) {
    CHECK_STR(parse("__block_descriptor_72_e8_32n20_8_8_s0_w8_t16w16_s32_e5_v8@?0lu56l8"),
              "S32 W40 D48+16 u56 S64");
    CHECK_STR(parse(DESCRIPTOR("56_e8_32s40n11_8_8_t0w1_s8")), "S32 D40+1 S48");
    CHECK_STR(parse(DESCRIPTOR("41_e8_32n11_8_8_t0w1_s1")), "D32+1 S33");
    CHECK_STR(parse("__destroy_helper_block_e8_32n11_8_s0_w8_s32"), "S32 W40 S64");
}

/* struct { char; id[3]; __weak id[2][2]; struct { int; id } [2]; block; volatile id; volatile int;
 * int : 3 } */
static const char all_members[] =
    "152_e8_32n90_8_8_t0w1_AB8s8n3_s8_AE_AB32s8n4_w32_AE_AB64s16n2_S_t64w4_s72_AE_sb96_sv104_"
    "tv896w32_t116w1";

static void test_arrays_structs_blocks_volatile_and_bit_fields_in_a_struct(void) {
    char name[256];
    loupe_format(name, sizeof(name), "__block_descriptor_%s_e5_v8@?0l", all_members);
    CHECK_STR(parse(name), "D32+1 S40 S48 S56 W64 W72 W80 W88 D96+4 S104 D112+4 S120 B128 S136 "
                           "D144+4 D148+1");
}

static void test_arrays_in_arrays(void) {
    CHECK_STR(parse_struct("8_8_AB0s24n2_S_w0_AB8s8n2_s8_AE_AE_s48"),
              "W32 S40 S48 W56 S64 S72 S80");
}

static void test_signed_pointers_are_data(void) {
    CHECK_STR(parse("__copy_helper_block_e8_32p2d1234"), "D32+8");
    CHECK_STR(parse("__copy_helper_block_e8_32p2d123440s"), "D32+8 S40");
    CHECK_STR(parse(DESCRIPTOR("56_e8_32s40w48p2d1234")), "S32 W40 D48+8");
    CHECK_STR(parse("__destroy_helper_block_e8_32s40w48"), "S32 W40");
    CHECK_STR(parse_struct("8_8_pa2_1234_8_s16"), "D40+8 S48");
    CHECK_STR(parse_struct("8_8_pa2_12_anv_16"), "D48+8");
}

static void test_cxx_objects(void) {
    CHECK_STR(parse("__block_descriptor_56_ea8_32s40c6_ZTS1T48c7_ZTS2TC52c7_ZTS2TD_e5_v8@?0l"),
              "S32 C40:_ZTS1T C48:_ZTS2TC C52:_ZTS2TD");
    CHECK_STR(parse("__block_descriptor_56_ea8_32c31_ZTSZ2l6P11objc_objectS0_iE3$_0_e5_v8@?0l"),
              "C32:_ZTSZ2l6P11objc_objectS0_iE3$_0");
}

static void test_offsets_of_captures_that_a_helper_skips_run_into_the_next(void) {
    /* Destroying TC is trivial, and copying TD. */
    CHECK_STR(parse("__copy_helper_block_ea8_32s40c6_ZTS1T48c7_ZTS2TC52"),
              "S32 C40:_ZTS1T C48:_ZTS2TC");
    CHECK_STR(parse("__destroy_helper_block_ea8_32s40c6_ZTS1T4852c7_ZTS2TD"),
              "S32 C40:_ZTS1T C52:_ZTS2TD");
    CHECK_STR(parse("__copy_helper_block_ea8_32s40rc48r5660c7_ZTS2TC"), "S32 R40 R48 C60:_ZTS2TC");
    CHECK_STR(parse("__destroy_helper_block_ea8_32s96100104c1T"), "S32 C104:T");
    context.block_size = 6000;
    CHECK_STR(parse("__copy_helper_block_ea8_32s40rc48r5660c7_ZTS2TC"),
              "S32 R40 R48 C5660:_ZTS2TC");
    context.block_size = 0;
}

static void test_far_capture_is_not_split(void) {
    context.block_size = 5000;
    CHECK_STR(parse("__copy_helper_block_e8_32s4992w"), "S32 W4992");
    context.block_size = 0;
    CHECK_STR(parse("__copy_helper_block_e8_32s1040w"), "S32 W1040");
}

static void test_pointers_of_a_32_bit_target(void) {
    context.pointer_size = 4;
    CHECK_STR(parse("__block_descriptor_32_e4_20s24r28r_e5_v4@?0l"), "S20 R24 R28");
    CHECK_EQ(symbol.captures[0].size, 4);
    context.pointer_size = 8;
}

static void test_underscore_of_mach_o(void) {
    CHECK_STR(parse("___block_descriptor_40_e8_32s_e5_v8@?0l"), "S32");
    CHECK_STR(parse("___copy_helper_block_e8_32s"), "S32");
    CHECK_STR(parse("___destroy_helper_block_e8_32s"), "S32");
    CHECK_EQ(symbol.form, LOUPE_SYMBOL_DESTROY_HELPER);
}

static void test_what_an_optimizer_appends_is_ignored(void) {
    CHECK_STR(parse("__block_descriptor_40_e8_32s_e5_v8@?0l.llvm.4711"), "S32");
    CHECK_STR(parse("__copy_helper_block_e8_32s.17"), "S32");
}

static void test_names_that_say_nothing(void) {
    static const char *const names[] = {"__block_descriptor_tmp",   "__block_descriptor_tmp.12",
                                        "___block_descriptor_tmp",  "__copy_helper_block_",
                                        "__copy_helper_block_.3",   "__destroy_helper_block_",
                                        "__destroy_helper_block_7", "__block_descriptor_tmp7"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK_STR(parse(names[i]), "");
        CHECK(!symbol.says_captures);
    }
}

static void test_other_names_are_refused(void) {
    static const char *const names[] = {"",
                                        "_",
                                        "main",
                                        "block_descriptor",
                                        "_block_descriptor_40_e5_v8@?0l",
                                        "____block_descriptor_40_e5_v8@?0l",
                                        "__main_block_invoke",
                                        "__Block_byref_object_copy_"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK_STR(parse(names[i]), "usage");
        CHECK(!loupe_block_symbol_is_one(loupe_span_of(names[i])));
    }
}

static void test_names_that_go_wrong_are_refused(void) {
    static const char *const names[] = {
        "__block_descriptor_",
        "__block_descriptor_40",
        "__block_descriptor_40_",
        "__block_descriptor_40_e8_32s",
        "__block_descriptor_40_e8_32s_",
        "__block_descriptor_40_e8_32s_e5_v8@?0",
        "__block_descriptor_40_e8_32s_e6_v8@?0l",
        "__block_descriptor_40_e8_32s_e5_v8@?0lx",
        "__block_descriptor_40_e8_32s_e5_v8@?0lu",
        "__block_descriptor_40_e8_32s_e5_v8@?0lu40",
        "__block_descriptor_40_e8_32s_e5_v8@?0lu40l",
        "__block_descriptor_40_e8_32z_e5_v8@?0l",
        "__block_descriptor_40_e8_32s24s_e5_v8@?0l", /* offsets go up */
        "__block_descriptor_99999999999999999999_e5_v8@?0l",
        "__copy_helper_block_e8",
        "__copy_helper_block_e8_32s_",
        "__copy_helper_block_e8_s",
        "__copy_helper_block_e8_32c",
        "__copy_helper_block_e8_32c99_ZTS1T",
        "__copy_helper_block_e8_32n5_8_s0",
        "__copy_helper_block_e8_32p",
        "__copy_helper_block_e8_32p1d",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!CHECK_STR(parse(names[i]), "usage"))
            printf("    for %s\n", names[i]);
    }
}

static void test_members_that_go_wrong_are_refused(void) {
    static const char *const members[] = {
        "",
        "8_s0x",
        "8_s",
        "8_z0",
        "8_8_8_s0",
        "8_s0_AE",
        "8_t0w",
        "8_t0",
        "8_AB0s8n2_s0",
        "8_AB0s8n0_s0_AE",
        "8_AB0n2_s0_AE",
        "8_pa2_1234",
        "8_s99999999999",
        "8_tv8w99999999999",
        "s0",
    };
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (!CHECK_STR(parse_struct(members[i]), "usage"))
            printf("    for %s\n", members[i]);
    }
}

static void test_message_says_where(void) {
    struct loupe_error err = {0};
    loupe_block_symbol_parse(&arena, loupe_span_of("__copy_helper_block_e8_32s40z"), &context,
                             &symbol, &err);
    CHECK_STR(err.message, "name of a block's helper that makes no sense from byte 28 on");
    loupe_block_symbol_parse(&arena, loupe_span_of("_OBJC_CLASS_$_Owner"), &context, &symbol, &err);
    CHECK_STR(err.message, "not the name of a block's descriptor or helper");
}

/* ---- Hostile names ---- */

static void test_every_beginning_of_a_name_ends_well(void) {
    char name[256];
    size_t length =
        loupe_format(name, sizeof(name), "__block_descriptor_%s_e5_v8@?0lu56l8", all_members);
    for (size_t cut = 0; cut < length; cut++) {
        struct loupe_span part = {.bytes = name, .length = cut};
        enum loupe_status status = loupe_block_symbol_parse(&arena, part, &context, &symbol, NULL);
        /* The only other whole name in it is the one without the suffix. */
        CHECK(status == LOUPE_EUSAGE || part.bytes[cut - 1] == 'l' || cut == length - 1);
    }
}

static void test_huge_array_is_a_limit_and_not_a_loop(void) {
    CHECK_STR(parse_struct("8_8_AB0s8n16777215_s0_AE"), "limit");
    CHECK_STR(parse_struct("8_8_AB0s0n16777215_s0_AE"), "limit");
    CHECK_STR(parse_struct("8_8_AB0s1n16777215_AE"), "limit");
}

static void test_nested_arrays_are_limited(void) {
    char members[4096];
    size_t used = loupe_format(members, sizeof(members), "8_8");
    for (unsigned i = 0; i <= LOUPE_SYMBOL_MAX_DEPTH; i++)
        used += loupe_format(members + used, sizeof(members) - used, "_AB0s8n2");
    CHECK_STR(parse_struct(members), "limit");
}

static void test_name_of_a_megabyte(void) {
    enum { LENGTH = 1 << 20 };
    char *name = malloc(LENGTH);
    const char prefix[] = "__copy_helper_block_e8_";
    memset(name, '9', LENGTH);
    memcpy(name, prefix, sizeof(prefix) - 1);
    struct loupe_span span = {.bytes = name, .length = LENGTH};
    CHECK_EQ(loupe_block_symbol_parse(&arena, span, &context, &symbol, NULL), LOUPE_EUSAGE);
    for (size_t i = sizeof(prefix) - 1; i + 2 < LENGTH; i += 2)
        memcpy(name + i, "9s", 2);
    CHECK_EQ(loupe_block_symbol_parse(&arena, span, &context, &symbol, NULL), LOUPE_EUSAGE);
    free(name);
}

static void test_every_failing_allocation_is_no_memory(void) {
    const char *name = "__copy_helper_block_e8_32n18_8_8_AB0s8n99_s0_AE";
    unsigned failed = 0;
    for (size_t room = 0; room < 16384; room += 16) {
        struct drawn_failing_chunks state;
        struct loupe_chunk_ops chunks;
        struct loupe_arena tight;
        struct loupe_error err = {0};
        drawn_tight_arena(&tight, &chunks, &state, room);
        enum loupe_status status =
            loupe_block_symbol_parse(&tight, loupe_span_of(name), &context, &symbol, &err);
        CHECK(status == LOUPE_OK || status == LOUPE_ENOMEM);
        CHECK_EQ(err.code, status);
        failed += status != LOUPE_OK;
        loupe_arena_deinit(&tight);
        CHECK_EQ(state.outstanding, 0);
    }
    CHECK(failed > 10 && failed < 1024);
}

int main(void) {
    loupe_arena_init(&arena, &drawn_chunks);
    RUN(test_operations_of_arc);
    RUN(test_header_of_a_descriptor);
    RUN(test_block_captured_under_arc_is_copied_as_block_and_released_as_object);
    RUN(test_manual_retain_release);
    RUN(test_byrefs_whose_copies_may_throw);
    RUN(test_block_without_helpers);
    RUN(test_signature_of_any_bytes);
    RUN(test_what_is_known_of_the_block_decides_between_two_readings);
    RUN(test_unretained_stand_in_the_suffix_beside_helpers);
    RUN(test_members_of_a_struct);
    RUN(test_arrays_structs_blocks_volatile_and_bit_fields_in_a_struct);
    RUN(test_arrays_in_arrays);
    RUN(test_signed_pointers_are_data);
    RUN(test_cxx_objects);
    RUN(test_offsets_of_captures_that_a_helper_skips_run_into_the_next);
    RUN(test_far_capture_is_not_split);
    RUN(test_pointers_of_a_32_bit_target);
    RUN(test_underscore_of_mach_o);
    RUN(test_what_an_optimizer_appends_is_ignored);
    RUN(test_names_that_say_nothing);
    RUN(test_other_names_are_refused);
    RUN(test_names_that_go_wrong_are_refused);
    RUN(test_members_that_go_wrong_are_refused);
    RUN(test_message_says_where);
    RUN(test_every_beginning_of_a_name_ends_well);
    RUN(test_huge_array_is_a_limit_and_not_a_loop);
    RUN(test_nested_arrays_are_limited);
    RUN(test_name_of_a_megabyte);
    RUN(test_every_failing_allocation_is_no_memory);
    loupe_arena_deinit(&arena);
    return check_report();
}
