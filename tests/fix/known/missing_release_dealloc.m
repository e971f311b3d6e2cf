/* A class does not release in -dealloc what an ivar of it retains. */
#import "known.h"

@interface Label : Counted
@end
@implementation Label
@end

@interface Card : Counted {
    Label *label;
}
- (Label *)label;
@end
@implementation Card
- (id)init {
    if ((self = [super init]))
        label = [[Label alloc] init];
    return self;
}
- (Label *)label {
    return label;
}
- (void)dealloc {
    [super dealloc];
}
@end

void known_mistake(void) {
    Card *card = [[Card alloc] init];
    assert([card label] != nil);
    [card release];
}
