/*
 * symbol_names.h - what the source calls a closure of Swift, by the symbol of its function:
 * "closure #1 in Screen.bind(to:)". Of the mangled language (docs/ABI/Mangling.rst) what names of
 * scopes need, and no more.
 */
#ifndef LOUPE_SWIFT_SYMBOL_NAMES_H
#define LOUPE_SWIFT_SYMBOL_NAMES_H

#include "base/text.h"

/* False: it is no closure, or not understood. Nothing is written then. */
bool loupe_swift_closure_name(const char *symbol, char *dst, size_t cap);

/* How long the symbol is of the function that was written, where this one passes its context on to
 * it, or is a part of it. */
size_t loupe_swift_symbol_length(const char *symbol);
/* Whether a function only calls another one, whose parameters are passed in another way. */
bool loupe_swift_is_thunk(const char *symbol);

#endif
