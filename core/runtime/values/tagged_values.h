/*
 * tagged_values.h - numbers, dates and short texts that stand in the pointer itself, as
 * gnustep-base keeps them on libobjc2 with 64 bits.
 */
#ifndef LOUPE_TAGGED_VALUES_H
#define LOUPE_TAGGED_VALUES_H

#include "runtime/abi.h"

/* The name that programs use for its class; NULL: the word holds no value that is known. */
const char *loupe_tagged_class(const struct loupe_abi *abi, uint64_t word);

/* What it says, as loupe_object_value() writes it. The length; 0: nothing that is known. */
size_t loupe_tagged_value(const struct loupe_abi *abi, uint64_t word, char *dst, size_t cap);

#endif
