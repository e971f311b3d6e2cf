/* The helper's own memory and string functions, which stand in for the C library's in this program.
 */
#include "check.h"

#include <stdint.h>

enum { SPAN = 700, SHIFTS = 9 };

static uint8_t left[SPAN + 64], right[SPAN + 64], wanted[SPAN + 64];

static uint8_t byte_at(size_t i) {
    return (uint8_t)(i * 7 + i / 251);
}

static void fill(void) {
    for (size_t i = 0; i < sizeof(left); i++) {
        left[i] = byte_at(i);
        right[i] = 0xee;
        wanted[i] = 0xee;
    }
}

/* Byte by byte, so that no function under test judges itself. */
static bool same(const uint8_t *one, const uint8_t *other) {
    for (size_t i = 0; i < sizeof(left); i++)
        if (one[i] != other[i])
            return false;
    return true;
}

static void test_copies_of_every_length_and_alignment(void) {
    unsigned wrong = 0;
    for (size_t length = 0; length <= SPAN; length++) {
        for (size_t shift = 0; shift < SHIFTS; shift += 4) {
            fill();
            for (size_t i = 0; i < length; i++)
                wanted[shift + i] = left[8 - shift + i];
            wrong += memcpy(right + shift, left + 8 - shift, length) != right + shift;
            wrong += !same(right, wanted);
        }
    }
    CHECK_EQ(wrong, 0);
}

static void test_moves_within_one_array_in_both_directions(void) {
    unsigned wrong = 0;
    for (size_t length = 0; length <= SPAN; length += 13) {
        for (size_t from = 0; from <= 32; from++) {
            fill();
            for (size_t i = 0; i < sizeof(left); i++)
                wanted[i] = left[i];
            for (size_t i = 0; i < length; i++)
                wanted[16 + i] = byte_at(from + i);
            wrong += memmove(left + 16, left + from, length) != left + 16;
            wrong += !same(left, wanted);
        }
    }
    CHECK_EQ(wrong, 0);
}

static void test_fills_of_every_length(void) {
    unsigned wrong = 0;
    for (size_t length = 0; length <= SPAN; length++) {
        fill();
        for (size_t i = 0; i < length; i++)
            wanted[3 + i] = 0xa5;
        wrong += memset(right + 3, 0x1a5, length) != right + 3;
        wrong += !same(right, wanted);
    }
    CHECK_EQ(wrong, 0);
}

static void test_comparisons_tell_which_is_less(void) {
    CHECK_EQ(memcmp("abc", "abd", 2), 0);
    CHECK(memcmp("abc", "abd", 3) < 0);
    CHECK(memcmp("\xff", "\x01", 1) > 0);
    CHECK_EQ(memcmp(left, right, 0), 0);
    CHECK_EQ(strcmp("same", "same"), 0);
    CHECK(strcmp("ab", "abc") < 0);
    CHECK(strcmp("\xff", "a") > 0);
    CHECK_EQ(strncmp("abx", "aby", 2), 0);
    CHECK(strncmp("abx", "aby", 3) < 0);
    CHECK_EQ(strncmp("ab", "ab", 100), 0);
}

static void test_searches_end_where_they_are_told(void) {
    static const char text[] = "find me\0not";
    CHECK(memchr(text, 'm', sizeof(text)) == text + 5);
    CHECK(memchr(text, 'n', 2) == NULL);
    CHECK(memchr(text, 0, sizeof(text)) == text + 7);
    CHECK_EQ(strlen(text), 7);
    CHECK_EQ(strlen(""), 0);
}

int main(void) {
    RUN(test_copies_of_every_length_and_alignment);
    RUN(test_moves_within_one_array_in_both_directions);
    RUN(test_fills_of_every_length);
    RUN(test_comparisons_tell_which_is_less);
    RUN(test_searches_end_where_they_are_told);
    return check_report();
}
