/*
 * LoupeGNUstep.h - the same for the tests of GNUstep (Testing.h): each is a test of its own, that
 * passes or fails. Clang compiles those with a block.
 */
#ifndef LOUPE_GNUSTEP_H
#define LOUPE_GNUSTEP_H

#import "Testing.h"

#include "loupe_testing.h"

#define LoupePassNoCycles(object)                                                                  \
    PASS(LoupeAssertNoCycles(object), "%s is in no retain cycle", #object)
#define LoupePassNoLeaks(...) PASS(LoupeAssertNoLeaks(__VA_ARGS__), "no leaks at line %d", __LINE__)
#define LoupePassDies(...)                                                                         \
    PASS(LoupeAssertDies(__VA_ARGS__), "the object of line %d dies", __LINE__)

#endif
