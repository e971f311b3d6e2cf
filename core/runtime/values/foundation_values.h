/*
 * foundation_values.h - what decimal numbers, dates, UUIDs and sets of indexes say, from where
 * their ivars stand. Each is false where the memory cannot be read or cannot be one.
 */
#ifndef LOUPE_FOUNDATION_VALUES_H
#define LOUPE_FOUNDATION_VALUES_H

#include "base/target/target.h"
#include "snapshot/values/value_text.h"

/* An NSDecimal of gnustep-base without GMP (NSDecimal.h): "1234.5678", "-0.05", "12E40", "NaN". */
bool loupe_put_gnustep_decimal(struct loupe_target *target, loupe_addr decimal,
                               struct loupe_value_text *text);

/* Of Apple's NSDecimalNumber (NSDecimalNumber.h), whose other ivars are the 4 bytes before it. */
bool loupe_put_apple_decimal(struct loupe_target *target, loupe_addr mantissa,
                             struct loupe_value_text *text);

/* A date, by the bits of a double: seconds since 2001-01-01. */
bool loupe_put_date(struct loupe_value_text *text, uint64_t bits);

/* "E621E1F8-C36C-495A-93FC-0C247A3E6E5F" */
bool loupe_put_uuid(struct loupe_target *target, loupe_addr bytes, struct loupe_value_text *text);

/* "5 indexes: 3-6, 20"; the word leads to an array of ranges (NSIndexSet.m, GSIArray.h). */
bool loupe_put_gnustep_indexes(struct loupe_target *target, loupe_addr word,
                               struct loupe_value_text *text);

#endif
