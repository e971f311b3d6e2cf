/*
 * apple_numbers.h - numbers of CoreFoundation with memory of their own, the two truth values, and
 * numbers that the compiler wrote down.
 *
 * CFNumber.c has numbered the types of its objects in two ways: those of CF-1153, and of
 * swift-corelibs-foundation. Which one it is tells kCFNumberNaN, whose type is known. Constants are
 * as clang lays them out (CGObjCMac.cpp).
 */
#ifndef LOUPE_APPLE_NUMBERS_H
#define LOUPE_APPLE_NUMBERS_H

#include "runtime/object.h"
#include "snapshot/values/value_text.h"

/* False: the object is no such number, or of a type that is not known. */
bool loupe_put_apple_number(struct loupe_target *target, const struct loupe_object *object,
                            struct loupe_value_text *text);

#endif
