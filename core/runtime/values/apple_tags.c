/* Strings, numbers, dates and paths of indexes out of the words that are all of them. */
#include "runtime/values/apple_tags.h"

#include "runtime/values/foundation_values.h"

enum { PAYLOAD_BITS = 60, INFO_BITS = 4, TAG_OF_EXTENDED = 7 };

static uint64_t bits_of(uint64_t word, unsigned from, unsigned count) {
    return word >> from & ((UINT64_C(1) << count) - 1);
}

/* ---- Tags and payloads ---- */

/* The permutation tells what stands for a tag: here it is asked the other way round. */
static unsigned tag_of_slot(const struct loupe_tagging *tagging, uint64_t slot) {
    unsigned tag = 0;
    /* Cap: the last tag announces a tag elsewhere, and stands for itself. */
    while (tag < TAG_OF_EXTENDED && tagging->permutation[tag] != slot)
        tag++;
    return tag;
}

unsigned loupe_apple_tag(const struct loupe_tagging *tagging, uint64_t word) {
    uint64_t plain = word ^ tagging->obfuscator;
    switch (tagging->form) {
    case LOUPE_TAGS_LOW:
        return word & 1 ? (unsigned)bits_of(plain, 1, 3) : LOUPE_APPLE_NO_TAG;
    case LOUPE_TAGS_HIGH:
        return word >> 63 ? (unsigned)bits_of(plain, 60, 3) : LOUPE_APPLE_NO_TAG;
    case LOUPE_TAGS_SPLIT:
        return word >> 63 ? tag_of_slot(tagging, bits_of(plain, 0, 3)) : LOUPE_APPLE_NO_TAG;
    default:
        return LOUPE_APPLE_NO_TAG;
    }
}

static uint64_t payload_of(const struct loupe_tagging *tagging, uint64_t word) {
    static const uint8_t first_bits[LOUPE_TAG_FORM_COUNT] = {
        [LOUPE_TAGS_LOW] = 4, [LOUPE_TAGS_SPLIT] = 3};
    return bits_of(word ^ tagging->obfuscator, first_bits[tagging->form], PAYLOAD_BITS);
}

const char *loupe_apple_tag_class(unsigned tag) {
    static const char *const names[] = {[LOUPE_APPLE_STRING] = "NSString",
                                        [LOUPE_APPLE_NUMBER] = "NSNumber",
                                        [LOUPE_APPLE_INDEX_PATH] = "NSIndexPath",
                                        [LOUPE_APPLE_OBJECT_ID] = "NSManagedObjectID",
                                        [LOUPE_APPLE_DATE] = "NSDate",
                                        [LOUPE_APPLE_NO_TAG] = NULL};
    return tag < sizeof(names) / sizeof(names[0]) ? names[tag] : NULL;
}

/* ---- Strings: a length, then characters of 8 bits from the bottom up, or of 6 or 5 bits from the
 * top down, which are places in a table of frequent ones ---- */

enum { MOST_OF_8_BITS = 7, MOST_OF_6_BITS = 9, MOST_OF_5_BITS = 11 };

static bool put_bytes(uint64_t bytes, unsigned length, struct loupe_value_text *text) {
    for (unsigned i = 0; i < length; i++) {
        if (bits_of(bytes, 8 * i, 8) > 0x7f)
            return false;
        loupe_put_unit(text, (uint32_t)bits_of(bytes, 8 * i, 8));
    }
    return bytes >> (8 * length) == 0;
}

static bool put_frequent(uint64_t places, unsigned length, unsigned width,
                         struct loupe_value_text *text) {
    static const char frequent[] =
        "eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX";
    for (unsigned i = length; i-- > 0;)
        loupe_put_unit(text, (unsigned char)frequent[bits_of(places, width * i, width)]);
    return places >> (width * length) == 0;
}

static bool put_string(uint64_t payload, struct loupe_value_text *text) {
    unsigned length = (unsigned)bits_of(payload, 0, INFO_BITS);
    uint64_t characters = payload >> INFO_BITS;
    if (length <= MOST_OF_8_BITS)
        return put_bytes(characters, length, text);
    if (length <= MOST_OF_6_BITS)
        return put_frequent(characters, length, 6, text);
    return length <= MOST_OF_5_BITS && put_frequent(characters, length, 5, text);
}

/* ---- Numbers: a type, then a signed integer, of those with a fraction, too ---- */

static bool put_number(uint64_t payload, struct loupe_value_text *text) {
    enum { INTEGER_TYPES = 4, TYPES = 6, UNUSED_BITS = 64 - PAYLOAD_BITS };
    uint64_t type = bits_of(payload, 0, INFO_BITS);
    int64_t number = (int64_t)(payload << UNUSED_BITS) >> (UNUSED_BITS + INFO_BITS);
    if (type >= TYPES)
        return false;
    loupe_put_scalar(text,
                     (struct loupe_value){.type = LOUPE_VALUE_LONG, .bits = (uint64_t)number});
    loupe_put_words(text, type < INTEGER_TYPES ? "" : ".0");
    return true;
}

/* ---- Dates: seconds since 2001, a double whose exponent has fewer bits ---- */

static bool put_date(uint64_t payload, struct loupe_value_text *text) {
    enum { FRACTION_BITS = 52, EXPONENT_BITS = 7, EXPONENT_BIAS = 0x3ef };
    uint64_t fraction = bits_of(payload, 0, FRACTION_BITS);
    uint64_t exponent = bits_of(payload, FRACTION_BITS, EXPONENT_BITS);
    uint64_t sign = payload >> (PAYLOAD_BITS - 1);
    if (!payload || payload == (UINT64_C(1) << PAYLOAD_BITS) - 1) /* zero, and less than nothing */
        return loupe_put_date(text, 0);
    exponent -= (exponent >> (EXPONENT_BITS - 1)) << EXPONENT_BITS;
    return loupe_put_date(text,
                          sign << 63 | (exponent + EXPONENT_BIAS) << FRACTION_BITS | fraction);
}

/* ---- Paths of up to four indexes, the first one at the bottom ---- */

static bool put_index_path(uint64_t payload, struct loupe_value_text *text) {
    enum { COUNT_AT = 3, COUNT_BITS = 3, MOST = 4, INDEX_BITS = 13, FIRST_AT = 8 };
    unsigned count = (unsigned)bits_of(payload, COUNT_AT, COUNT_BITS);
    if (count > MOST)
        return false;
    loupe_put_words(text, "{");
    for (unsigned i = 0; i < count; i++) {
        loupe_put_words(text, i ? ", " : "");
        loupe_put_unsigned(text, bits_of(payload, FIRST_AT + INDEX_BITS * i, INDEX_BITS));
    }
    loupe_put_words(text, "}");
    return true;
}

bool loupe_put_apple_tagged(const struct loupe_tagging *tagging, uint64_t word,
                            struct loupe_value_text *text) {
    switch (loupe_apple_tag(tagging, word)) {
    case LOUPE_APPLE_STRING:
        return put_string(payload_of(tagging, word), text);
    case LOUPE_APPLE_NUMBER:
        return put_number(payload_of(tagging, word), text);
    case LOUPE_APPLE_INDEX_PATH:
        return put_index_path(payload_of(tagging, word), text);
    case LOUPE_APPLE_DATE:
        return put_date(payload_of(tagging, word), text);
    default:
        return false;
    }
}
