/* The line of text that front ends send along: words, fields, bytes in hex. */
#include "request/arguments.h"
#include "check.h"
#include "memory/drawn_heap.h"

static struct loupe_arena arena;

static void check_text(const char *field, const char *want) {
    const char *got = NULL;
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_argument_text(loupe_span_of(field), &arena, &got),
             want ? LOUPE_OK : LOUPE_EUSAGE);
    if (want)
        CHECK_STR(got, want);
    loupe_arena_deinit(&arena);
}

static void test_words_and_fields(void) {
    const char *cursor = "scan data 0x10 0x20;;root given 0x30; ";
    struct loupe_argument argument;
    CHECK(loupe_argument_next(&cursor, &argument));
    CHECK(loupe_span_equals(argument.text, "scan data 0x10 0x20"));
    CHECK(loupe_span_equals(argument.word, "scan"));
    CHECK_EQ(argument.field_count, 3);
    CHECK(loupe_span_equals(argument.fields[0], "data"));
    CHECK(loupe_span_equals(argument.fields[2], "0x20"));
    CHECK(loupe_argument_next(&cursor, &argument));
    CHECK(loupe_span_equals(argument.word, "root"));
    CHECK_EQ(argument.field_count, 2);
    CHECK(!loupe_argument_next(&cursor, &argument));
}

static void test_empty_line_has_no_argument(void) {
    const char *cursor = "";
    struct loupe_argument argument;
    CHECK(!loupe_argument_next(&cursor, &argument));
}

static void test_too_many_fields_are_counted_and_not_kept(void) {
    const char *cursor = "a b c d e f g h i j";
    struct loupe_argument argument;
    CHECK(loupe_argument_next(&cursor, &argument));
    CHECK_EQ(argument.field_count, 9);
    CHECK(loupe_span_equals(argument.fields[LOUPE_ARGUMENT_FIELDS - 1], "i"));
}

static void test_bytes_in_hex(void) {
    check_text("plain", "plain");
    check_text("a%20b%3bc%25", "a b;c%");
    check_text("%C3%A4", "\xc3\xa4");
    check_text("", "");
}

static void test_broken_hex_is_refused(void) {
    check_text("%", NULL);
    check_text("a%2", NULL);
    check_text("%zz", NULL);
    check_text("%00", NULL);
}

static void test_addresses(void) {
    loupe_addr address = 0;
    CHECK(loupe_argument_address(loupe_span_of("0xffffffffffffffff"), &address));
    CHECK_EQ(address, UINT64_MAX);
    CHECK(loupe_argument_address(loupe_span_of("0x1F00"), &address));
    CHECK_EQ(address, 0x1f00);
    CHECK(!loupe_argument_address(loupe_span_of("0x"), &address));
    CHECK(!loupe_argument_address(loupe_span_of("1f00"), &address));
    CHECK(!loupe_argument_address(loupe_span_of("0x12345678123456789"), &address));
    CHECK(!loupe_argument_address(loupe_span_of("0x1g"), &address));
}

int main(void) {
    RUN(test_words_and_fields);
    RUN(test_empty_line_has_no_argument);
    RUN(test_too_many_fields_are_counted_and_not_kept);
    RUN(test_bytes_in_hex);
    RUN(test_broken_hex_is_refused);
    RUN(test_addresses);
    return check_report();
}
