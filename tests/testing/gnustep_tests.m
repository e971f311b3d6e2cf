/* The assertions under GNUstep's own test framework, which comes with gnustep-make, on GCC's runtime.
 * With a word each of them finds the mistake. GCC has no blocks: it calls what the assertions are
 * made of. */
#import <Foundation/Foundation.h>

#import "LoupeGNUstep.h"

@interface Node : NSObject {
  @public
    Node *_next;
}
@end

@implementation Node
- (void)dealloc {
    [_next release];
    [super dealloc];
}
@end

static Node *node(BOOL in_ring) {
    Node *made = [[Node alloc] init];
    made->_next = in_ring ? [made retain] : nil;
    return made;
}

int main(int argc, char **argv) {
    BOOL mistake = argc > 1;
    (void)argv;
    START_SET("assertions of Loupe")
        Node *kept = node(mistake);
        LoupePassNoCycles(kept);
#ifdef __BLOCKS__
        LoupePassDies(^{
            return (id)[node(mistake) autorelease];
        });
        LoupePassNoLeaks(^{
            [node(mistake) release];
        });
#else
        Node *dying = node(mistake);
        loupe_testing_expect(dying);
        [dying release];
        PASS(loupe_testing_died(dying, "dying", __FILE__, __LINE__), "it dies");
        loupe_testing_before();
        [node(mistake) release];
        PASS(loupe_testing_no_leaks("a released node", __FILE__, __LINE__), "it leaks nothing");
#endif
        if (!mistake)
            [kept release];
    END_SET("assertions of Loupe")
    return 0;
}
