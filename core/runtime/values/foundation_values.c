#include "runtime/values/foundation_values.h"

#include "base/text.h"

#include <string.h>

/* ---- Decimal numbers ---- */

enum { MOST_DIGITS = 38 };

/* Digits from the first one that counts, times ten to the exponent. */
struct decimal {
    char digits[MOST_DIGITS + 1];
    int count, exponent;
    bool is_negative;
};

static void put_zeros(struct loupe_value_text *text, int count) {
    for (int i = 0; i < count; i++)
        loupe_put_words(text, "0");
}

static void put_digits(const struct decimal *decimal, int from, int to,
                       struct loupe_value_text *text) {
    loupe_put_span(text, (struct loupe_span){decimal->digits + from, (size_t)(to - from)});
}

static void put_with_exponent(const struct decimal *decimal, struct loupe_value_text *text) {
    put_digits(decimal, 0, decimal->count, text);
    loupe_put_words(text, decimal->exponent < 0 ? "E-" : "E");
    loupe_put_unsigned(text,
                       (uint64_t)(decimal->exponent < 0 ? -decimal->exponent : decimal->exponent));
}

static void put_decimal(const struct decimal *decimal, struct loupe_value_text *text) {
    enum { MOST_ZEROS = 20 };
    int whole = decimal->count + decimal->exponent;
    if (!decimal->count) {
        loupe_put_words(text, "0");
        return;
    }
    loupe_put_words(text, decimal->is_negative ? "-" : "");
    if (decimal->exponent > MOST_ZEROS || whole < -MOST_ZEROS) {
        put_with_exponent(decimal, text);
    } else if (decimal->exponent >= 0) {
        put_digits(decimal, 0, decimal->count, text);
        put_zeros(text, decimal->exponent);
    } else if (whole > 0) {
        put_digits(decimal, 0, whole, text);
        loupe_put_words(text, ".");
        put_digits(decimal, whole, decimal->count, text);
    } else {
        loupe_put_words(text, "0.");
        put_zeros(text, -whole);
        put_digits(decimal, 0, decimal->count, text);
    }
}

bool loupe_put_gnustep_decimal(struct loupe_target *target, loupe_addr decimal,
                               struct loupe_value_text *text) {
    struct {
        int8_t exponent;
        uint8_t is_negative, is_number, count, digits[MOST_DIGITS];
    } from;
    struct decimal ret = {.count = 0};
    if (loupe_memory_read(target->memory, decimal, &from, sizeof(from)) || from.count > MOST_DIGITS)
        return false;
    for (unsigned i = 0; i < from.count; i++) {
        if (from.digits[i] > 9)
            return false;
        ret.digits[i] = (char)('0' + from.digits[i]);
    }
    ret.count = from.count;
    ret.exponent = from.exponent;
    ret.is_negative = from.is_negative;
    if (from.is_number)
        put_decimal(&ret, text);
    else
        loupe_put_words(text, "NaN");
    return true;
}

/* Its bits from the lowest: 8 of the exponent, 4 of the mantissa's length in 16 bits, the sign. */
bool loupe_put_apple_decimal(struct loupe_target *target, loupe_addr mantissa,
                             struct loupe_value_text *text) {
    enum { PART = 16, MOST_PARTS = 4 };
    uint32_t bits;
    uint64_t value = 0;
    if (loupe_memory_read(target->memory, mantissa - sizeof(bits), &bits, sizeof(bits)))
        return false;
    unsigned parts = bits >> 8 & 15;
    struct decimal ret = {.exponent = (int8_t)(bits & 255), .is_negative = bits >> 12 & 1};
    if (!parts) {
        loupe_put_words(text, ret.is_negative ? "NaN" : "0");
        return true;
    }
    if (parts > MOST_PARTS || loupe_memory_read(target->memory, mantissa, &value, parts * PART / 8))
        return false;
    ret.count =
        (int)loupe_format(ret.digits, sizeof(ret.digits), "%llu", (unsigned long long)value);
    put_decimal(&ret, text);
    return true;
}

/* ---- Dates ---- */

bool loupe_put_date(struct loupe_value_text *text, uint64_t bits) {
    enum { FROM_1970 = 978307200 };
    double seconds;
    memcpy(&seconds, &bits, sizeof(seconds));
    if (!(seconds > -1e11) || !(seconds < 1e13))
        return false;
    int64_t whole = (int64_t)seconds - (seconds < (double)(int64_t)seconds);
    uint32_t milliseconds = (uint32_t)((seconds - (double)whole) * 1000);
    loupe_put_time(text, whole + FROM_1970, (milliseconds < 1000 ? milliseconds : 999) * 1000000);
    return true;
}

/* ---- UUIDs ---- */

bool loupe_put_uuid(struct loupe_target *target, loupe_addr bytes, struct loupe_value_text *text) {
    static const char hex[] = "0123456789ABCDEF";
    uint8_t uuid[16];
    if (loupe_memory_read(target->memory, bytes, uuid, sizeof(uuid)))
        return false;
    for (unsigned i = 0; i < sizeof(uuid); i++) {
        loupe_put_words(text, i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "");
        char pair[] = {hex[uuid[i] >> 4], hex[uuid[i] & 15], '\0'};
        loupe_put_words(text, pair);
    }
    return true;
}

/* ---- Sets of indexes ---- */

struct range {
    uint64_t first, count;
};

static bool read_range(struct loupe_target *target, loupe_addr ranges, uint64_t number,
                       struct range *ret) {
    unsigned word = target->memory->machine.pointer_size;
    loupe_addr address = ranges + number * 2 * word;
    return !loupe_memory_read_word(target->memory, address, &ret->first) &&
           !loupe_memory_read_word(target->memory, address + word, &ret->count) && ret->count &&
           ret->first + ret->count > ret->first;
}

static void put_range(struct range range, struct loupe_value_text *text) {
    loupe_put_unsigned(text, range.first);
    if (range.count == 1)
        return;
    loupe_put_words(text, "-");
    loupe_put_unsigned(text, range.first + range.count - 1);
}

static bool put_ranges(struct loupe_target *target, loupe_addr ranges, uint32_t count,
                       struct loupe_value_text *text) {
    enum { MOST_RANGES = 1 << 12, SHOWN_RANGES = 5 };
    struct range range;
    uint64_t indexes = 0;
    if (count > MOST_RANGES)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_range(target, ranges, i, &range))
            return false;
        indexes += range.count;
    }
    loupe_put_unsigned(text, indexes);
    loupe_put_words(text, indexes == 1 ? " index" : " indexes");
    /* Cap: three dots. */
    for (uint32_t i = 0; i < count && i < SHOWN_RANGES; i++) {
        loupe_put_words(text, i ? ", " : ": ");
        if (read_range(target, ranges, i, &range))
            put_range(range, text);
    }
    loupe_put_words(text, count > SHOWN_RANGES ? ", ..." : "");
    return true;
}

bool loupe_put_gnustep_indexes(struct loupe_target *target, loupe_addr word,
                               struct loupe_value_text *text) {
    uint64_t array, ranges;
    uint32_t count;
    if (loupe_memory_read_word(target->memory, word, &array))
        return false;
    if (!array)
        return put_ranges(target, 0, 0, text);
    return !loupe_memory_read_word(target->memory, array, &ranges) &&
           !loupe_memory_read(target->memory, array + target->memory->machine.pointer_size, &count,
                              sizeof(count)) &&
           put_ranges(target, ranges, count, text);
}
