/* A block calls itself by a __block variable, which keeps it. */
#import "known.h"

@interface Counter : Counted
@property (nonatomic) int left;
@end
@implementation Counter
@end

void known_mistake(void) {
    Counter *counter = [[Counter alloc] init];
    counter.left = 3;
    __block void (^step)(void);
    step = ^{
        if (counter.left) {
            counter.left--;
            step();
        }
    };
    step();
    assert(counter.left == 0);
}
