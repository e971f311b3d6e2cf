/*
 * closure.h - the class of what a std::function of libstdc++ keeps. It has no vtable; but the
 * function that copies and destroys it also answers with its typeinfo, whose address stands in the
 * code, in stripped programs too.
 */
#ifndef LOUPE_CXX_CLOSURE_H
#define LOUPE_CXX_CLOSURE_H

#include "cxx/vtable.h"

/* False: nothing in the first instructions tells it, as in a program without typeinfo, or the code
 * is not that of x86-64. */
bool loupe_cxx_closure_managed_by(struct loupe_target *target, struct loupe_typeinfo_kinds *kinds,
                                  loupe_addr manager, struct loupe_typeinfo *ret);

#endif
