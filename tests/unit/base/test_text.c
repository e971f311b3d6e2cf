/* What text.h promises: formats, cut texts, spans, numbers at their limits. */
#include "check.h"
#include "base/decimal.h"
#include "base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void test_formats_print_what_printf_prints(void) {
    char got[256], want[256];
#define CHECK_FORMAT(...)                                                                          \
    do {                                                                                           \
        int length = snprintf(want, sizeof(want), __VA_ARGS__);                                    \
        CHECK_EQ(loupe_format(got, sizeof(got), __VA_ARGS__), length);                             \
        CHECK_STR(got, want);                                                                      \
    } while (0)
    CHECK_FORMAT("plain");
    CHECK_FORMAT("%s and %s", "one", "");
    CHECK_FORMAT("[%.*s]", 3, "abcdef");
    CHECK_FORMAT("[%.*s]", 9, "abc");
    CHECK_FORMAT("[%.*s]", 0, "abc");
    CHECK_FORMAT("%c%c", 'a', '%');
    CHECK_FORMAT("%u %u", 0u, UINT_MAX);
    CHECK_FORMAT("%d %d %d %d", 0, -1, INT_MAX, INT_MIN);
    CHECK_FORMAT("%x %x", 0u, 0xdeadbeefu);
    CHECK_FORMAT("%zu %zu", (size_t)0, SIZE_MAX);
    CHECK_FORMAT("%lu %lx", ULONG_MAX, ULONG_MAX);
    CHECK_FORMAT("%llu %llx", ULLONG_MAX, ULLONG_MAX);
    CHECK_FORMAT("100%%");
    CHECK_FORMAT("%%%s%%", "x");
#undef CHECK_FORMAT
}

static void test_quoted_text_is_that_of_source_code(void) {
    static const char *const texts[][2] = {{"", "\"\""},
                                           {"title", "\"title\""},
                                           {"self \"quoted\"", "\"self \\\"quoted\\\"\""},
                                           {"C:\\x", "\"C:\\\\x\""}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char got[64];
        loupe_quote(got, sizeof(got), texts[i][0]);
        CHECK_STR(got, texts[i][1]);
        for (size_t cap = 1; cap < sizeof(got); cap++) { /* whole escapes, and ended, at any size */
            char *exact = malloc(cap);
            loupe_quote(exact, cap, texts[i][0]);
            size_t length = strlen(exact);
            CHECK(length < cap);
            CHECK(cap < 3 ? length == 0 : length >= 2 && exact[length - 1] == '"');
            CHECK(length < 3 || strncmp(exact, texts[i][1], length - 1) == 0);
            CHECK(length < 3 || exact[length - 2] != '\\' || exact[length - 3] == '\\');
            free(exact);
        }
    }
}

static void test_string_that_is_null_is_named_so(void) {
    char got[32];
    const char *volatile none = NULL; /* so that no compiler sees it */
    CHECK_EQ(loupe_format(got, sizeof(got), "<%s>", none), 8);
    CHECK_STR(got, "<(null)>");
}

static void test_precision_keeps_from_reading_further(void) {
    char *bytes = malloc(3); /* without a NUL, so that a sanitizer sees a read too far */
    char got[32];
    memcpy(bytes, "abc", 3);
    CHECK_EQ(loupe_format(got, sizeof(got), "%.*s", 3, bytes), 3);
    CHECK_STR(got, "abc");
    free(bytes);
}

static void test_longer_text_is_cut_at_every_length(void) {
    char whole[64];
    size_t length = loupe_format(whole, sizeof(whole), "%s=%u (0x%x)", "offset", 4711u, 4711u);
    for (size_t cap = 1; cap <= length + 1; cap++) {
        char *got = malloc(cap);
        size_t written = loupe_format(got, cap, "%s=%u (0x%x)", "offset", 4711u, 4711u);
        CHECK_EQ(written, cap - 1);
        CHECK(memcmp(got, whole, cap - 1) == 0 && got[cap - 1] == '\0');
        free(got);
    }
}

static void test_spans_of_strings(void) {
    CHECK_EQ(loupe_span_of("abc").length, 3);
    CHECK_EQ(loupe_span_of("").length, 0);
    CHECK_EQ(loupe_span_of(NULL).length, 0);
    CHECK(loupe_span_of(NULL).bytes == NULL);
}

static void test_spans_are_compared_by_all_their_bytes(void) {
    struct loupe_span span = {.bytes = "handlers", .length = 7};
    struct loupe_span empty = {0};
    CHECK(loupe_span_equals(span, "handler"));
    CHECK(!loupe_span_equals(span, "handlers"));
    CHECK(!loupe_span_equals(span, "handle"));
    CHECK(!loupe_span_equals(span, ""));
    CHECK(loupe_span_equals(empty, ""));
    CHECK(!loupe_span_equals(empty, "x"));
    CHECK(loupe_span_starts_with(span, ""));
    CHECK(loupe_span_starts_with(span, "hand"));
    CHECK(loupe_span_starts_with(span, "handler"));
    CHECK(!loupe_span_starts_with(span, "handlers"));
    CHECK(loupe_span_starts_with(empty, ""));
    CHECK(!loupe_span_starts_with(empty, "h"));
}

/* Parses all of text; -1 and the cursor's place when it is refused. */
static int64_t parse(const char *text, uint64_t max, size_t *taken) {
    const char *cursor = text;
    uint64_t value = 12345;
    bool ok = loupe_parse_decimal(&cursor, text + strlen(text), max, &value);
    *taken = (size_t)(cursor - text);
    if (!ok)
        CHECK_EQ(value, 12345); /* untouched */
    return ok ? (int64_t)value : -1;
}

static void test_decimals_end_at_the_first_other_character(void) {
    size_t taken;
    CHECK_EQ(parse("42", 1000, &taken), 42);
    CHECK_EQ(taken, 2);
    CHECK_EQ(parse("42w8", 1000, &taken), 42);
    CHECK_EQ(taken, 2);
    CHECK_EQ(parse("007", 1000, &taken), 7);
    CHECK_EQ(taken, 3);
    CHECK_EQ(parse("0", 0, &taken), 0);
    CHECK_EQ(taken, 1);
}

static void test_what_is_no_number_is_refused_and_not_taken(void) {
    static const char *const texts[] = {"", "x", "-1", "+1", " 1", "/", ":"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        size_t taken;
        CHECK_EQ(parse(texts[i], 1000, &taken), -1);
        CHECK_EQ(taken, 0);
    }
}

static void test_decimals_at_the_maximum(void) {
    static const struct {
        uint64_t max;
        const char *at, *above;
    } cases[] = {{0, "0", "1"},
                 {9, "9", "10"},
                 {10, "10", "11"},
                 {99, "099", "100"},
                 {UINT32_MAX, "4294967295", "4294967296"},
                 {INT64_MAX, "9223372036854775807", "9223372036854775808"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t taken;
        CHECK_EQ(parse(cases[i].at, cases[i].max, &taken), cases[i].max);
        CHECK_EQ(taken, strlen(cases[i].at));
        CHECK_EQ(parse(cases[i].above, cases[i].max, &taken), -1);
        CHECK_EQ(taken, 0);
    }
    const char *largest = "18446744073709551615", *cursor = largest;
    uint64_t value;
    CHECK(loupe_parse_decimal(&cursor, largest + 20, UINT64_MAX, &value) && value == UINT64_MAX);
    const char *larger = "18446744073709551616", *absurd = "99999999999999999999999999";
    cursor = larger;
    CHECK(!loupe_parse_decimal(&cursor, larger + 20, UINT64_MAX, &value) && cursor == larger);
    cursor = absurd;
    CHECK(!loupe_parse_decimal(&cursor, absurd + 26, UINT64_MAX, &value) && cursor == absurd);
}

static void test_decimal_that_ends_with_the_span(void) {
    const char *text = "1234", *cursor = text;
    uint64_t value = 0;
    CHECK(loupe_parse_decimal(&cursor, text + 2, 1000, &value));
    CHECK_EQ(value, 12);
    cursor = text;
    CHECK(!loupe_parse_decimal(&cursor, text, 1000, &value));
}

/* ---- Fractions ---- */

static void check_double(double number, const char *text) {
    char got[LOUPE_DECIMAL_SIZE];
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    CHECK_EQ(loupe_decimal_of_double(bits, got), strlen(text));
    CHECK_STR(got, text);
}

static void test_fractions_have_the_fewest_digits(void) {
    check_double(0.1, "0.1");
    check_double(-2, "-2.0");
    check_double(0, "0.0");
    check_double(-0.0, "-0.0");
    check_double(1.0 / 3, "0.3333333333333333");
    check_double(1e16, "1e+16");
    check_double(123456789.125, "123456789.125");
    check_double(1e23, "1e+23");
    check_double(0.0001, "0.0001");
    check_double(0.00001, "1e-5");
    check_double(5e-324, "5e-324");
    check_double(2.2250738585072014e-308, "2.2250738585072014e-308");
    check_double(1.7976931348623157e308, "1.7976931348623157e+308");
}

static void check_reads_back(uint64_t bits) {
    char text[LOUPE_DECIMAL_SIZE];
    double number, again;
    memcpy(&number, &bits, sizeof(number));
    loupe_decimal_of_double(bits, text);
    again = strtod(text, NULL);
    CHECK(number != number || memcmp(&again, &number, sizeof(again)) == 0);
    uint32_t low = (uint32_t)(bits >> 7);
    float small, small_again;
    memcpy(&small, &low, sizeof(small));
    loupe_decimal_of_float(low, text);
    small_again = strtof(text, NULL);
    CHECK(small != small || memcmp(&small_again, &small, sizeof(small)) == 0);
}

static void test_fractions_read_back_as_the_same(void) {
    uint64_t bits = 88172645463325252u;
    for (unsigned i = 0; i < 2000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        check_reads_back(bits);
    }
    for (unsigned exponent = 0; exponent < 2048; exponent += 7)
        check_reads_back((uint64_t)exponent << 52); /* the neighbour below is nearer */
}

int main(void) {
    RUN(test_formats_print_what_printf_prints);
    RUN(test_quoted_text_is_that_of_source_code);
    RUN(test_string_that_is_null_is_named_so);
    RUN(test_precision_keeps_from_reading_further);
    RUN(test_longer_text_is_cut_at_every_length);
    RUN(test_spans_of_strings);
    RUN(test_spans_are_compared_by_all_their_bytes);
    RUN(test_decimals_end_at_the_first_other_character);
    RUN(test_what_is_no_number_is_refused_and_not_taken);
    RUN(test_decimals_at_the_maximum);
    RUN(test_decimal_that_ends_with_the_span);
    RUN(test_fractions_have_the_fewest_digits);
    RUN(test_fractions_read_back_as_the_same);
    return check_report();
}
