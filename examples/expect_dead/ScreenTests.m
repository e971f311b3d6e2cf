/*
 * Unit tests in XCTest that assert that screens die, with libloupe_watch linked in. A test that fails
 * has the ring and the change to make in its output.
 */
#import <XCTest/XCTest.h>

#include "loupe_watch.h"

@interface Screen : NSObject
@property(nonatomic, copy) void (^onClose)(void);
- (void)show;
@end

@implementation Screen
- (void)show {
}
@end

@interface ScreenTests : XCTestCase
@end

@implementation ScreenTests

- (void)testScreenDiesWhenItIsClosed {
    const void *closed;
    @autoreleasepool {
        Screen *screen = [[Screen alloc] init];
        __weak Screen *weakSelf = screen;
        screen.onClose = ^{
            [weakSelf show];
        };
        closed = (__bridge const void *)screen;
        loupe_watch(closed, 1);
    }
    XCTAssert(loupe_expect_dead(closed));
}

/* The mistake that the test above guards against: self is captured. */
- (void)testScreenThatCapturesItselfLivesOn {
    const void *closed;
    @autoreleasepool {
        Screen *screen = [[Screen alloc] init];
        screen.onClose = ^{
            [screen show];
        };
        closed = (__bridge const void *)screen;
        loupe_watch(closed, 1);
    }
    XCTAssertFalse(loupe_expect_dead(closed));
}

@end
