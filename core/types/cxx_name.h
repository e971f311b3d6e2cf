/*
 * cxx_name.h - what the name of a C++ type tells of objects it may own.
 *
 * Encodings give the members of a C++ class and stop at pointers, so a container is known by its
 * name alone: {vector<Peer *, std::allocator<Peer *>>=...}.
 */
#ifndef LOUPE_CXX_NAME_H
#define LOUPE_CXX_NAME_H

#include "base/text.h"

/*
 * Whether the type of an ivar has a type in it that may own objects where no encoding leads: a
 * template over anything but numbers, text and what is kept weakly or unretained, or one of those
 * that hold an object of any type, as std::any does. Bounded by its length.
 */
bool loupe_cxx_may_own(struct loupe_span encoding);

/* Whether there is a pointer to a struct in it, which a class of its own may own. */
bool loupe_cxx_has_pointers(struct loupe_span encoding);

#endif
