/*
 * Digits are made one by one from a fraction of two long integers, and end as soon as they tell the
 * number from its neighbours (Steele and White, 1990).
 */
#include "base/decimal.h"

#include "base/text.h"

#include <string.h>

/* ---- Long integers: 2^1076 times a few powers of ten, and room ---- */

enum { MOST_LIMBS = 40, LIMB_BITS = 32, MOST_DIGITS = 17 };

struct whole {
    uint32_t limbs[MOST_LIMBS]; /* the lowest first */
    unsigned count;
};

static void multiply(struct whole *whole, uint32_t by) {
    uint64_t carry = 0;
    for (unsigned i = 0; i < whole->count; i++) {
        carry += (uint64_t)whole->limbs[i] * by;
        whole->limbs[i] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
    if (carry)
        whole->limbs[whole->count++] = (uint32_t)carry;
}

static void shift(struct whole *whole, unsigned bits) {
    /* Cap: all bits of a shift. */
    for (; bits >= LIMB_BITS - 1; bits -= LIMB_BITS - 1)
        multiply(whole, UINT32_C(1) << (LIMB_BITS - 1));
    multiply(whole, UINT32_C(1) << bits);
}

static struct whole whole_of(uint64_t value) {
    struct whole whole = {.limbs = {(uint32_t)value, (uint32_t)(value >> LIMB_BITS)}};
    whole.count = whole.limbs[1] ? 2 : 1;
    return whole;
}

static int compare(const struct whole *a, const struct whole *b) {
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (unsigned i = a->count; i-- > 0;) {
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    }
    return 0;
}

static void trim(struct whole *whole) {
    while (whole->count > 1 && !whole->limbs[whole->count - 1])
        whole->count--;
}

static void add(struct whole *whole, const struct whole *other) {
    uint64_t carry = 0;
    unsigned count = whole->count > other->count ? whole->count : other->count;
    for (unsigned i = 0; i < count; i++) {
        carry += (uint64_t)(i < whole->count ? whole->limbs[i] : 0) +
                 (i < other->count ? other->limbs[i] : 0);
        whole->limbs[i] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
    whole->count = count;
    if (carry)
        whole->limbs[whole->count++] = (uint32_t)carry;
}

/* Of a larger one. */
static void subtract(struct whole *whole, const struct whole *other) {
    uint64_t borrow = 0;
    for (unsigned i = 0; i < whole->count; i++) {
        uint64_t taken = (i < other->count ? other->limbs[i] : 0) + borrow;
        borrow = whole->limbs[i] < taken;
        whole->limbs[i] = (uint32_t)(whole->limbs[i] + (borrow << LIMB_BITS) - taken);
    }
    trim(whole);
}

/* ---- Digits ---- */

/* The number is value / scale; half of the way to its neighbours is above / scale, below / scale.
 */
struct fraction {
    struct whole value, scale, above, below;
    bool takes_ends; /* the half ways themselves read back as the number */
};

static bool is_reached(const struct fraction *fraction) {
    struct whole sum = fraction->value;
    add(&sum, &fraction->above);
    int order = compare(&sum, &fraction->scale);
    return fraction->takes_ends ? order >= 0 : order > 0;
}

/* Makes it a number from 0.1 to below 1, and says how often it was divided by ten. */
static int normalize(struct fraction *fraction) {
    int exponent = 0;
    while (is_reached(fraction)) {
        multiply(&fraction->scale, 10);
        exponent++;
    }
    for (;;) {
        struct fraction next = *fraction;
        multiply(&next.value, 10);
        multiply(&next.above, 10);
        multiply(&next.below, 10);
        if (is_reached(&next))
            return exponent;
        *fraction = next;
        exponent--;
    }
}

static unsigned next_digit(struct fraction *fraction) {
    unsigned digit = 0;
    multiply(&fraction->value, 10);
    multiply(&fraction->above, 10);
    multiply(&fraction->below, 10);
    while (compare(&fraction->value, &fraction->scale) >= 0) {
        subtract(&fraction->value, &fraction->scale);
        digit++;
    }
    return digit;
}

static unsigned digits_of(struct fraction *fraction, char digits[MOST_DIGITS + 1]) {
    unsigned count = 0;
    for (;;) {
        unsigned digit = next_digit(fraction);
        int low_order = compare(&fraction->value, &fraction->below);
        bool low = fraction->takes_ends ? low_order <= 0 : low_order < 0;
        bool high = is_reached(fraction);
        if (low || high) {
            struct whole twice = fraction->value;
            multiply(&twice, 2);
            bool up = high && (!low || compare(&twice, &fraction->scale) >= 0);
            digits[count++] = (char)('0' + digit + up);
            return count;
        }
        digits[count++] = (char)('0' + digit);
        if (count == MOST_DIGITS)
            return count;
    }
}

/* ---- As text ---- */

/* digits: 0.DIGITS * 10^exponent. */
static size_t write_digits(const char *digits, unsigned count, int exponent, char *dst) {
    enum { PLAIN_FROM = -4, PLAIN_TO = 17 };
    size_t used = 0;
    if (exponent <= PLAIN_FROM || exponent >= PLAIN_TO) {
        dst[used++] = digits[0];
        if (count > 1)
            dst[used++] = '.';
        memcpy(dst + used, digits + 1, count - 1);
        used += count - 1;
        int power = exponent - 1;
        return used + loupe_format(dst + used, LOUPE_DECIMAL_SIZE - used - 1, "e%c%u",
                                   power < 0 ? '-' : '+', (unsigned)(power < 0 ? -power : power));
    }
    if (exponent <= 0)
        dst[used++] = '0';
    for (int i = 0; i < exponent; i++)
        dst[used++] = (unsigned)i < count ? digits[i] : '0';
    dst[used++] = '.';
    for (int i = exponent; i < 0; i++)
        dst[used++] = '0';
    unsigned first = exponent < 0 ? 0 : (unsigned)exponent;
    if (first >= count)
        dst[used++] = '0';
    for (unsigned i = first; i < count; i++)
        dst[used++] = digits[i];
    return used;
}

/* value * 2^exponent; least: no number has a smaller exponent; first: the lowest value that numbers
 * with a larger one have. */
static size_t write_number(uint64_t value, int exponent, int least, uint64_t first, char *dst) {
    struct fraction fraction = {.value = whole_of(value),
                                .scale = whole_of(1),
                                .above = whole_of(1),
                                .below = whole_of(1),
                                .takes_ends = value % 2 == 0};
    bool is_lowest = value == first && exponent > least; /* the one below it is nearer */
    char digits[MOST_DIGITS + 1];
    shift(&fraction.value, 1 + is_lowest);
    shift(&fraction.scale, 1 + is_lowest);
    shift(&fraction.above, is_lowest);
    if (exponent > 0) {
        shift(&fraction.value, (unsigned)exponent);
        shift(&fraction.above, (unsigned)exponent);
        shift(&fraction.below, (unsigned)exponent);
    } else {
        shift(&fraction.scale, (unsigned)-exponent);
    }
    int power = normalize(&fraction);
    unsigned count = digits_of(&fraction, digits);
    return write_digits(digits, count, power, dst);
}

static size_t write_any(uint64_t bits, unsigned mantissa, unsigned exponents, char *dst) {
    uint64_t value = bits & ((UINT64_C(1) << mantissa) - 1), first = UINT64_C(1) << mantissa;
    unsigned most = (1U << exponents) - 1;
    unsigned exponent = (unsigned)(bits >> mantissa) & most;
    int least = 1 - (int)(most / 2) - (int)mantissa;
    size_t used = 0;
    if (bits >> (mantissa + exponents) && !(exponent == most && value))
        dst[used++] = '-';
    if (exponent == most)
        used += loupe_format(dst + used, LOUPE_DECIMAL_SIZE - used, value ? "NaN" : "Infinity");
    else if (!exponent && !value)
        used += loupe_format(dst + used, LOUPE_DECIMAL_SIZE - used, "0.0");
    else
        used +=
            write_number(exponent ? value | first : value,
                         exponent ? least + (int)exponent - 1 : least, least, first, dst + used);
    dst[used] = '\0';
    return used;
}

size_t loupe_decimal_of_double(uint64_t bits, char *dst) {
    return write_any(bits, 52, 11, dst);
}

size_t loupe_decimal_of_float(uint32_t bits, char *dst) {
    return write_any(bits, 23, 8, dst);
}
