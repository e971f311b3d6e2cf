#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int8_t int_least8_t, int_fast8_t;
typedef int16_t int_least16_t, int_fast16_t;
typedef int32_t int_least32_t, int_fast32_t;
typedef int64_t int_least64_t, int_fast64_t;
typedef uint8_t uint_least8_t, uint_fast8_t;
typedef uint16_t uint_least16_t, uint_fast16_t;
typedef uint32_t uint_least32_t, uint_fast32_t;
typedef uint64_t uint_least64_t, uint_fast64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;

#define INT8_C(value)    value
#define INT16_C(value)   value
#define INT32_C(value)   value
#define INT64_C(value)   value##LL
#define UINT8_C(value)   value
#define UINT16_C(value)  value
#define UINT32_C(value)  value##U
#define UINT64_C(value)  value##ULL
#define INTMAX_C(value)  value##L
#define UINTMAX_C(value) value##UL

#define INT8_MAX       127
#define INT8_MIN       (-INT8_MAX - 1)
#define UINT8_MAX      255
#define INT16_MAX      32767
#define INT16_MIN      (-INT16_MAX - 1)
#define UINT16_MAX     65535
#define INT32_MAX      2147483647
#define INT32_MIN      (-INT32_MAX - 1)
#define UINT32_MAX     4294967295U
#define INT64_MAX      9223372036854775807LL
#define INT64_MIN      (-INT64_MAX - 1)
#define UINT64_MAX     18446744073709551615ULL
#define INT_LEAST8_MAX INT8_MAX
#define INT_LEAST8_MIN INT8_MIN
#define INT_FAST8_MAX  INT8_MAX
#define INT_FAST8_MIN  INT8_MIN
#define INTPTR_MAX     9223372036854775807L
#define INTPTR_MIN     (-INTPTR_MAX - 1)
#define UINTPTR_MAX    18446744073709551615UL
#define INTMAX_MAX     INTPTR_MAX
#define INTMAX_MIN     INTPTR_MIN
#define UINTMAX_MAX    UINTPTR_MAX
#define SIZE_MAX       UINTPTR_MAX
#define PTRDIFF_MAX    INTPTR_MAX
#define PTRDIFF_MIN    INTPTR_MIN
