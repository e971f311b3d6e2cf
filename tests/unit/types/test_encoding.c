/* What encoding.h promises: leaves and their places, names, guesses, limits, signatures. */
#include "check.h"
#include "types/encoding.h"

#include <stdlib.h>

static struct loupe_encoding_rules rules_x86_64(void) {
    struct loupe_machine machine = {.pointer_size = 8, .arch = LOUPE_ARCH_X86_64};
    return loupe_encoding_rules_of(machine);
}

static struct loupe_encoding_rules rules_armv7k(void) {
    struct loupe_machine machine = {.pointer_size = 4, .arch = LOUPE_ARCH_OTHER};
    return loupe_encoding_rules_of(machine);
}

/* All leaves of a walk in one line: "path@offset+size", "?" for an unknown offset. */
static void list_leaves(struct loupe_encoding_cursor *cursor, char *dst, size_t cap) {
    struct loupe_leaf leaf;
    size_t used = 0;
    dst[0] = '\0';
    while (loupe_encoding_next(cursor, &leaf) && used < cap - 80) {
        int printed;
        if (leaf.trust == LOUPE_TRUST_UNKNOWN)
            printed = snprintf(dst + used, cap - used, " %s@?", leaf.path);
        else if (leaf.bit_width)
            printed = snprintf(dst + used, cap - used, " %s@%llu.%u:%u", leaf.path,
                               (unsigned long long)leaf.offset, leaf.bit_offset, leaf.bit_width);
        else
            printed = snprintf(dst + used, cap - used, " %s@%llu+%llu", leaf.path,
                               (unsigned long long)leaf.offset, (unsigned long long)leaf.size);
        used += (size_t)printed;
    }
}

/* "size/alignment: leaves" of a whole encoding, in static storage. */
static const char *describe_by(const struct loupe_encoding_rules *rules, const char *text,
                               uint64_t known_size) {
    static char line[4096];
    static struct loupe_encoding_cursor cursor;
    struct loupe_encoding encoding;
    enum loupe_encoding_status status =
        loupe_encoding_init(&encoding, loupe_span_of(text), rules, known_size);
    if (status)
        return loupe_encoding_status_text(status);
    if (encoding.type.text.length != strlen(text))
        return "more than one type";
    int used =
        encoding.type.trust == LOUPE_TRUST_UNKNOWN
            ? snprintf(line, sizeof(line), "?:")
            : snprintf(line, sizeof(line), "%llu/%llu:", (unsigned long long)encoding.type.size,
                       (unsigned long long)encoding.type.alignment);
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of(""), 1000);
    list_leaves(&cursor, line + used, sizeof(line) - (size_t)used);
    return cursor.status ? loupe_encoding_status_text(cursor.status) : line;
}

static const char *describe(const char *text) {
    struct loupe_encoding_rules rules = rules_x86_64();
    return describe_by(&rules, text, 0);
}

static const char *describe_32(const char *text) {
    struct loupe_encoding_rules rules = rules_armv7k();
    return describe_by(&rules, text, 0);
}

static const char *describe_sized(const char *text, uint64_t known_size) {
    struct loupe_encoding_rules rules = rules_x86_64();
    return describe_by(&rules, text, known_size);
}

static enum loupe_encoding_status parse(const char *text, size_t *length) {
    struct loupe_encoding_rules rules = rules_x86_64();
    struct loupe_type type;
    return loupe_type_parse(loupe_span_of(text), &rules, &type, length);
}

/* ---- Types that are one piece ---- */

static void test_scalars_have_the_sizes_of_their_letters(void) {
    CHECK_STR(describe("c"), "1/1: @0+1");
    CHECK_STR(describe("B"), "1/1: @0+1");
    CHECK_STR(describe("S"), "2/2: @0+2");
    CHECK_STR(describe("i"), "4/4: @0+4");
    CHECK_STR(describe("L"), "8/8: @0+8");
    CHECK_STR(describe("Q"), "8/8: @0+8");
    CHECK_STR(describe("T"), "16/16: @0+16");
    CHECK_STR(describe("f"), "4/4: @0+4");
    CHECK_STR(describe("d"), "8/8: @0+8");
    CHECK_STR(describe("D"), "16/16: @0+16");
    CHECK_STR(describe("#"), "8/8: @0+8");
    CHECK_STR(describe(":"), "8/8: @0+8");
    CHECK_STR(describe("*"), "8/8: @0+8");
    CHECK_STR(describe("%"), "8/8: @0+8");
    CHECK_STR(describe("v"), "0/1: @0+0");
}

static void test_words_of_a_32_bit_target_are_4_bytes(void) {
    CHECK_STR(describe_32("@"), "4/4: @0+4");
    CHECK_STR(describe_32("l"), "4/4: @0+4");
    CHECK_STR(describe_32("^^{X}"), "4/4: @0+4");
    CHECK_STR(describe_32("{?=\"c\"c\"q\"q\"o\"@}"), "24/8: c@0+1 q@8+8 o@16+4");
}

static void test_alignment_of_wide_numbers_is_a_rule(void) {
    struct loupe_encoding_rules i386 = rules_armv7k();
    i386.wide_alignment = 4;
    i386.long_double_size = 12;
    i386.long_double_align = 4;
    i386.loose_bits = false;
    CHECK_STR(describe_by(&i386, "{?=\"c\"c\"q\"q\"D\"D}", 0), "24/4: c@0+1 q@4+8 D@12+12");
}

static void test_long_double_of_apple_arm64_is_a_double(void) {
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(
        (struct loupe_machine){.pointer_size = 8, .arch = LOUPE_ARCH_ARM64});
    CHECK_STR(describe_by(&rules, "{?=\"c\"c\"D\"D}", 0), "16/8: c@0+1 D@8+8");
}

static void test_qualifiers_are_part_of_the_type(void) {
    CHECK_STR(describe("r*"), "8/8: @0+8");
    CHECK_STR(describe("rnNoORV@"), "8/8: @0+8");
    CHECK_STR(describe("Ai"), "4/4: @0+4");
    CHECK_STR(describe("A@"), "8/8: @0+8");
    CHECK_STR(describe("jf"), "8/4: @0+8");
    CHECK_STR(describe("jd"), "16/8: @0+16");
    CHECK_STR(describe("{?=\"c\"c\"z\"jf\"s\"Ai\"t\"r*}"), "24/8: c@0+1 z@4+8 s@12+4 t@16+8");
}

static void test_small_atomic_struct_is_rounded_up_to_a_power_of_two(void) {
    CHECK_STR(describe("A{?=\"a\"[3c]}"), "4/4: a[0]@0+1 a[1]@1+1 a[2]@2+1");
    CHECK_STR(describe("{?=\"x\"c\"s\"A{S=\"a\"i\"b\"i\"c\"i}}"),
              "32/16: x@0+1 s.a@16+4 s.b@20+4 s.c@24+4");
    struct loupe_encoding_rules rules = rules_x86_64();
    struct loupe_type large;
    CHECK_EQ(loupe_type_parse(loupe_span_of("A{?=\"a\"[17c]}"), &rules, &large, NULL), 0);
    CHECK_EQ(large.size, 17);
    CHECK_EQ(large.alignment, 1);
}

static void test_blocks_and_objects_are_told_apart(void) {
    struct loupe_encoding_rules rules = rules_x86_64();
    const char *blocks[] = {"@?", "@?<v@?@>", "@?<@\"NSString\"@?{Vec<int>=\"a\"i}@?<v@?>>"};
    struct loupe_type type;
    size_t length;
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        CHECK_EQ(loupe_type_parse(loupe_span_of(blocks[i]), &rules, &type, &length), 0);
        CHECK_EQ(type.kind, LOUPE_TYPE_BLOCK);
        CHECK_EQ(type.object_count, 1);
        CHECK_EQ(length, strlen(blocks[i]));
    }
    const char *objects[] = {"@", "@\"NSString\"", "@\"<NSCopying>\"", "@\"NSArray<A><B>\"", "r@"};
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        CHECK_EQ(loupe_type_parse(loupe_span_of(objects[i]), &rules, &type, &length), 0);
        CHECK_EQ(type.kind, LOUPE_TYPE_OBJECT);
        CHECK_EQ(type.object_count, 1);
        CHECK_EQ(length, strlen(objects[i]));
    }
}

static void test_what_a_pointer_points_to_is_not_looked_at(void) {
    const char *pointers[] = {"^v",  "^?",       "^@",           "^{Poly=^^?@b5}",
                              "^^i", "^{Undef}", "^{Undef=}",    "^[3{S=@}]",
                              "r^v", "^rv",      "^(?=i@)",      "^{Vec<ns::Vec<int>>=^i^i}",
                              "^b3", "^",        "^@\"NSView\"", "^@?<v@?>"};
    struct loupe_encoding_rules rules = rules_x86_64();
    for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
        struct loupe_type type;
        size_t length = 0;
        CHECK_EQ(loupe_type_parse(loupe_span_of(pointers[i]), &rules, &type, &length), 0);
        CHECK_EQ(length, strlen(pointers[i]));
        CHECK_EQ(type.kind, LOUPE_TYPE_POINTER);
        CHECK_EQ(type.object_count, 0);
        CHECK_EQ(type.trust, LOUPE_TRUST_EXACT);
    }
}

/* ---- Structs, unions, arrays ---- */

static void test_padding_before_a_nested_struct_and_behind_it(void) {
    CHECK_STR(describe("{?=\"a\"c\"in\"{?=\"b\"c\"o\"@}}"), "24/8: a@0+1 in.b@8+1 in.o@16+8");
    CHECK_STR(describe("{?=\"s\"{?=\"o\"@\"c\"c}\"d\"c\"x\"@}"),
              "32/8: s.o@0+8 s.c@8+1 d@16+1 x@24+8");
    CHECK_STR(describe("{A=\"c\"c\"b\"{B=\"c\"c\"d\"{C=\"c\"c\"o\"@\"e\"c}\"x\"@}\"y\"@}"),
              "56/8: c@0+1 b.c@8+1 b.d.c@16+1 b.d.o@24+8 b.d.e@32+1 b.x@40+8 y@48+8");
}

static void test_elements_of_arrays_have_their_indices(void) {
    CHECK_STR(describe("[2@]"), "16/8: [0]@0+8 [1]@8+8");
    CHECK_STR(describe("{?=\"m\"[2[3s]]\"o\"@}"),
              "24/8: m[0][0]@0+2 m[0][1]@2+2 m[0][2]@4+2 m[1][0]@6+2 m[1][1]@8+2 m[1][2]@10+2 "
              "o@16+8");
    CHECK_STR(describe("[2{S=\"c\"c\"o\"@}]"), "32/8: [0].c@0+1 [0].o@8+8 [1].c@16+1 [1].o@24+8");
    CHECK_STR(describe("{?=\"n\"i\"rest\"[0@]}"), "8/8: n@0+4");
}

static void test_members_of_a_union_share_its_offset(void) {
    CHECK_STR(describe("{?=\"c\"c\"u\"(?=\"i\"i\"o\"@\"a\"[3s])}"),
              "16/8: c@0+1 u.i@8+4 u.o@8+8 u.a[0]@8+2 u.a[1]@10+2 u.a[2]@12+2");
    CHECK_STR(describe("(?=\"c\"c\"a\"[5c])"), "5/1: c@0+1 a[0]@0+1 a[1]@1+1 a[2]@2+1 a[3]@3+1 "
                                               "a[4]@4+1");
}

static void test_anonymous_struct_with_named_members_is_left_out_of_paths(void) {
    CHECK_STR(describe("{?=\"a\"i\"\"(?=\"x\"i\"\"{?=\"y\"s\"z\"s})\"o\"@}"),
              "16/8: a@0+4 x@4+4 y@4+2 z@6+2 o@8+8");
}

static void test_members_without_names_are_numbered(void) {
    CHECK_STR(describe("{S=i@[2{T=c@}]}"),
              "48/8: 0@0+4 1@8+8 2[0].0@16+1 2[0].1@24+8 2[1].0@32+1 2[1].1@40+8");
    CHECK_STR(describe("{S=\"a\"i\"\"b3\"o\"@}"), "16/8: a@0+4 1@4.0:3 o@8+8");
}

static void test_names_of_templates_may_hold_brackets(void) {
    CHECK_STR(describe("{Vec<id>=\"b\"^@\"e\"^@}"), "16/8: b@0+8 e@8+8");
    CHECK_STR(describe("{Vec<ns::Vec<int>>=\"b\"^{Vec<int>}\"i\"i}"), "16/8: b@0+8 i@8+4");
    CHECK_STR(describe("{map<std::pair<a, {x}>, (y)=3, '>'>=\"i\"i}"), "4/4: i@0+4");
    CHECK_STR(describe("{Poly=\"_vptr$Poly\"^^?\"o\"@}"), "16/8: _vptr$Poly@0+8 o@8+8");
    CHECK_STR(describe("{lambda at a->b=\"i\"i}"), "4/4: i@0+4");
}

static void test_string_behind_an_object_is_a_class_or_the_next_name(void) {
    CHECK_STR(describe("{?=\"a\"@\"b\"@\"NSString\"\"c\"@?}"), "24/8: a@0+8 b@8+8 c@16+8");
    CHECK_STR(describe("{?=\"a\"@\"\"b3\"b\"@}"), "24/8: a@0+8 1@8.0:3 b@16+8");
    CHECK_STR(describe("[3@\"NSString\"]"), "24/8: [0]@0+8 [1]@8+8 [2]@16+8");
    CHECK_STR(describe("{?=\"a\"[2@\"NSString\"]\"b\"@\"NSArray\"}"),
              "24/8: a[0]@0+8 a[1]@8+8 b@16+8");
    CHECK_STR(describe("(?=\"a\"@\"NSString\"\"b\"@\"c\"i)"), "8/8: a@0+8 b@0+8 c@0+4");
    CHECK_STR(describe("{?=\"a\"^@\"b\"i\"c\"^@\"NSString\"\"d\"@}"),
              "32/8: a@0+8 b@8+4 c@16+8 d@24+8");
    CHECK_STR(describe("{?=\"b\"@?<v@?@\"NSString\">\"o\"@}"), "16/8: b@0+8 o@8+8");
}

static void test_gnustep_structs_keep_class_names_without_member_names(void) {
    CHECK_STR(describe("{?=@\"NSString\"i@}"), "24/8: 0@0+8 1@8+4 2@16+8");
}

static void test_empty_struct_takes_a_byte_as_in_cxx(void) {
    CHECK_STR(describe("{Empty=}"), "1/1:");
    CHECK_STR(describe("{?=\"e\"{Empty=}\"c\"c\"o\"@}"), "16/8: c@1+1 o@8+8");
    CHECK_STR(describe_sized("{?=\"i\"i\"e\"{Empty=}}", 4), "4/4: i@0+4");
}

/* ---- Bit-fields ---- */

static void test_apple_bit_fields_share_units(void) {
    CHECK_STR(describe("{?=\"a\"b3\"b\"b5\"c\"b1\"o\"@}"), "16/8: a@0.0:3 b@0.3:5 c@1.0:1 o@8+8");
    CHECK_STR(describe("{?=\"a\"b30\"b\"b5}"), "8/4: a@0.0:30 b@4.0:5");
    CHECK_STR(describe("{?=\"c\"c\"a\"b3\"d\"c}"), "4/4: c@0+1 a@1.0:3 d@2+1");
    CHECK_STR(describe("{?=\"a\"b40\"b\"b20\"c\"b10}"), "16/8: a@0.0:40 b@5.0:20 c@8.0:10");
    CHECK_STR(describe("(?=\"a\"b3\"b\"b12)"), "4/4: a@0.0:3 b@0.0:12");
}

static void test_bit_fields_of_32_bit_arm_ignore_their_types(void) {
    CHECK_STR(describe_32("{?=\"c\"c\"a\"b3\"b\"b30\"d\"c\"o\"@}"),
              "12/4: c@0+1 a@1.0:3 b@1.3:30 d@6+1 o@8+4");
    CHECK_STR(describe_32("{?=\"a\"b3\"\"b0\"b\"b5}"), "5/1: a@0.0:3 b@4.0:5");
}

static void test_zero_width_bit_field_starts_a_unit(void) {
    CHECK_STR(describe("{?=\"a\"b3\"\"b0\"b\"b5}"), "8/4: a@0.0:3 b@4.0:5");
}

static void test_known_size_finds_the_declared_type_of_bit_fields(void) {
    CHECK_STR(describe_sized("{?=\"a\"b3\"b\"b7}", 2), "2/1: a@0.0:3 b@1.0:7");
    CHECK_STR(describe_sized("{?=\"a\"b3\"b\"b7}", 8), "8/8: a@0.0:3 b@0.3:7");
    CHECK_STR(describe_sized("{?=\"a\"b9\"b\"b9}", 4), "4/4: a@0.0:9 b@1.1:9");
}

static void test_gnu_bit_fields_say_where_they_are(void) {
    CHECK_STR(describe("{S=ib32i3b35i4@}"), "16/8: 0@0+4 1@4.0:3 2@4.3:4 3@8+8");
    CHECK_STR(describe("{?=\"a\"b0I3\"b\"b8C2\"o\"@}"), "16/8: a@0.0:3 b@1.0:2 o@8+8");
    CHECK_STR(describe("{S=c{T=b0i3}b64i3}"), "12/4: 0@0+1 1.0@4.0:3 2@8.0:3");
    CHECK_STR(describe("b192i3"), "4/4: @0.0:3");
    CHECK_STR(describe("b197i3"), "4/4: @0.5:3");
}

/* The trust of all leaves, and of the whole behind a slash: "=" exact, "~" assumed, "u" unknown. */
static const char *trust_of(const char *text) {
    static const char letters[] = {
        [LOUPE_TRUST_EXACT] = '=', [LOUPE_TRUST_ASSUMED] = '~', [LOUPE_TRUST_UNKNOWN] = 'u'};
    static char line[64];
    static struct loupe_encoding_cursor cursor;
    struct loupe_encoding_rules rules = rules_x86_64();
    struct loupe_encoding encoding;
    struct loupe_leaf leaf;
    size_t used = 0;
    if (loupe_encoding_init(&encoding, loupe_span_of(text), &rules, 0))
        return "malformed";
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of(""), 40);
    while (loupe_encoding_next(&cursor, &leaf))
        line[used++] = letters[leaf.trust];
    snprintf(line + used, sizeof(line) - used, "/%c", letters[encoding.type.trust]);
    return line;
}

static void test_offset_is_assumed_where_declared_types_of_bit_fields_matter(void) {
    CHECK_STR(trust_of("{?=\"c\"c\"o\"@}"), "==/=");
    CHECK_STR(trust_of("{?=\"c\"c\"b\"b3\"o\"@}"), "===/="); /* any type gives the same */
    CHECK_STR(trust_of("{?=\"c\"c\"b\"b3}"), "==/~");
    CHECK_STR(trust_of("{?=\"a\"b3\"b\"b7\"c\"c\"o\"@}"), "=~==/=");
    CHECK_STR(trust_of("{?=\"a\"b3\"\"b0\"b\"b3\"c\"c}"), "=~~/~");
    CHECK_STR(trust_of("{?=\"c\"c\"s\"{?=\"a\"b3}\"o\"@}"), "=~~/~");
    CHECK_STR(trust_of("{?=\"c\"c\"s\"{?=\"a\"b3\"o\"@}\"p\"@}"), "====/=");
    CHECK_STR(trust_of("(?=\"a\"b3\"o\"@)"), "==/=");
    CHECK_STR(trust_of("(?=\"a\"b3\"i\"i)"), "==/~");
    CHECK_STR(trust_of("{S=ib32i3c@}"), "====/=");
    CHECK_STR(trust_of("{?=\"e\"{E=}\"c\"c}"), "~/~");
}

static void test_nothing_is_known_behind_a_type_of_unknown_size(void) {
    CHECK_STR(trust_of("{?=\"c\"c\"b\"b3\"i\"i\"v\"{O}\"o\"@}"), "===uu/u");
    CHECK_STR(trust_of("{?=\"v\"{O}\"o\"@}"), "=u/u");
    CHECK_STR(trust_of("[3{O}]"), "=uu/u");
    struct loupe_encoding_rules rules = rules_x86_64();
    struct loupe_encoding encoding;
    loupe_encoding_init(&encoding, loupe_span_of("{?=\"v\"{O}\"o\"@}"), &rules, 0);
    CHECK_EQ(encoding.type.size, 0);
    CHECK(!encoding.fits);
}

/* ---- What has no encoding, and packing ---- */

static void test_types_without_an_encoding_hide_what_follows(void) {
    CHECK_STR(describe("{?=\"i\"i\"v\"\"o\"@}"), "?: i@0+4 v@? o@?");
    CHECK_STR(describe("{?=\"v\"\"o\"@}"), "?: v@0+0 o@?");
    CHECK_STR(describe("{?=\"i\"i\"s\"{Opaque}\"o\"@}"), "?: i@0+4 s@? o@?");
    CHECK_STR(describe(""), "?: @0+0");
    CHECK_STR(describe("{?=\"h\" \"o\"@}"), "?: h@0+0 o@?");
}

static void test_known_size_finds_the_size_of_a_vector(void) {
    CHECK_STR(describe_sized("{?=\"i\"i\"v\"\"o\"@}", 48), "48/16: i@0+4 v@16+16 o@32+8");
    CHECK_STR(describe_sized("{?=\"v\"\"o\"@}", 16), "16/8: v@0+8 o@8+8");
    CHECK_STR(describe_sized("{?=\"columns\"[4]}", 64),
              "64/16: columns[0]@0+16 columns[1]@16+16 columns[2]@32+16 columns[3]@48+16");
    CHECK_STR(describe_sized("", 16), "16/16: @0+16");
}

static void test_known_size_finds_packing(void) {
    CHECK_STR(describe_sized("{?=\"c\"c\"o\"@}", 9), "9/1: c@0+1 o@1+8");
    CHECK_STR(describe_sized("{?=\"c\"c\"o\"@}", 16), "16/8: c@0+1 o@8+8");
    CHECK_STR(describe_sized("{?=\"c\"c\"i\"i\"o\"@}", 14), "14/2: c@0+1 i@2+4 o@6+8");
    CHECK_STR(describe_sized("{?=\"c\"c\"a\"b7\"b\"b30\"o\"@}", 14),
              "14/1: c@0+1 a@1.0:7 b@1.7:30 o@6+8");
}

static void test_known_size_that_nothing_gives_changes_nothing(void) {
    struct loupe_encoding_rules rules = rules_x86_64();
    struct loupe_encoding encoding;
    CHECK_EQ(loupe_encoding_init(&encoding, loupe_span_of("{?=\"c\"c\"o\"@}"), &rules, 400), 0);
    CHECK(!encoding.fits);
    CHECK_EQ(encoding.type.size, 16);
    CHECK_EQ(memcmp(&encoding.rules, &rules, sizeof(rules)), 0);
}

static void test_vectors_of_gcc_have_size_and_alignment(void) {
    CHECK_STR(describe("{?=\"c\"c\"v\"![16,16f]\"c2\"c}"), "48/16: c@0+1 v@16+16 c2@32+1");
    CHECK_STR(describe("![8,8"), "type encoding that ends too early");
    CHECK_STR(describe("![8,0c]"), "not a type encoding");
}

/* ---- Limits and nonsense ---- */

static void test_text_cut_anywhere_is_a_clean_failure(void) {
    const char *texts[] = {"{A=\"c\"c\"b\"{B=\"o\"@\"NSString\"\"d\"[2^{C=@b3}]}\"u\"(?=\"x\"i)}",
                           "[12{Vec<ns::Vec<int>>=\"b\"@?<v@?@>\"e\"b12}]", "{S=ib32i3![16,16f]}"};
    struct loupe_encoding_rules rules = rules_x86_64();
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        for (size_t length = 1; length < strlen(texts[i]); length++) {
            struct loupe_type type;
            size_t where;
            char *copy = malloc(length); /* so that a sanitizer sees a read behind the end */
            memcpy(copy, texts[i], length);
            struct loupe_span cut = {.bytes = copy, .length = length};
            CHECK_EQ(loupe_type_parse(cut, &rules, &type, &where), LOUPE_ENCODING_UNENDED);
            CHECK(where <= length);
            free(copy);
        }
    }
}

static void test_nonsense_is_refused_where_it_stands(void) {
    static const struct {
        const char *text;
        size_t where;
    } cases[] = {{"x", 0},
                 {"{S=x}", 3},
                 {"{S=]}", 3},
                 {"{S=i]", 4},
                 {"(S=i}", 4},
                 {"[3ii]", 3},
                 {"[i]", 1},
                 {"[-1i]", 1},
                 {"{S=\"a\"i]", 7},
                 {"b", 1},
                 {"bx", 1},
                 {"\x01", 0},
                 {"\xff\xfe", 0},
                 {"![3]", 3},
                 {"!i", 1},
                 {"{S=i\"b\"i}", 4},
                 {"@?<v@?x>", 6},
                 {"^x", 1},
                 {"{S=\"a\"i\"b\"i,}", 11}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t where = 99;
        enum loupe_encoding_status status = parse(cases[i].text, &where);
        CHECK(status == LOUPE_ENCODING_MALFORMED || status == LOUPE_ENCODING_UNENDED);
        if (!CHECK_EQ(where, cases[i].where))
            printf("    for %s\n", cases[i].text);
    }
}

static void test_text_behind_a_type_is_left_to_the_caller(void) {
    size_t length;
    CHECK_EQ(parse("@\"NSString\",&,N,V_name", &length), LOUPE_ENCODING_OK);
    CHECK_EQ(length, 11);
    CHECK_EQ(parse("{S=i}i", &length), LOUPE_ENCODING_OK);
    CHECK_EQ(length, 5);
    CHECK_EQ(parse("}", &length), LOUPE_ENCODING_OK); /* nothing: a type without an encoding */
    CHECK_EQ(length, 0);
}

static char *repeat(const char *unit, size_t count, const char *middle, const char *end) {
    size_t unit_length = strlen(unit), end_length = strlen(end);
    char *text = malloc(count * (unit_length + end_length) + strlen(middle) + 1);
    char *at = text;
    for (size_t i = 0; i < count; i++, at += unit_length)
        memcpy(at, unit, unit_length);
    memcpy(at, middle, strlen(middle));
    at += strlen(middle);
    for (size_t i = 0; i < count; i++, at += end_length)
        memcpy(at, end, end_length);
    *at = '\0';
    return text;
}

static void test_depth_is_limited_and_the_limit_reported(void) {
    static const struct {
        const char *open, *close;
    } brackets[] = {{"{S=", "}"}, {"(S=\"a\"", ")"}, {"[1", "]"},
                    {"@?<", ">"}, {"![1,1", "]"},    {"^{S=", "}"}};
    for (size_t i = 0; i < sizeof(brackets) / sizeof(brackets[0]); i++) {
        size_t per_unit = brackets[i].open[0] == '^' ? 2 : 1; /* a pointer and a struct */
        size_t levels = LOUPE_ENCODING_MAX_DEPTH / per_unit;
        char *fitting = repeat(brackets[i].open, levels, "i", brackets[i].close);
        char *deeper = repeat(brackets[i].open, levels + 1, "i", brackets[i].close);
        char *hostile = repeat(brackets[i].open, 100000, "i", brackets[i].close);
        size_t length;
        CHECK_EQ(parse(fitting, &length), LOUPE_ENCODING_OK);
        CHECK_EQ(length, strlen(fitting));
        CHECK_EQ(parse(deeper, &length), LOUPE_ENCODING_DEEP);
        CHECK_EQ(parse(hostile, &length), LOUPE_ENCODING_DEEP);
        free(fitting);
        free(deeper);
        free(hostile);
    }
}

static void test_deepest_allowed_type_can_be_walked(void) {
    char *text = repeat("{S=", LOUPE_ENCODING_MAX_DEPTH, "@", "}");
    char want[400] = "8/8: 0";
    for (unsigned i = 1; i < LOUPE_ENCODING_MAX_DEPTH; i++)
        strcat(want, ".0");
    strcat(want, "@0+8");
    CHECK_STR(describe(text), want);
    free(text);
}

static void test_long_run_of_pointers_is_one_pointer(void) {
    char *text = repeat("^", 100000, "i", "");
    size_t length;
    CHECK_EQ(parse(text, &length), LOUPE_ENCODING_OK);
    CHECK_EQ(length, 100001);
    free(text);
}

static void test_absurd_sizes_are_refused(void) {
    size_t length;
    CHECK_EQ(parse("[18446744073709551616c]", &length), LOUPE_ENCODING_LARGE);
    CHECK_EQ(parse("[18446744073709551615c]", &length), LOUPE_ENCODING_LARGE);
    CHECK_EQ(parse("[1099511627777c]", &length), LOUPE_ENCODING_LARGE);
    CHECK_EQ(parse("[1099511627776c]", &length), LOUPE_ENCODING_OK);
    CHECK_EQ(parse("[1099511627776[1099511627776{S=ic}]]", &length), LOUPE_ENCODING_LARGE);
    CHECK_EQ(parse("{S=[1099511627776c]c}", &length), LOUPE_ENCODING_LARGE);
    CHECK_EQ(parse("b129", &length), LOUPE_ENCODING_LARGE);
    CHECK_EQ(parse("b99999999999999999999i3", &length), LOUPE_ENCODING_LARGE);
    char *text = repeat("i", LOUPE_ENCODING_MAX_LENGTH, "", "");
    size_t size = strlen(text) + sizeof("{S=}");
    char *wrapped = malloc(size);
    snprintf(wrapped, size, "{S=%s}", text);
    CHECK_EQ(parse(wrapped, &length), LOUPE_ENCODING_LARGE);
    free(wrapped);
    free(text);
}

static void test_large_array_is_counted_but_not_walked_to_its_end(void) {
    struct loupe_encoding_rules rules = rules_x86_64();
    static struct loupe_encoding_cursor cursor;
    struct loupe_encoding encoding;
    struct loupe_leaf leaf;
    char last[64];
    unsigned leaves = 0;
    loupe_encoding_init(&encoding, loupe_span_of("[1000000[1000@]]"), &rules, 0);
    CHECK_EQ(encoding.type.leaf_count, 1000000000);
    CHECK_EQ(encoding.type.object_count, 1000000000);
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of("a"), 1500);
    for (; loupe_encoding_next(&cursor, &leaf); leaves++)
        snprintf(last, sizeof(last), "%s", leaf.path);
    CHECK_EQ(leaves, 1500);
    CHECK_STR(last, "a[1][499]");
    CHECK_EQ(cursor.status, LOUPE_ENCODING_TRUNCATED);
}

static void test_limit_that_is_just_enough_is_no_truncation(void) {
    struct loupe_encoding_rules rules = rules_x86_64();
    static struct loupe_encoding_cursor cursor;
    struct loupe_encoding encoding;
    struct loupe_leaf leaf;
    loupe_encoding_init(&encoding, loupe_span_of("[3i]"), &rules, 0);
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of(""), 3);
    while (loupe_encoding_next(&cursor, &leaf))
        continue;
    CHECK_EQ(cursor.status, LOUPE_ENCODING_OK);
}

static void test_leafless_elements_cost_nothing(void) {
    CHECK_STR(describe("[1099511627776[0@]]"), "0/8:");
    CHECK_STR(describe("[1000000000{E=}]"), "1000000000/1:");
}

static void test_walk_over_sizeless_elements_ends_by_its_budget(void) {
    struct loupe_encoding_rules rules = rules_x86_64();
    struct loupe_encoding encoding;
    char path[64];
    loupe_encoding_init(&encoding, loupe_span_of("{S=[1099511627776v]@}"), &rules, 0);
    CHECK(!loupe_encoding_path_at(&encoding, loupe_span_of("x"), 5000, path, sizeof(path), NULL));
    CHECK_STR(path, "x");
}

static void test_long_path_ends_in_dots_and_recovers(void) {
    char name[601];
    memset(name, 'n', sizeof(name) - 1);
    name[600] = '\0';
    char text[700];
    snprintf(text, sizeof(text), "{?=\"%s\"{?=\"x\"i\"y\"i}\"o\"@}", name);
    struct loupe_encoding_rules rules = rules_x86_64();
    static struct loupe_encoding_cursor cursor;
    struct loupe_encoding encoding;
    struct loupe_leaf leaf;
    loupe_encoding_init(&encoding, loupe_span_of(text), &rules, 0);
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of("st"), 100);
    CHECK(loupe_encoding_next(&cursor, &leaf) && leaf.path_cut);
    CHECK_STR(leaf.path, "st....");
    CHECK(loupe_encoding_next(&cursor, &leaf) && leaf.path_cut);
    CHECK(loupe_encoding_next(&cursor, &leaf) && !leaf.path_cut);
    CHECK_STR(leaf.path, "st.o");
}

/* ---- One offset, and parts of a type ---- */

static const char *path_at(const char *text, uint64_t offset) {
    static char path[64];
    struct loupe_encoding_rules rules = rules_x86_64();
    struct loupe_encoding encoding;
    struct loupe_leaf leaf;
    if (loupe_encoding_init(&encoding, loupe_span_of(text), &rules, 0))
        return "malformed";
    bool found =
        loupe_encoding_path_at(&encoding, loupe_span_of("_iv"), offset, path, sizeof(path), &leaf);
    return found ? path : "nothing";
}

static void test_path_at_an_offset_of_nested_members(void) {
    const char *text = "{?=\"a\"c\"in\"{?=\"b\"c\"o\"@}\"m\"[2[3@]]}";
    CHECK_STR(path_at(text, 0), "_iv.a");
    CHECK_STR(path_at(text, 1), "nothing");
    CHECK_STR(path_at(text, 8), "_iv.in.b");
    CHECK_STR(path_at(text, 16), "_iv.in.o");
    CHECK_STR(path_at(text, 23), "_iv.in.o");
    CHECK_STR(path_at(text, 24), "_iv.m[0][0]");
    CHECK_STR(path_at(text, 24 + 5 * 8), "_iv.m[1][2]");
    CHECK_STR(path_at(text, 24 + 6 * 8), "nothing");
    CHECK_STR(path_at(text, UINT64_MAX), "nothing");
}

static void test_path_at_the_start_of_a_plain_ivar_is_its_name(void) {
    CHECK_STR(path_at("@\"NSString\"", 0), "_iv");
    CHECK_STR(path_at("[20@]", 19 * 8), "_iv[19]");
}

static void test_path_in_a_large_array_is_found_at_once(void) {
    CHECK_STR(path_at("[1000000{S=\"x\"i\"o\"@}]", 999999 * 16 + 8), "_iv[999999].o");
}

static void test_object_in_a_union_wins_over_what_comes_first(void) {
    const char *text = "{?=\"i\"i\"u\"(?=\"raw\"[2q]\"s\"{?=\"n\"q\"o\"@})}";
    CHECK_STR(path_at(text, 8), "_iv.u.raw[0]");
    CHECK_STR(path_at(text, 16), "_iv.u.s.o");
}

static void test_path_at_gives_the_leaf_and_cuts_to_the_buffer(void) {
    struct loupe_encoding_rules rules = rules_x86_64();
    struct loupe_encoding encoding;
    struct loupe_leaf leaf;
    char path[8];
    loupe_encoding_init(&encoding, loupe_span_of("{?=\"i\"i\"handler\"@?}"), &rules, 0);
    CHECK(loupe_encoding_path_at(&encoding, loupe_span_of("_st"), 8, path, sizeof(path), &leaf));
    CHECK_STR(path, "_st....");
    CHECK_EQ(leaf.kind, LOUPE_TYPE_BLOCK);
    CHECK_EQ(leaf.offset, 8);
    CHECK(loupe_span_equals(leaf.type, "@?"));
    CHECK(leaf.path == NULL);
}

static void test_path_behind_an_unknown_type_is_not_guessed(void) {
    CHECK_STR(path_at("{?=\"i\"i\"v\"\"o\"@}", 0), "_iv.i");
    CHECK_STR(path_at("{?=\"i\"i\"v\"\"o\"@}", 32), "nothing");
    CHECK_STR(path_at("{?=\"q\"q\"v\"{?=\"x\"{O}}}", 8), "nothing");
    CHECK_STR(path_at("{?=\"x\"{O}\"i\"i}", 0), "_iv.x");
    CHECK_STR(path_at("{?=\"x\"{O}\"i\"i}", 4), "nothing");
}

static const char *objects_in(const char *text, uint64_t from, uint64_t to) {
    static char line[512];
    static struct loupe_encoding_cursor cursor;
    struct loupe_encoding_rules rules = rules_x86_64();
    struct loupe_encoding encoding;
    if (loupe_encoding_init(&encoding, loupe_span_of(text), &rules, 0))
        return "malformed";
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of("v"), 100);
    cursor.objects_only = true;
    cursor.from = from;
    cursor.to = to;
    list_leaves(&cursor, line, sizeof(line));
    return line;
}

static void test_only_objects_skips_whole_arrays_without_them(void) {
    const char *text =
        "{?=\"big\"[1000000000[9i]]\"o\"@\"c\"#\"b\"@?\"p\"^@\"in\"{?=\"x\"i\"s\"@}}";
    CHECK_STR(objects_in(text, 0, UINT64_MAX),
              " v.o@36000000000+8 v.b@36000000016+8 v.in.s@36000000040+8");
}

static void test_rest_of_an_array_is_skipped_where_the_walk_stands(void) {
    struct loupe_encoding encoding;
    struct loupe_encoding_cursor cursor;
    struct loupe_leaf leaf;
    struct loupe_encoding_rules rules = rules_x86_64();
    loupe_encoding_init(&encoding, loupe_span_of("{?=\"a\"[2[4c]]\"i\"i\"e\"[0i]}"), &rules, 0);
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of(""), 100);
    CHECK_EQ(loupe_encoding_skip_elements(&cursor), 0); /* before the first leaf */
    loupe_encoding_next(&cursor, &leaf);
    CHECK_STR(leaf.path, "a[0][0]");
    CHECK_EQ(loupe_encoding_skip_elements(&cursor), 3);
    CHECK_EQ(loupe_encoding_skip_elements(&cursor), 0);
    loupe_encoding_next(&cursor, &leaf);
    CHECK_STR(leaf.path, "a[1][0]");
    CHECK_EQ(leaf.offset, 4);
    CHECK_EQ(loupe_encoding_skip_elements(&cursor), 3);
    loupe_encoding_next(&cursor, &leaf);
    CHECK_STR(leaf.path, "i");
    CHECK_EQ(loupe_encoding_skip_elements(&cursor), 0); /* no element */
    CHECK(!loupe_encoding_next(&cursor, &leaf));
    CHECK_EQ(loupe_encoding_skip_elements(&cursor), 0);
}

static void test_one_element_stands_for_an_array(void) {
    struct loupe_encoding encoding;
    struct loupe_encoding_cursor cursor;
    char line[256];
    struct loupe_encoding_rules rules = rules_x86_64();
    loupe_encoding_init(
        &encoding, loupe_span_of("{?=\"a\"[900000{P=\"c\"[3s]\"o\"@}]\"e\"[0@]\"z\"i}"), &rules, 0);
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of(""), UINT64_MAX);
    cursor.one_of_each = true;
    list_leaves(&cursor, line, sizeof(line));
    CHECK_STR(line, " a[0].c[0]@0+2 a[0].o@8+8 z@14400000+4");
    CHECK_EQ(cursor.status, LOUPE_ENCODING_OK);
}

static void test_range_of_a_walk_leaves_out_what_it_does_not_touch(void) {
    CHECK_STR(objects_in("{?=\"a\"@\"m\"[1000000@]\"z\"@}", 64, 80), " v.m[7]@64+8 v.m[8]@72+8");
    CHECK_STR(objects_in("[4[4@]]", 40, 48), " v[1][1]@40+8");
}

static void test_objects_are_counted_in_structs_and_arrays(void) {
    struct loupe_encoding_rules rules = rules_x86_64();
    struct loupe_type type;
    loupe_type_parse(loupe_span_of("{?=\"a\"@\"m\"[3[4{S=\"i\"i\"o\"@\"b\"@?}]]\"p\"^@\"c\"#}"),
                     &rules, &type, NULL);
    CHECK_EQ(type.object_count, 25);
    CHECK_EQ(type.leaf_count, 39);
}

/* ---- Signatures ---- */

static const char *split(const char *text) {
    static char line[512];
    struct loupe_span rest = loupe_span_of(text);
    struct loupe_signature_part part;
    enum loupe_encoding_status status;
    size_t used = 0;
    line[0] = '\0';
    while (loupe_signature_next(&rest, &part, &status)) {
        used += (size_t)snprintf(line + used, sizeof(line) - used, "%.*s", (int)part.type.length,
                                 part.type.bytes);
        if (part.has_offset)
            used += (size_t)snprintf(line + used, sizeof(line) - used, "(%lld)",
                                     (long long)part.offset);
        used += (size_t)snprintf(line + used, sizeof(line) - used, " ");
    }
    return status ? loupe_encoding_status_text(status) : line;
}

static void test_signatures_are_split_into_result_and_arguments(void) {
    CHECK_STR(split("v24@0:8@16"), "v(24) @(0) :(8) @(16) ");
    CHECK_STR(split("v8@?0"), "v(8) @?(0) ");
    CHECK_STR(split("v24@?0@\"NSString\"8^B16"), "v(24) @?(0) @\"NSString\"(8) ^B(16) ");
    CHECK_STR(split("{Big=[10q]}8@?0"), "{Big=[10q]}(8) @?(0) ");
    CHECK_STR(split("@32@0:8r*16n^@24"), "@(32) @(0) :(8) r*(16) n^@(24) ");
    CHECK_STR(split("v@?@"), "v @? @ ");
    CHECK_STR(split("v16@0:8@-4i+12"), "v(16) @(0) :(8) @(-4) i(12) ");
    CHECK_STR(split("32@?0"), "(32) @?(0) "); /* a vector as result */
    CHECK_STR(split("@?<v@?@?<v@?i>>16@0:8"), "@?<v@?@?<v@?i>>(16) @(0) :(8) ");
    CHECK_STR(split(""), "");
}

static void test_signature_that_is_none_ends_with_the_reason(void) {
    CHECK_STR(split("v24@0:8{S="), "type encoding that ends too early");
    CHECK_STR(split("v24x"), "not a type encoding");
    CHECK_STR(split("v24}"), "not a type encoding");
    CHECK_STR(split("v99999999999999999999@0"), "not a type encoding");
}

int main(void) {
    RUN(test_scalars_have_the_sizes_of_their_letters);
    RUN(test_words_of_a_32_bit_target_are_4_bytes);
    RUN(test_alignment_of_wide_numbers_is_a_rule);
    RUN(test_long_double_of_apple_arm64_is_a_double);
    RUN(test_qualifiers_are_part_of_the_type);
    RUN(test_small_atomic_struct_is_rounded_up_to_a_power_of_two);
    RUN(test_blocks_and_objects_are_told_apart);
    RUN(test_what_a_pointer_points_to_is_not_looked_at);
    RUN(test_padding_before_a_nested_struct_and_behind_it);
    RUN(test_elements_of_arrays_have_their_indices);
    RUN(test_members_of_a_union_share_its_offset);
    RUN(test_anonymous_struct_with_named_members_is_left_out_of_paths);
    RUN(test_members_without_names_are_numbered);
    RUN(test_names_of_templates_may_hold_brackets);
    RUN(test_string_behind_an_object_is_a_class_or_the_next_name);
    RUN(test_gnustep_structs_keep_class_names_without_member_names);
    RUN(test_empty_struct_takes_a_byte_as_in_cxx);
    RUN(test_apple_bit_fields_share_units);
    RUN(test_bit_fields_of_32_bit_arm_ignore_their_types);
    RUN(test_zero_width_bit_field_starts_a_unit);
    RUN(test_known_size_finds_the_declared_type_of_bit_fields);
    RUN(test_gnu_bit_fields_say_where_they_are);
    RUN(test_offset_is_assumed_where_declared_types_of_bit_fields_matter);
    RUN(test_nothing_is_known_behind_a_type_of_unknown_size);
    RUN(test_types_without_an_encoding_hide_what_follows);
    RUN(test_known_size_finds_the_size_of_a_vector);
    RUN(test_known_size_finds_packing);
    RUN(test_known_size_that_nothing_gives_changes_nothing);
    RUN(test_vectors_of_gcc_have_size_and_alignment);
    RUN(test_text_cut_anywhere_is_a_clean_failure);
    RUN(test_nonsense_is_refused_where_it_stands);
    RUN(test_text_behind_a_type_is_left_to_the_caller);
    RUN(test_depth_is_limited_and_the_limit_reported);
    RUN(test_deepest_allowed_type_can_be_walked);
    RUN(test_long_run_of_pointers_is_one_pointer);
    RUN(test_absurd_sizes_are_refused);
    RUN(test_large_array_is_counted_but_not_walked_to_its_end);
    RUN(test_limit_that_is_just_enough_is_no_truncation);
    RUN(test_leafless_elements_cost_nothing);
    RUN(test_walk_over_sizeless_elements_ends_by_its_budget);
    RUN(test_long_path_ends_in_dots_and_recovers);
    RUN(test_path_at_an_offset_of_nested_members);
    RUN(test_path_at_the_start_of_a_plain_ivar_is_its_name);
    RUN(test_path_in_a_large_array_is_found_at_once);
    RUN(test_object_in_a_union_wins_over_what_comes_first);
    RUN(test_path_at_gives_the_leaf_and_cuts_to_the_buffer);
    RUN(test_path_behind_an_unknown_type_is_not_guessed);
    RUN(test_only_objects_skips_whole_arrays_without_them);
    RUN(test_rest_of_an_array_is_skipped_where_the_walk_stands);
    RUN(test_one_element_stands_for_an_array);
    RUN(test_range_of_a_walk_leaves_out_what_it_does_not_touch);
    RUN(test_objects_are_counted_in_structs_and_arrays);
    RUN(test_signatures_are_split_into_result_and_arguments);
    RUN(test_signature_that_is_none_ends_with_the_reason);
    return check_report();
}
