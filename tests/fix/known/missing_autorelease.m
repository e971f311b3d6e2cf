/* A method that is not called like one that makes an object gives one that its caller would have to release. */
#import "known.h"

@interface Stamp : Counted
+ (Stamp *)stamp;
@end
@implementation Stamp
+ (Stamp *)stamp {
    return [[Stamp alloc] init];
}
@end

void known_mistake(void) {
    Stamp *stamp = [Stamp stamp];
    assert([stamp isKindOfClass:[Stamp class]]);
}
