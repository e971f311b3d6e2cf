/*
 * LoupeXCTest.h - the assertions of loupe_testing.h in XCTest: include it in a test case, and one that
 * fails is a failure of the test that runs, at its line.
 */
#ifndef LOUPE_XCTEST_H
#define LOUPE_XCTEST_H

#import <XCTest/XCTest.h>

#include "loupe_testing.h"

#undef LoupeAssertNoCycles
#undef LoupeAssertNoLeaks
#undef LoupeAssertDies
#define LOUPE_XCTEST(holds)                                                                        \
    do {                                                                                           \
        if (!(holds))                                                                              \
            XCTFail(@"Loupe's report is in the output of the test");                               \
    } while (0)
#define LoupeAssertNoCycles(object)                                                                \
    LOUPE_XCTEST(loupe_testing_no_cycles(LOUPE_TESTING_ADDRESS(object), #object, __FILE__, __LINE__))
#define LoupeAssertNoLeaks(...)                                                                    \
    LOUPE_XCTEST(loupe_testing_leaks_in(__VA_ARGS__, #__VA_ARGS__, __FILE__, __LINE__))
#define LoupeAssertDies(...)                                                                       \
    LOUPE_XCTEST(loupe_testing_dies_of(__VA_ARGS__, #__VA_ARGS__, __FILE__, __LINE__))

#endif
