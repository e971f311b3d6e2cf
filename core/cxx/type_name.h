/*
 * type_name.h - names of C++ types as a person writes them, from the mangled ones that typeinfo has
 * (Itanium C++ ABI, 5.1): "St6vectorIiSaIiEE" is "std::vector<int, std::allocator<int> >".
 *
 * Names are the target's: any bytes. Work, depth and output are bounded by constants; what goes
 * beyond them, and what nobody could demangle without the compiler (expressions, decltype), is left
 * as it is.
 */
#ifndef LOUPE_CXX_TYPE_NAME_H
#define LOUPE_CXX_TYPE_NAME_H

#include "base/text.h"

enum { LOUPE_MAX_TYPE_NAME = 1024 /* bytes of a mangled name; a longer one is left as it is */ };

/*
 * Writes the name of a type into dst: at most cap - 1 bytes and a NUL; cap > 0. False: the mangled
 * name was not understood, or does not fit, and stands there as it is, cut.
 */
bool loupe_cxx_type_name(struct loupe_span mangled, char *dst, size_t cap);

#endif
