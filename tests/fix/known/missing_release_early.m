/* Who returns early forgets to release what it has made. */
#import "known.h"

@interface Parcel : Counted {
    int weight;
}
- (int)weigh;
@end
@implementation Parcel
- (int)weigh {
    return ++weight;
}
@end

static int post(int limit) {
    Parcel *parcel = [[Parcel alloc] init];
    int weight = [parcel weigh];
    if (weight > limit)
        return 0;
    [parcel release];
    return weight;
}

void known_mistake(void) {
    assert(post(1) == 1);
    assert(post(0) == 0);
}
