/* Each assertion is a test of GNUstep's framework. */
#import <Foundation/Foundation.h>

#import "LoupeGNUstep.h"

int gnustep_passed, gnustep_failed;

@interface Node : NSObject {
  @public
    Node *_next;
}
@end

@implementation Node
@end

static id node(BOOL in_ring) {
    Node *made = [[Node alloc] init];
    made->_next = in_ring ? made : nil;
    return made;
}

int main(void) {
    @autoreleasepool {
        LoupePassNoCycles(node(NO));
        LoupePassDies(^{
            return node(NO);
        });
        LoupePassNoLeaks(^{
            node(NO);
        });
        if (gnustep_failed || gnustep_passed != 3)
            return 1;
        LoupePassNoCycles(node(YES));
        LoupePassDies(^{
            return node(YES);
        });
        LoupePassNoLeaks(^{
            node(YES);
        });
    }
    return gnustep_failed == 3 && gnustep_passed == 3 ? 0 : 2;
}
