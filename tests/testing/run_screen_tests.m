/* Runs the tests of examples/expect_dead as XCTest would: both hold. */
#include "../../examples/expect_dead/ScreenTests.m"

int xctest_failures;

@implementation XCTestCase
@end

int main(void) {
    @autoreleasepool {
        ScreenTests *tests = [[ScreenTests alloc] init];
        [tests testScreenDiesWhenItIsClosed];
        [tests testScreenThatCapturesItselfLivesOn];
    }
    return xctest_failures;
}
