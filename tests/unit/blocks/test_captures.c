/*
 * Blocks as clang 22 compiles them (x86_64-apple-macosx, armv7k-apple-watchos): what each source
 * says of them, and what becomes of it together. The names, flags and layouts were read out of
 * objects; what is captured was read in the source.
 */
#include "blocks/block_symbol.h"
#include "check.h"
#include "objects/drawn_captures.h"
#include "objects/show_captures.h"

/* ---- One row: a block and what is known of it from its layout, from its name, from both ---- */

struct row {
    const char *source;
    uint8_t pointer_size;
    uint32_t flags;
    uint32_t size;
    const char *name; /* of the descriptor, behind "__block_descriptor_" */
    uint64_t layout;
    const char *layout_bytes;
    const char *by_layout; /* as if stripped */
    const char *by_name;
    const char *by_both;
    const char *conflicts;
};

enum { HELPERS = 1 << 25, CXX = 3 << 25 };
#define OBJC     0xc0000000u
#define NOESCAPE 0xd0800000u

static const struct row rows[] = {
    {"strong", 8, OBJC | HELPERS, 40, "40_e8_32s_e5_v8\1?0l", 0x100, NULL, "S32", "S32", "S32", ""},
    {"strong, strong, weak", 8, OBJC | HELPERS, 56, "56_e8_32s40s48w_e5_v8\1?0l", 0x201, NULL,
     "S32 S40 W48", "S32 S40 W48", "S32 S40 W48", ""},
    {"strong and a block", 8, OBJC | HELPERS, 48, "48_e8_32s40bs_e5_v8\1?0l", 0x200, NULL,
     "S32 S40", "S32 B40", "S32 B40", ""},
    {"strong, __block id, weak", 8, OBJC | HELPERS, 56, "56_e8_32s40r48w_e5_v8\1?0l", 0x111, NULL,
     "S32 R40 W48", "S32 R40 W48", "S32 R40 W48", ""},
    {"int", 8, OBJC, 36, "36_e5_v8\1?0l", 0, "", "D32+4", "D32+4", "D32+4", ""},
    {"int and strong", 8, OBJC | HELPERS, 44, "44_e8_32s_e5_v8\1?0l", 0x100, NULL, "S32 D40+4",
     "S32 D40+4", "S32 D40+4", ""},
    {"unretained", 8, OBJC, 40, "40_e5_v8\1?0lu32l8", 0, "\x60", "U32", "U32", "U32", ""},
    {"strong and unretained", 8, OBJC | HELPERS, 48, "48_e8_32s_e5_v8\1?0lu40l8", 0, "\x30\x60",
     "S32 U40", "S32 U40", "S32 U40", ""},
    {"struct {id; weak; int; unretained; id}", 8, OBJC | HELPERS, 72,
     "72_e8_32n20_8_8_s0_w8_t16w16_s32_e5_v8\1?0lu56l8", 0, "\x30\x50\x20\x60\x30",
     "S32 W40 D48+8 U56 S64", "S32 W40 D48+8 U56 S64", "S32 W40 D48+8 U56 S64", ""},
    {"7 __block variables", 8, OBJC | HELPERS, 88, "88_e8_32r40r48r56r64r72r80r_e5_v8\1?0l", 0x070,
     NULL, "R32 R40 R48 R56 R64 R72 R80", "R32 R40 R48 R56 R64 R72 R80",
     "R32 R40 R48 R56 R64 R72 R80", ""},
    {"vector of 4 floats and 2 strong", 8, OBJC | HELPERS, 64, "64_e16_48s56s_e5_v8\1?0l", 0,
     "\x21\x31", "D32+16 S48 S56", "D32+16 S48 S56", "D32+16 S48 S56", ""},
    {"vector of 8 floats and 2 strong", 8, OBJC | HELPERS, 80, "80_e16_64s72s_e5_v8\1?0l", 0,
     "\x23\x31", "D32+32 S64 S72", "D32+32 S64 S72", "D32+32 S64 S72", ""},
    {"long double and strong", 8, OBJC | HELPERS, 56, "56_e16_48s_e5_v8\1?0l", 0, "\x21\x30",
     "D32+16 S48", "D32+16 S48", "D32+16 S48", ""},
    {"strong and struct {char; id}", 8, OBJC | HELPERS, 56, "56_e8_32s40n11_8_8_t0w1_s8_e5_v8\1?0l",
     0, "\x30\x20\x30", "S32 D40+8 S48", "S32 D40+8 S48", "S32 D40+8 S48", ""},
    {"packed struct {char; id}", 8, OBJC | HELPERS, 41, "41_e8_32n11_8_8_t0w1_s1_e5_v8\1?0l", 0,
     "\x10\x30", "D32+1 S33", "D32+1 S33", "D32+1 S33", ""},
    {"17 strong, a __block, a weak", 8, OBJC | HELPERS, 184, NULL, 0, "\x3f\x30\x40\x50",
     "S32 S40 S48 S56 S64 S72 S80 S88 S96 S104 S112 S120 S128 S136 S144 S152 S160 R168 W176", NULL,
     NULL, NULL},
    {"15 strong and a __block", 8, OBJC | HELPERS, 160, NULL, 0xf10, NULL,
     "S32 S40 S48 S56 S64 S72 S80 S88 S96 S104 S112 S120 S128 S136 S144 R152", NULL, NULL, NULL},
    {"8 strong and 8 __block", 8, OBJC | HELPERS, 160, NULL, 0x880, NULL,
     "S32 S40 S48 S56 S64 S72 S80 S88 R96 R104 R112 R120 R128 R136 R144 R152", NULL, NULL, NULL},
    {"struct {int; id; int; weak}", 8, OBJC | HELPERS, 64,
     "64_e8_32n21_8_8_t0w4_s8_t16w4_w24_e5_v8\1?0l", 0, "\x20\x30\x20\x50", "D32+8 S40 D48+8 W56",
     "D32+8 S40 D48+8 W56", "D32+8 S40 D48+8 W56", ""},
    {"a C++ value beside an id", 8, OBJC | CXX, 56, "56_ea8_32s40c6_ZTS1V_e5_v8\1?0l", 0x100, NULL,
     "S32 ?40+16!", "S32 ?40+16!", "S32 ?40+16!", ""},
    {"a C++ struct with an id, and an id", 8, OBJC | CXX, 48, "48_ea8_32s40c6_ZTS1T_e5_v8\1?0l",
     0x200, NULL, "S32 S40", "S32 ?40+8!", "S32 S40", ""},
    {"noescape, strong", 8, NOESCAPE, 40, "40_e5_v8\1?0ls32l8", 0x100, NULL, "U32", "U32", "U32",
     ""},
    {"noescape, strong and __block", 8, NOESCAPE, 48, "48_e5_v8\1?0lr40l8s32l8", 0x110, NULL,
     "U32 D40+8", "U32 D40+8", "U32 D40+8", ""},
    {"returns a struct", 8, 0xe0000000u | HELPERS, 40, "40_e8_32s_e15_{Big=[10q]}8\1?0l", 0x100,
     NULL, "S32", "S32", "S32", ""},
    {"armv7k: strong and 2 __block", 4, OBJC | HELPERS, 32, "32_e4_20s24r28r_e5_v4\1?0l", 0x120,
     NULL, "S20 R24 R28", "S20 R24 R28", "S20 R24 R28", ""},

    /* Where the extended layout is wrong. */
    {"manual retain: strong and unretained", 8, OBJC | HELPERS, 48, "48_e8_32o_e5_v8\1?0l", 0x200,
     NULL, "S32 S40", "S32 D40+8", "S32 U40", "40:U(symbol)/S(layout)"},
    {"manual retain: unretained alone", 8, OBJC, 40, "40_e5_v8\1?0ls32l8", 0x100, NULL, "U32",
     "U32", "U32", "32:U(symbol)/S(layout)"},
    {"manual retain: a C++ object with an id", 8, OBJC | CXX, 48, "48_e8_32c6_ZTS1T_e5_v8\1?0l",
     0x100, NULL, "S32 ?40+8!", "?32+16!", "?32+8! ?40+8!", "32:?(symbol)/S(layout)"},
    {"C++ this and unretained", 8, OBJC, 48, "48_e5_v8\1?0lu40l8", 0, "\x60", "U32 D40+8",
     "D32+8 U40", "D32+8 U40", "32:D(symbol)/U(layout)"},
    {"strong, C++ this, unretained", 8, OBJC | HELPERS, 56, "56_ea8_32s_e5_v8\1?0lu48l8", 0,
     "\x31\x60", "S32 S40 U48", "S32 D40+8 U48", "S32 D40+8 U48", "40:D(symbol)/S(layout)"},
    {"weak, C++ this, pointer", 8, OBJC | HELPERS, 56, "56_ea8_32w_e5_v8\1?0l", 0x002, NULL,
     "W32 W40 D48+8", "W32 D40+16", "W32 D40+8 D48+8", "40:D(symbol)/W(layout)"},
    {"struct {id; bit-fields; id}", 8, OBJC | HELPERS, 56, "56_e8_32n15_8_8_s0_t8w1_s16_e5_v8\1?0l",
     0x300, NULL, "S32 S40 S48", "S32 D40+8 S48", "S32 D40+8 S48", "40:D(symbol)/S(layout)"},
    {"strong and a C++ object {vtable, base id; id, weak}", 8, OBJC | CXX, 72,
     "72_ea8_32s40c8_ZTS3Der_e5_v8\1?0l", 0x401, NULL, "S32 S40 S48 S56 W64", "S32 ?40+32!",
     "S32 S40 S48 S56 W64", ""},
    {"that C++ object alone", 8, OBJC | CXX, 64, "64_ea8_32c8_ZTS3Der_e5_v8\1?0l", 0x101, NULL,
     "S32 W40 ?48+16!", "?32+32!", "S32 W40 ?48+16!", ""},
    {"manual retain: a C++ struct with an id", 8, OBJC | CXX, 40, "40_e8_32c6_ZTS1T_e5_v8\1?0l",
     0x100, NULL, "S32", "?32+8!", "?32+8!", "32:?(symbol)/S(layout)"},
    {"-fno-objc-arc-exceptions: a template over a strong id", 8, OBJC | CXX, 40,
     "40_e8_32c32_ZTS1VIU8__strongP11objc_objectE_e5_v8\1?0l", 0x100, NULL, "S32", "?32+8!", "S32",
     ""},
    {"a lambda with two ids and an int", 8, OBJC | CXX, 56,
     "56_ea8_32c31_ZTSZ2l6P11objc_objectS0_iE3$_0_e5_v8\1?0l", 0, "", "?32+24!", "?32+24!",
     "?32+24!", ""},
};

static const char *full_name(const struct row *row) {
    static char name[256];
    if (!row->name)
        return NULL;
    loupe_format(name, sizeof(name), "__block_descriptor_%s", row->name);
    return name;
}

static void check_row(const struct row *row, bool with_name) {
    open_heap(row->pointer_size);
    struct drawn_block shape = {.flags = row->flags,
                                .size = row->size,
                                .signature = "v8@?0",
                                .layout = row->layout,
                                .layout_bytes = row->layout_bytes,
                                .descriptor_name = with_name ? full_name(row) : NULL};
    struct loupe_captures captures = read_captures(&shape, &apple);
    CHECK_STR(show_captures(&captures), with_name ? row->by_both : row->by_layout);
    if (with_name)
        CHECK_STR(show_conflicts(&captures), row->conflicts);
    close_heap();
}

static void check_name_alone(const struct row *row) {
    open_heap(row->pointer_size);
    struct loupe_symbol_context context = {.pointer_size = row->pointer_size};
    struct loupe_block_symbol symbol = {0};
    struct loupe_captures captures = {0};
    CHECK_EQ(
        loupe_block_symbol_parse(&arena, loupe_span_of(full_name(row)), &context, &symbol, NULL),
        LOUPE_OK);
    CHECK_EQ(loupe_captures_of_symbol(&arena, &symbol, row->pointer_size, &captures), LOUPE_OK);
    CHECK_STR(show_captures(&captures), row->by_name);
    close_heap();
}

static void test_rows(void) {
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int failures = check_failures;
        check_row(&rows[i], false);
        if (rows[i].name) {
            check_row(&rows[i], true);
            check_name_alone(&rows[i]);
        }
        if (check_failures > failures)
            printf("    in row: %s\n", rows[i].source);
    }
}

int main(void) {
    RUN(test_rows);
    return check_report();
}
