/*
 * string_text.h - what a string object says, for names: keys of dictionaries above all.
 */
#ifndef LOUPE_STRING_TEXT_H
#define LOUPE_STRING_TEXT_H

#include "runtime/object.h"
#include "snapshot/values/value_text.h"

/*
 * The text of a CFString (CFString.c, CF-1153: constants and the immutable ones on the heap) or a
 * string of gnustep-base, if its characters are all printable ASCII; one that does not fit ends in
 * "...". False for everything else. cap >= 4.
 */
bool loupe_string_text(struct loupe_target *target, loupe_addr address, char *dst, size_t cap);

/* The characters of a string of these classes, mutable ones too. */
struct loupe_string_part {
    loupe_addr address;
    uint64_t count; /* characters, of one byte each or of two where is_wide */
    bool is_wide;   /* UTF-16 */
    bool is_utf8;   /* else of one byte each: Latin-1 */
};
bool loupe_string_part(struct loupe_target *target, const struct loupe_object *object,
                       struct loupe_string_part *ret);
/* Adds them, as far as they fit. False: they cannot be read. */
bool loupe_put_string_part(struct loupe_target *target, const struct loupe_string_part *part,
                           struct loupe_value_text *text);

#endif
