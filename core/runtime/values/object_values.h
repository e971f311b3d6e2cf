/*
 * object_values.h - what objects of Foundation say of themselves, read from outside: strings,
 * numbers, dates, data, URLs, errors, how many items collections have.
 */
#ifndef LOUPE_OBJECT_VALUES_H
#define LOUPE_OBJECT_VALUES_H

#include "runtime/object.h"
#include "snapshot/values/value_text.h"

/*
 * "\"abc\"", "42", "2023-11-14T22:13:20Z", "5 bytes: 68 65 6c 6c 6f", "3 items", as UTF-8 with a
 * NUL; a text that does not fit ends in "...". The length; 0: it says nothing, or its layout is not
 * known. Of gnustep-base by the ivars of its classes, of Apple's by those of CoreFoundation
 * (CF-1153).
 */
size_t loupe_object_value(struct loupe_target *target, const struct loupe_object *object, char *dst,
                          size_t cap);

#endif
