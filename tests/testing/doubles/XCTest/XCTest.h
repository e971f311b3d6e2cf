/* What LoupeXCTest.h and the examples need of XCTest: a failure is counted, not raised. */
#import <Foundation/Foundation.h>

extern int xctest_failures;

@interface XCTestCase : NSObject
@end

#define XCTFail(...) (xctest_failures++, (void)(__VA_ARGS__))
#define XCTAssert(holds) ((holds) ? (void)0 : XCTFail(@"" #holds))
#define XCTAssertFalse(holds) XCTAssert(!(holds))
