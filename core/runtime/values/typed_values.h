/*
 * typed_values.h - what memory of an encoded type says: numbers, pointers, structs of them.
 */
#ifndef LOUPE_TYPED_VALUES_H
#define LOUPE_TYPED_VALUES_H

#include "base/target.h"
#include "base/text.h"
#include "snapshot/values/value_text.h"

/* An integer or a floating-point number by the character of its encoding. False: it is none. */
bool loupe_put_number(struct loupe_target *target, char type, loupe_addr address,
                      struct loupe_value_text *text);

/*
 * "{3, 4}" of a struct with its members flattened, "3" of a number, "0x1000" of a pointer. False: a
 * member is neither, cannot be read, or the encoding does not say where it is.
 */
bool loupe_put_typed(struct loupe_target *target, struct loupe_span type, loupe_addr address,
                     struct loupe_value_text *text);

#endif
