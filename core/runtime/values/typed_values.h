/*
 * typed_values.h - what memory of an encoded type says: numbers, pointers, structs of them.
 */
#ifndef LOUPE_TYPED_VALUES_H
#define LOUPE_TYPED_VALUES_H

#include "base/target/target.h"
#include "base/text.h"
#include "snapshot/values/value_text.h"

/* An integer or a floating-point number by the character of its encoding. False: it is none. */
bool loupe_put_number(struct loupe_target *target, char type, loupe_addr address,
                      struct loupe_value_text *text);

/* Whether the encoded type is a string of C. */
bool loupe_is_c_string(struct loupe_span type);

/*
 * "\"abc\"": the text that a char * leads to, with a NUL; one that does not fit ends in "...". Its
 * bytes may be anything. The length; 0: it cannot be read. cap > 4.
 */
size_t loupe_c_string_value(struct loupe_target *target, loupe_addr address, char *dst, size_t cap);

/*
 * "{3, 4}" of a struct with its members flattened, "3" of a number, "0x1000" of a pointer. False: a
 * member is neither, cannot be read, or the encoding does not say where it is.
 */
bool loupe_put_typed(struct loupe_target *target, struct loupe_span type, loupe_addr address,
                     struct loupe_value_text *text);

#endif
