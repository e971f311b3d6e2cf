/*
 * string_text.h - what a string object says, for names: keys of dictionaries above all.
 */
#ifndef LOUPE_STRING_TEXT_H
#define LOUPE_STRING_TEXT_H

#include "runtime/object.h"

/*
 * The text of a CFString (CFString.c, CF-1153: constants and the immutable ones on the heap) or a
 * string of gnustep-base, if its characters are all printable ASCII; one that does not fit ends in
 * "...". False for everything else. cap >= 4.
 */
bool loupe_string_text(struct loupe_target *target, loupe_addr address, char *dst, size_t cap);

#endif
