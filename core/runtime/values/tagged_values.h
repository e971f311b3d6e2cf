/*
 * tagged_values.h - numbers, dates and short texts that stand in the pointer itself, as
 * gnustep-base keeps them on libobjc2 with 64 bits, and Apple's Foundation (apple_tags.h).
 */
#ifndef LOUPE_TAGGED_VALUES_H
#define LOUPE_TAGGED_VALUES_H

#include "base/tagging.h"
#include "snapshot/values/value_text.h"

/* The name that programs use for its class; NULL: the word is no value, or its kind is not known.
 */
const char *loupe_tagged_class(const struct loupe_tagging *tagging, uint64_t word);

/* What it says, as loupe_object_value() writes it. The length; 0: nothing that is known. */
size_t loupe_tagged_value(const struct loupe_tagging *tagging, uint64_t word, char *dst,
                          size_t cap);

/* The characters of a string, without quotes. False: it is none. */
bool loupe_put_tagged_string(const struct loupe_tagging *tagging, uint64_t word,
                             struct loupe_value_text *text);

#endif
