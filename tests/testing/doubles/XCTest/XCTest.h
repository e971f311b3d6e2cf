/* What LoupeXCTest.h needs of XCTest: a failure is counted, not raised. */
extern int xctest_failures;

#define XCTFail(...) (xctest_failures++, (void)(__VA_ARGS__))
