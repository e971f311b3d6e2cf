/*
 * decimal.h - floating-point numbers as people write them, without stdio and locale.
 */
#ifndef LOUPE_DECIMAL_H
#define LOUPE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum { LOUPE_DECIMAL_SIZE = 32 }; /* room for any, with its NUL */

/*
 * The fewest digits that read back as the same number: "0.1", "-2.0", "1e+23", "NaN", "Infinity".
 * bits: IEEE 754 of 64 and 32 bits. dst has LOUPE_DECIMAL_SIZE bytes; the length.
 */
size_t loupe_decimal_of_double(uint64_t bits, char *dst);
size_t loupe_decimal_of_float(uint32_t bits, char *dst);

#endif
