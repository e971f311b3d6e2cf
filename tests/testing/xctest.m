/* An assertion that fails is a failure of XCTest, one that holds is none. */
#import <Foundation/Foundation.h>

#import "LoupeXCTest.h"

int xctest_failures;

@interface Node : NSObject {
  @public
    Node *_next;
}
@end

@implementation Node
@end

/* Leaks before anything is asserted, and is no news. */
@interface Older : Node
@end

@implementation Older
@end

static void leak_another(void) {
    Older *made = [[Older alloc] init];
    made->_next = made;
}

static id node(BOOL in_ring) {
    Node *made = [[Node alloc] init];
    made->_next = in_ring ? made : nil;
    return made;
}

int main(void) {
    @autoreleasepool {
        LoupeAssertNoCycles(node(NO));
        LoupeAssertDies(^{
            return node(NO);
        });
        LoupeAssertNoLeaks(^{
            node(NO);
        });
        if (xctest_failures)
            return 1;
        leak_another();
        LoupeAssertNoCycles(node(YES));
        LoupeAssertDies(^{
            return node(YES);
        });
        LoupeAssertNoLeaks(^{
            node(YES);
        });
    }
    return xctest_failures == 3 ? 0 : 2;
}
