/*
 * What json.h promises: commas, escapes, ASCII on one line whatever the bytes, a failing
 * sink. A small JSON reader of the test's own judges what is written.
 */
#include "check.h"
#include "memory/drawn_heap.h"
#include "base/json.h"

#include <stdlib.h>

static struct drawn_text text;
static struct loupe_json json;

static void begin(void) {
    text.length = 0;
    loupe_json_init(&json, drawn_text_sink(&text));
}

static const char *finish(void) {
    CHECK_EQ(loupe_json_finish(&json), LOUPE_OK);
    return text.length ? text.text : "";
}

/* ---- Values and commas ---- */

static void test_values_are_separated_by_commas(void) {
    begin();
    loupe_json_begin_object(&json);
    loupe_json_key(&json, "list");
    loupe_json_begin_array(&json);
    loupe_json_uint(&json, 1);
    loupe_json_begin_array(&json);
    loupe_json_end_array(&json);
    loupe_json_begin_object(&json);
    loupe_json_end_object(&json);
    loupe_json_null(&json);
    loupe_json_end_array(&json);
    loupe_json_key(&json, "yes");
    loupe_json_bool(&json, true);
    loupe_json_key(&json, "inner");
    loupe_json_begin_object(&json);
    loupe_json_key(&json, "no");
    loupe_json_bool(&json, false);
    loupe_json_end_object(&json);
    loupe_json_end_object(&json);
    CHECK_STR(finish(), "{\"list\":[1,[],{},null],\"yes\":true,\"inner\":{\"no\":false}}");
}

static void test_numbers_at_their_limits(void) {
    begin();
    loupe_json_begin_array(&json);
    loupe_json_uint(&json, 0);
    loupe_json_uint(&json, UINT64_MAX);
    loupe_json_int(&json, -1);
    loupe_json_int(&json, INT64_MIN);
    loupe_json_int(&json, INT64_MAX);
    loupe_json_address(&json, 0);
    loupe_json_address(&json, UINT64_MAX);
    loupe_json_end_array(&json);
    CHECK_STR(finish(), "[0,18446744073709551615,-1,-9223372036854775808,9223372036854775807,"
                        "\"0x0\",\"0xffffffffffffffff\"]");
}

static const char *string_of(const char *bytes, size_t length) {
    begin();
    loupe_json_span(&json, (struct loupe_span){.bytes = bytes, .length = length});
    return finish();
}

static void test_strings_are_escaped(void) {
    CHECK_STR(string_of("plain", 5), "\"plain\"");
    CHECK_STR(string_of("", 0), "\"\"");
    CHECK_STR(string_of(NULL, 0), "\"\"");
    CHECK_STR(string_of("a\"b\\c/d", 7), "\"a\\\"b\\\\c/d\"");
    CHECK_STR(string_of("a\nb\tc\0d", 7), "\"a\\nb\\u0009c\\u0000d\"");
    CHECK_STR(string_of("\x1f\x7f", 2), "\"\\u001f\\u007f\"");
    begin();
    loupe_json_string(&json, NULL);
    CHECK_STR(finish(), "null");
}

static void test_bytes_in_hex_are_one_string(void) {
    begin();
    loupe_json_begin_array(&json);
    loupe_json_bytes(&json, (struct loupe_span){.bytes = "\x01\xff\0", .length = 3});
    loupe_json_bytes(&json, (struct loupe_span){0});
    loupe_json_end_array(&json);
    CHECK_STR(finish(), "[\"01 ff 00\",\"\"]");
}

static void test_valid_utf8_is_escaped_by_code_point(void) {
    static const char *const valid[][2] = {
        {"\xc3\xa9", "\\u00e9"},
        {"\xe2\x82\xac", "\\u20ac"},
        {"\xf0\x9f\x94\x8d", "\\ud83d\\udd0d"}, /* two units of UTF-16 */
        {"\xf0\x90\x80\x80", "\\ud800\\udc00"}, /* the first and the last of those */
        {"\xf4\x8f\xbf\xbf", "\\udbff\\udfff"},
        {"\xed\x9f\xbf", "\\ud7ff"},
        {"\xee\x80\x80", "\\ue000"},
        {"\xc2\xa0", "\\u00a0"},
        {"\xef\xbf\xbd", "\\ufffd"},
    };
    for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++) {
        char want[24];
        snprintf(want, sizeof(want), "\"%s\"", valid[i][1]);
        CHECK_STR(string_of(valid[i][0], strlen(valid[i][0])), want);
    }
}

static void test_bytes_that_are_not_utf8_are_escaped_one_by_one(void) {
    CHECK_STR(string_of("\xff\x80", 2), "\"\\u00ff\\u0080\"");
    CHECK_STR(string_of("\xc0\xaf", 2), "\"\\u00c0\\u00af\"");            /* overlong */
    CHECK_STR(string_of("\xe0\x80\x80", 3), "\"\\u00e0\\u0080\\u0080\""); /* overlong */
    CHECK_STR(string_of("\xed\xa0\x80", 3), "\"\\u00ed\\u00a0\\u0080\""); /* a surrogate */
    CHECK_STR(string_of("\xf4\x90\x80\x80", 4), "\"\\u00f4\\u0090\\u0080\\u0080\"");
    CHECK_STR(string_of("\xe2\x82", 2), "\"\\u00e2\\u0082\""); /* cut */
    CHECK_STR(string_of("\xc3"
                        "A",
                        2),
              "\"\\u00c3A\"");
    CHECK_STR(string_of("\xf0\x9f\x94", 3), "\"\\u00f0\\u009f\\u0094\"");
}

static void test_what_ends_a_line_for_some_readers_is_escaped(void) {
    CHECK_STR(string_of("a\xc2\x85z", 4), "\"a\\u0085z\"");
    CHECK_STR(string_of("\xc2\x9b[2J", 5), "\"\\u009b[2J\""); /* and rules a terminal */
    CHECK_STR(string_of("\xe2\x80\xa8\xe2\x80\xa9", 6), "\"\\u2028\\u2029\"");
    CHECK_STR(string_of("\xe2\x80\xae\xe2\x81\xa6", 6), "\"\\u202e\\u2066\""); /* turn text */
}

/* ---- A reader of strings, strict about ASCII ---- */

static int hex_value(const char *digits) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const char *found = strchr("0123456789abcdef", digits[i]);
        if (!digits[i] || !found)
            return -1;
        value = value * 16 + (int)(found - "0123456789abcdef");
    }
    return value;
}

/* The code point of one character or escape, of two escapes for a pair; -1 where it is neither. */
static int take_character(const char **at) {
    const char *p = *at;
    if (*p != '\\') {
        ++*at;
        return *p >= 0x20 && *p < 0x7f ? *p : -1;
    }
    if (p[1] != 'u') {
        const char *simple = p[1] ? strchr("\"\"\\\\n\n", p[1]) : NULL;
        *at += 2;
        return simple ? simple[1] : -1;
    }
    int value = hex_value(p + 2), low = -1;
    *at += 6;
    if (value >= 0xd800 && value < 0xdc00 && p[6] == '\\' && p[7] == 'u')
        low = hex_value(p + 8);
    if (low >= 0xdc00 && low < 0xe000) {
        *at += 6;
        return 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
    }
    return value >= 0xd800 && value < 0xe000 ? -1 : value;
}

static size_t encode_utf8(int value, unsigned char *ret) {
    static const int first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t length = value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; value >>= 6)
        ret[i] = (unsigned char)(0x80 | (value & 0x3f));
    ret[0] = (unsigned char)(first[length] | value);
    return length;
}

/*
 * Reads a string back. A code above 0x7f stands for a byte or for a code point: what it came from
 * decides. False when it is no JSON string, or not what the bytes are.
 */
static bool reads_back(const char *written, const unsigned char *bytes, size_t length) {
    const unsigned char *want = bytes, *end = bytes + length;
    if (*written++ != '"')
        return false;
    while (*written && *written != '"') {
        unsigned char encoded[4];
        int value = take_character(&written);
        if (value < 0)
            return false;
        size_t count = encode_utf8(value, encoded);
        bool is_text = (size_t)(end - want) >= count && memcmp(want, encoded, count) == 0;
        if (!is_text && (value > 0xff || want == end || *want != value))
            return false;
        want += is_text ? count : 1;
    }
    return *written == '"' && written[1] == '\0' && want == end;
}

static uint64_t state = 88172645463325252u;

static unsigned pick(unsigned bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % bound);
}

static void test_any_bytes_make_a_string_that_reads_back(void) {
    static const char *const pieces[] = {"\"",
                                         "\\",
                                         "\n",
                                         "\x80",
                                         "\xc3\xa9",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x94\x8d",
                                         "\xc2\x85",
                                         "\xe2\x80\xa8",
                                         "\xed\xa0\x80",
                                         "a",
                                         "\x1b[0m",
                                         "\xf4",
                                         "\xc2"};
    for (int round = 0; round < 20000; round++) {
        unsigned char bytes[64];
        size_t length = 0;
        while (length < 50 && pick(20)) {
            const char *piece = pieces[pick(sizeof(pieces) / sizeof(pieces[0]))];
            if (pick(3)) {
                memcpy(bytes + length, piece, strlen(piece));
                length += strlen(piece);
            } else {
                bytes[length++] = (unsigned char)pick(256);
            }
        }
        const char *written = string_of((const char *)bytes, length);
        if (!reads_back(written, bytes, length) && !CHECK(reads_back(written, bytes, length))) {
            printf("    round %d: %s\n", round, written);
            return;
        }
    }
    CHECK(reads_back("\"a\"", (const unsigned char *)"a", 1));
    CHECK(!reads_back("\"a\xff\"", (const unsigned char *)"a\xff", 2));
    CHECK(!reads_back("\"\xc3\xa9\"", (const unsigned char *)"\xc3\xa9", 2));
}

/* ---- Deep and long ---- */

static void test_nesting_has_no_limit(void) {
    begin();
    for (int i = 0; i < 5000; i++)
        loupe_json_begin_array(&json);
    for (int i = 0; i < 5000; i++)
        loupe_json_end_array(&json);
    loupe_json_finish(&json);
    CHECK_EQ(text.length, 10000);
    CHECK(text.text[4999] == '[' && text.text[5000] == ']');
}

/* A document of a few thousand bytes, so that the writer's buffer is flushed in every place. */
static void write_document(void) {
    char name[600];
    memset(name, 'n', sizeof(name));
    loupe_json_begin_object(&json);
    for (unsigned i = 0; i < 12; i++) {
        loupe_json_key(&json, "name");
        loupe_json_span(&json, (struct loupe_span){.bytes = name, .length = i * 50 + i});
        loupe_json_key(&json, "value");
        loupe_json_begin_array(&json);
        loupe_json_address(&json, 0x100000000u + i);
        loupe_json_string(&json, "\n\xff\"");
        loupe_json_end_array(&json);
    }
    loupe_json_end_object(&json);
}

/* Takes some writes, then fails. */
struct failing_sink {
    unsigned calls, fail_at;
    struct drawn_text *text;
};

static enum loupe_status write_or_fail(void *ctx, const char *bytes, size_t len) {
    struct failing_sink *sink = ctx;
    struct loupe_sink inner = drawn_text_sink(sink->text);
    CHECK(len > 0);
    if (++sink->calls >= sink->fail_at)
        return sink->calls == sink->fail_at ? LOUPE_EFAULT : LOUPE_ENOMEM;
    return inner.write(inner.ctx, bytes, len);
}

static void test_first_failure_of_the_sink_sticks_and_ends_the_writing(void) {
    begin();
    write_document();
    finish();
    char *whole = malloc(text.length + 1);
    memcpy(whole, text.text, text.length + 1);
    unsigned fail_at = 1;
    for (;; fail_at++) {
        struct failing_sink sink = {.fail_at = fail_at, .text = &text};
        text.length = 0;
        loupe_json_init(&json, (struct loupe_sink){.write = write_or_fail, .ctx = &sink});
        write_document();
        enum loupe_status status = loupe_json_finish(&json);
        CHECK_EQ(loupe_json_finish(&json), status);
        CHECK(text.length <= strlen(whole) && memcmp(text.text, whole, text.length) == 0);
        if (status == LOUPE_OK)
            break;
        CHECK_EQ(status, LOUPE_EFAULT);
        CHECK_EQ(sink.calls, fail_at);
    }
    CHECK(fail_at > 3);
    CHECK_STR(text.text, whole);
    free(whole);
}

int main(void) {
    RUN(test_values_are_separated_by_commas);
    RUN(test_numbers_at_their_limits);
    RUN(test_strings_are_escaped);
    RUN(test_bytes_in_hex_are_one_string);
    RUN(test_valid_utf8_is_escaped_by_code_point);
    RUN(test_bytes_that_are_not_utf8_are_escaped_one_by_one);
    RUN(test_what_ends_a_line_for_some_readers_is_escaped);
    RUN(test_any_bytes_make_a_string_that_reads_back);
    RUN(test_nesting_has_no_limit);
    RUN(test_first_failure_of_the_sink_sticks_and_ends_the_writing);
    free(text.text);
    return check_report();
}
