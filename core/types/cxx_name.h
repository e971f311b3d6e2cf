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
 * Whether the type of an ivar has a template in it that may own objects where no encoding leads:
 * one over anything but numbers, text and what is kept weakly or unretained. Bounded by its length.
 */
bool loupe_cxx_may_own(struct loupe_span encoding);

#endif
