/* Numbers, dates and texts that are a word: as gnustep-base on libobjc2 wrote them. */
#include "check.h"
#include "runtime/values/tagged_values.h"

#include <string.h>

static const struct loupe_tagging gnustep = {.form = LOUPE_TAGS_GNUSTEP}, none;

static void check(uint64_t word, const char *class_name, const char *expected) {
    char text[64];
    size_t length = loupe_tagged_value(&gnustep, word, text, sizeof(text));
    CHECK_STR(text, expected);
    CHECK_EQ(length, strlen(expected));
    CHECK_STR(loupe_tagged_class(&gnustep, word), class_name);
}

static void test_numbers(void) {
    check(0x9339, "NSNumber", "4711");
    check((uint64_t)-5 << 3 | 1, "NSNumber", "-5");
    check(0x4006000000000003, "NSNumber", "2.75");
    check(0x3ff000000000000a, "NSNumber", "1.0000000000000033"); /* ends in 1111 */
    check(0x3ff0000000000013, "NSNumber", "1.000000000000004");  /* ends in 010010 */
}

static void test_dates(void) {
    check(0x16ac10a200000006, "NSDate", "2023-11-14T22:13:20Z");
    check(0x96e9446802000006, "NSDate", "1969-12-30T23:59:59.5Z");
}

static void test_texts(void) {
    check(0x4, "NSString", "\"\"");
    check((uint64_t)'a' << 57 | (uint64_t)'b' << 50 | 2 << 3 | 4, "NSString", "\"ab\"");
}

static void test_what_is_none(void) {
    char text[64];
    CHECK_EQ(loupe_tagged_value(&gnustep, 0x5555555c24a0, text, sizeof(text)), 0);
    CHECK_EQ(loupe_tagged_value(&gnustep, 31 << 3 | 4, text, sizeof(text)), 0);
    CHECK_EQ(loupe_tagged_value(&none, 0x9339, text, sizeof(text)), 0);
    CHECK(!loupe_tagged_class(&gnustep, 7));
    CHECK(!loupe_tagged_class(&gnustep, 31 << 3 | 4));
}

int main(void) {
    RUN(test_numbers);
    RUN(test_dates);
    RUN(test_texts);
    RUN(test_what_is_none);
    return check_report();
}
