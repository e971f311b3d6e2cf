/* Values in pointers of libobjc2, and which runtime's a word is. */
#include "runtime/values/tagged_values.h"

#include "runtime/values/apple_tags.h"
#include "runtime/values/foundation_values.h"

#include <string.h>

/*
 * The low bits of the word, by what NSNumber.m, NSDate.m and GSString.m of gnustep-base register
 * with the runtime.
 */
enum { TAG_BITS = 3, INTEGER = 1, EXTENDED_DOUBLE, REPEATED_DOUBLE, TEXT, DATE = 6 };
enum { MOST_CHARACTERS = 8, CHARACTER_BITS = 7 };
enum { FRACTION_BITS = 52, EXPONENT_BITS = 8, EXPONENT_BIAS = 0x3ef };

static unsigned tag_of(uint64_t word) {
    return word & ((1 << TAG_BITS) - 1);
}

static uint64_t low_bits(uint64_t word, unsigned count) {
    return word & ((UINT64_C(1) << count) - 1);
}

/* The tag took the lowest three bits of a double: they are like the fourth, or like the next three.
 */
static uint64_t bits_of_double(uint64_t word) {
    uint64_t next = word >> TAG_BITS & 7;
    uint64_t lost = low_bits(word, TAG_BITS) == REPEATED_DOUBLE ? next : (next & 1) * 7;
    return (word & ~UINT64_C(7)) | lost;
}

/* Seconds since 2001: a double whose exponent has fewer bits. */
static uint64_t bits_of_date(uint64_t word) {
    uint64_t fraction = low_bits(word >> TAG_BITS, FRACTION_BITS);
    int64_t exponent = (int8_t)low_bits(word >> (TAG_BITS + FRACTION_BITS), EXPONENT_BITS);
    return (word >> 63) << 63 | (uint64_t)(exponent + EXPONENT_BIAS) << FRACTION_BITS | fraction;
}

/* Its length, then its characters from the top down. */
static bool put_text(uint64_t word, struct loupe_value_text *text) {
    uint64_t length = word >> TAG_BITS & 31;
    if (length > MOST_CHARACTERS)
        return false;
    for (unsigned i = 0; i < length; i++)
        loupe_put_unit(text, word >> (64 - CHARACTER_BITS * (i + 1)) & 127);
    return true;
}

static const char *class_of(uint64_t word) {
    switch (tag_of(word)) {
    case INTEGER:
    case EXTENDED_DOUBLE:
    case REPEATED_DOUBLE:
        return "NSNumber";
    case TEXT:
        return (word >> TAG_BITS & 31) <= MOST_CHARACTERS ? "NSString" : NULL;
    case DATE:
        return "NSDate";
    default:
        return NULL;
    }
}

static bool put_value(uint64_t word, struct loupe_value_text *text) {
    switch (tag_of(word)) {
    case INTEGER:
        loupe_put_scalar(text, (struct loupe_value){.type = LOUPE_VALUE_LONG,
                                                    .bits = (uint64_t)((int64_t)word >> TAG_BITS)});
        return true;
    case EXTENDED_DOUBLE:
    case REPEATED_DOUBLE:
        loupe_put_scalar(
            text, (struct loupe_value){.type = LOUPE_VALUE_DOUBLE, .bits = bits_of_double(word)});
        return true;
    case TEXT:
        return put_text(word, text);
    case DATE:
        return loupe_put_date(text, bits_of_date(word));
    default:
        return false;
    }
}

/* ---- Of either runtime ---- */

const char *loupe_tagged_class(const struct loupe_tagging *tagging, uint64_t word) {
    return tagging->form == LOUPE_TAGS_GNUSTEP
               ? class_of(word)
               : loupe_apple_tag_class(loupe_apple_tag(tagging, word));
}

static bool is_string(const struct loupe_tagging *tagging, uint64_t word) {
    const char *name = loupe_tagged_class(tagging, word);
    return name && strcmp(name, "NSString") == 0;
}

static bool put_tagged(const struct loupe_tagging *tagging, uint64_t word,
                       struct loupe_value_text *text) {
    return tagging->form == LOUPE_TAGS_GNUSTEP ? put_value(word, text)
                                               : loupe_put_apple_tagged(tagging, word, text);
}

bool loupe_put_tagged_string(const struct loupe_tagging *tagging, uint64_t word,
                             struct loupe_value_text *text) {
    return is_string(tagging, word) && put_tagged(tagging, word, text);
}

size_t loupe_tagged_value(const struct loupe_tagging *tagging, uint64_t word, char *dst,
                          size_t cap) {
    struct loupe_value_text text = {.dst = dst, .room = cap - 1};
    const char *quote = is_string(tagging, word) ? "\"" : "";
    loupe_put_words(&text, quote);
    if (put_tagged(tagging, word, &text))
        loupe_put_words(&text, quote);
    else
        text.used = 0;
    dst[text.used] = '\0';
    return text.used;
}
